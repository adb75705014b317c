"""One source, run two ways from here: interpreted, or compiled by Numba.

(A CUDA kernel that calls the compiled one is the third.)

Rules are plain functions. A mode is a set of twins of them: the same code objects, in namespaces of their own
where the rules they call are twins too, and where the functions of `engine.interface` are the game's. So both
modes live side by side in a process, a debugger and coverage see the interpreted one, and rules never import
Numba.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType
from typing import ParamSpec, TypeAlias, TypeVar, cast

from comptoir.engine import cache, mistakes, numba_backend, playout, scoring

INTERFACE = ("setup", "legal", "play", "tally", "hide", "imagine")
LOOPS = {
    loop.__name__: loop
    for loop in (
        scoring.scores,
        scoring.score_sheet,
        playout.random_action,
        playout.playout,
        playout.playouts,
        playout.perft,
    )
}
# Held while twins are made: no thread gets one before the rules that it calls are twins too.
MAKING = threading.RLock()

Params = ParamSpec("Params")
Returned = TypeVar("Returned")
Rule: TypeAlias = Callable[..., object]  # a rule, or a twin of one


class Mode:
    """A game's rules and the engine's loops over them, all run by the plain interpreter.

    `part` finds a module of the game's folder by its name. Some rules may stand in for others (`instead`).
    """

    def __init__(
        self, game: str, part: Callable[[str], object], instead: Mapping[Rule, Rule] | None = None
    ) -> None:
        self._game, self._part, self._instead = game, part, instead or {}
        self._entries: dict[FunctionType, Rule] = {}
        self._parts: dict[FunctionType, Rule] = {}
        self._namespaces: dict[str, dict[str, object]] = {}

    def __getattr__(self, name: str) -> Rule:
        """A rule or a loop, by its name."""
        if name in INTERFACE:
            made = self.bind(getattr(self._part("rules"), name))
        elif name in LOOPS:
            made = self.bind(LOOPS[name])
        else:
            raise AttributeError(
                f"a mode has the rules {', '.join(INTERFACE)} and the loops {', '.join(LOOPS)}, not {name!r}"
            )
        setattr(self, name, made)
        return made

    def bind(self, function: Callable[Params, Returned]) -> Callable[Params, Returned]:
        """The twin of any rule or loop, in this mode and for this game, to be called from Python."""
        with MAKING:
            own = self._own(function)
            if own not in self._entries:
                self._entries[own] = self._entry(own)
            return cast("Callable[Params, Returned]", self._entries[own])

    def fingerprint(self, *functions: Rule) -> str:
        """A hash of all that decides what these functions do, compiled."""
        return cache.fingerprint(self.reachable(*functions))

    def reachable(self, *functions: Rule) -> set[FunctionType]:
        """These functions as the game has them, all that they call, and so on."""
        reached: set[FunctionType] = set()
        left = [self._own(function) for function in functions]
        while left:
            function = left.pop()
            if function not in reached:
                reached.add(function)
                left += [called for _, called in self._calls(function)]
        return reached

    def _own(self, function: Rule) -> FunctionType:
        """The game's rule for a function of the interface, and the one that stands in for another."""
        if hasattr(function, "module_of"):
            function = getattr(self._part(function.module_of), function.__name__)
        return cast(FunctionType, self._instead.get(function, function))

    def _calls(self, function: FunctionType) -> Iterator[tuple[str, FunctionType]]:
        """The rules that a rule calls, by the names that it has for them."""
        for name in function.__code__.co_names:
            called: Rule | None = function.__globals__.get(name)
            if called is not None and getattr(called, "is_rule", False):
                yield name, self._own(called)

    def _twin(self, function: FunctionType) -> FunctionType:
        """A copy that lives among twins."""
        module = sys.modules[function.__module__]
        namespace = self._namespaces.setdefault(module.__name__, dict(vars(module)))
        twin = FunctionType(function.__code__, namespace, function.__name__, function.__defaults__)
        twin.__module__, twin.__qualname__ = module.__name__, function.__qualname__
        twin.__doc__ = function.__doc__
        return twin

    def _called(self, function: FunctionType) -> Rule:
        """The twin of a rule, to be called from others."""
        if function not in self._parts:
            twin = self._twin(function)
            self._parts[function] = self._made_part(twin)
            self._bind_calls(function)
        return self._parts[function]

    def _bind_calls(self, function: FunctionType) -> None:
        namespace = self._namespaces[function.__module__]
        for name, called in self._calls(function):
            namespace[name] = self._called(called)

    def _entry(self, function: FunctionType) -> Rule:
        return self._called(function)

    def _made_part(self, twin: FunctionType) -> Rule:
        return twin


class Compiled(Mode):
    """The same, compiled when first called and kept on disk for the next time."""

    def _entry(self, function: FunctionType) -> Rule:
        twin = self._twin(function)
        self._bind_calls(function)
        folder = cache.folder(self._game, function.__name__, self.fingerprint(function))

        def found() -> list[str]:
            return mistakes.in_rules({rule.__code__.co_filename for rule in self.reachable(function)})

        return numba_backend.entry(twin, folder, self._game, found)

    def _made_part(self, twin: FunctionType) -> Rule:
        return numba_backend.part(twin)
