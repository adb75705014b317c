"""The passer-by: any legal action, at random."""

from __future__ import annotations

import random
from typing import Any


class PasserBy:
    """Chooses at random among what the view says is legal."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance

    def choose(self, view: dict[str, Any]) -> str:
        action: str = self.chance.choice(view["actions"])
        return action
