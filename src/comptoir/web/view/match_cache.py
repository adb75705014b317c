"""What is made of whole matches is kept by how long they are: a few long ones take as much as many short."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from comptoir.engine.match import Match

P = ParamSpec("P")
T = TypeVar("T")
Made = Callable[Concatenate[Match, P], T]


def match_cache(most: int) -> Callable[[Made[P, T]], Made[P, T]]:
    """Keeps what a function makes of matches, until these have more than `most` actions together; the one
    that nobody has asked for longest goes first.
    """

    def decorate(make: Made[P, T]) -> Made[P, T]:
        kept: OrderedDict[tuple[Any, ...], T] = OrderedDict()
        lock = threading.Lock()

        @wraps(make)
        def found(match: Match, /, *args: P.args, **kwargs: P.kwargs) -> T:
            key = (match, *args, *kwargs.items())
            with lock:
                if key in kept:
                    kept.move_to_end(key)
                    return kept[key]
            made = make(match, *args, **kwargs)
            with lock:
                made = kept.setdefault(key, made)
                while len(kept) > 1 and sum(1 + known[0].ply for known in kept) > most:
                    kept.popitem(last=False)
            return made

        return found

    return decorate
