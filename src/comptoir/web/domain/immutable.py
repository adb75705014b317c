"""Immutable values, which are frozen dataclasses: copies with other fields, and what is derived from
them, which cannot be stale.

Every event of a table needs several of both. So these are faster forms of what the standard library has; type
checkers see the standard library's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["derived", "replace"]

if TYPE_CHECKING:
    from dataclasses import replace
    from functools import cached_property as derived
else:

    class _Derived:
        """`functools.cached_property`, without the lock that it has in Python 3.11."""

        def __init__(self, derive):
            self._derive, self.__doc__ = derive, derive.__doc__

        def __set_name__(self, owner, name):
            self._name = name

        def __get__(self, value, owner=None):
            if value is None:
                return self
            made = value.__dict__[self._name] = self._derive(value)
            return made

    derived = _Derived

    def replace(value, /, **changes):
        """`dataclasses.replace` in a quarter of the time. What was derived is left behind."""
        fields, made = value.__dataclass_fields__, object.__new__(type(value))
        if not changes.keys() <= fields.keys():
            raise TypeError(f"no fields of {type(value).__name__}: {changes.keys() - fields.keys()}")
        known = value.__dict__
        made.__dict__.update({name: known[name] for name in fields}, **changes)
        return made
