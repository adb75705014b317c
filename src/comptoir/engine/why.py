"""Why an action is not allowed: what a game's `why_not` returns."""

from __future__ import annotations

from typing import Any, TypeAlias

# the rule that forbids it, the key of the reason's text in words.toml, and its values
Why: TypeAlias = tuple[str, str, dict[str, Any]]
