"""What a loss is called: inaccuracy, mistake or blunder."""

from __future__ import annotations

# The least loss of win share that has a name. docs/review.md says how they were chosen.
MISTAKE_THRESHOLDS = {"blunder": 0.15, "mistake": 0.08, "inaccuracy": 0.04}


def mistake_kind(loss: float) -> str:
    """What a loss is called; nothing if it is too small for a name."""
    return next((kind for kind, least in MISTAKE_THRESHOLDS.items() if loss >= least), "")
