"""Confidence intervals of means."""

from __future__ import annotations

import math


def student_t_975(freedom: int) -> float:
    """Student's t at 97.5%: exact for 1 and 2, then Cornish and Fisher's series, right to three digits."""
    if freedom < 3:
        return (12.7062, 4.3027)[freedom - 1]
    z, n = 1.959964, float(freedom)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + math.fsum(term / n**power for power, term in enumerate(terms, 1))
