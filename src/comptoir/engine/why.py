"""Why an action is not allowed: what a game's `why_not` returns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

# the rule that forbids it, the key of the reason's text in words.toml, and its values
Why: TypeAlias = tuple[str, str, Mapping[str, object]]
