"""How fast bots act at a table, as the people there choose."""

from __future__ import annotations

# multiples of the usual pause: when slow before each action, else before each turn
SPEEDS = {"slow": 2.0, "brisk": 1.7, "at once": 0.0}
DEFAULT_SPEED = "brisk"
