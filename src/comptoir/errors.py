"""The errors for bad input: each has a text that says what was wrong and what to do."""

from __future__ import annotations

from collections.abc import Sequence


class ComptoirError(Exception):
    """The parent of all errors that Comptoir raises on purpose."""


class UnknownGame(ComptoirError, ValueError):
    """There is no game of that name, or it cannot be used; `reason` then says why."""

    def __init__(self, name: str, known: Sequence[str], reason: str = "", hint: str = "") -> None:
        self.name, self.known, self.reason, self._hint = name, tuple(known), reason, hint
        wrong = (
            f"the game {name!r} cannot be used: {reason}" if reason else f"there is no game {name!r}{hint}"
        )
        stop = "" if wrong.endswith(("?", ".")) else "."
        super().__init__(f"{wrong}{stop} Games: {', '.join(known)}.")

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.name, self.known, self.reason, self._hint)


class OptionError(ComptoirError, ValueError):
    """A game was asked for with an option it does not have, or a value the option does not take."""


class MissingExtra(ComptoirError, ImportError):
    """Something was asked for that needs a part of Comptoir which is not installed; the text says how to
    install it.
    """


class DataError(ComptoirError, ValueError):
    """Plain data does not fit: a position or a component file. `errors` lists all that is wrong."""

    def __init__(self, what: str, errors: Sequence[str]) -> None:
        self.what, self.errors = what, tuple(errors)
        lines = "".join(f"\n  {error}" for error in self.errors)
        super().__init__(f"{what} cannot be used:{lines}")


class RuleError(ComptoirError, RuntimeError):
    """A rule cannot be compiled. The text says which and why, above what Numba says of it."""


class UnknownAction(ComptoirError, ValueError):
    """The text is no action of the game, in any position."""


class IllegalAction(ComptoirError, ValueError):
    """The action is not allowed now. `rule` is the rule that forbids it; empty if none is known."""

    def __init__(self, action: str, rule: str, reason: str) -> None:
        self.action, self.rule, self.reason = action, rule, reason
        super().__init__(f"{action!r} is not allowed: {reason}{f' ({rule})' if rule else ''}")


class MatchOver(ComptoirError, ValueError):
    """The match is over: there is nothing left to decide."""


class CannotUndo(ComptoirError, ValueError):
    """The last action cannot be taken back; the text says why."""


class MatchFileError(ComptoirError, ValueError):
    """A match file is damaged or holds an illegal action.

    `line` counts from 1; 0 if there is no file to read.
    """

    def __init__(self, line: int, text: str, reason: str) -> None:
        self.line, self.text, self.reason = line, text, reason
        super().__init__(
            ": ".join([*([f"line {line}"] if line else []), *([repr(text)] if text else []), reason])
        )
