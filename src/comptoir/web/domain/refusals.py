"""Refusals: why something cannot be done now, as a text that a page can show."""

from __future__ import annotations

from comptoir.errors import ComptoirError


class Refused(ComptoirError):
    """The command is not possible at this table now. `key` is a text in words.toml."""

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(key)
        self.key, self.values = key, values

    @classmethod
    def from_process(cls, key: str, values: dict[str, object]) -> Refused:
        """The same refusal, raised by another process."""
        return cls(key, **values)


class Forbidden(Refused):
    """Only another person may do this."""
