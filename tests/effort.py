"""How hard the tests look where they sample: matches, positions, decisions.

`make test` looks at a few of each, `make test-all` at four times as many.
"""

from __future__ import annotations

import os

EFFORT = int(os.environ.get("COMPTOIR_TEST_EFFORT", "1"))


def times(few: int) -> int:
    """A sample's size in this run, from its size in `make test`."""
    return few * EFFORT
