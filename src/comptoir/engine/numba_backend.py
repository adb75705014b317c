"""How rules become machine code, by Numba.

By itself, Numba makes machine code of every function and of all that it calls: of a rule that ten others
call, eleven times. Here only an entry, a function that Python calls, is made into machine code, with all that
it calls in one piece, and only that is kept on disk. A part, which is called by entries and other parts, is
typed, translated and optimised once, and left at that. It must be optimised separately: inlined as it is
translated, LLVM gets `ones(...) >= 3` wrong (tests/bots/test_search.py has a search in which that shows).
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast
from weakref import WeakKeyDictionary

from comptoir.engine.words import words_of
from comptoir.errors import RuleError

if TYPE_CHECKING:
    from numba.core.caching import FunctionCache
    from numba.core.compiler import Compiler
    from numba.core.cpu import CPUContext
    from numba.core.event import Event

Params = ParamSpec("Params")
Returned = TypeVar("Returned")

logger = logging.getLogger(__name__)

# bytes of bytecode. Measured on Batavia: 10% faster than none, where 600 is 15% faster but compiles twice
# as long
MAX_INLINE_SIZE = 450
# Without the GIL, so that threads run side by side, and without Numba's memory manager: rules never allocate.
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}

_games: WeakKeyDictionary[Callable[..., object], str] = WeakKeyDictionary()  # of each entry
ANNOUNCED: set[str] = set()  # the games whose compilation was reported


def entry(
    function: FunctionType, folder: Path | None, game: str, mistakes: Callable[[], list[str]] = lambda: []
) -> Callable[..., object]:
    """A function that Python calls: compiled when it first is, and kept in the folder (None: not at all) for
    the next time. If it cannot be compiled, `mistakes` may say why, and calling it raises a RuleError.
    """
    import numba

    _listen()
    made = numba.njit(**OPTIONS, pipeline_class=_entry_compiler())(function)
    if folder is not None:
        made._cache = _kept_in(folder, function)
    _games[made] = game
    made._compile_for_args = _explained(made._compile_for_args, function.__name__, game, mistakes)
    return cast(Callable[..., object], made)


_PLACE = re.compile(r'File "([^"]+)", line (\d+)')


def _explained(
    compile_for_args: Callable[Params, Returned], name: str, game: str, mistakes: Callable[[], list[str]]
) -> Callable[Params, Returned]:
    """Numba's way to compile what Python calls, with one clear sentence above its page of errors."""

    def compile_or_explain(*args: Params.args, **kws: Params.kwargs) -> Returned:
        try:
            return compile_for_args(*args, **kws)
        except (OSError, MemoryError):  # the machine's, not the rule's
            raise
        except Exception as error:  # whatever Numba raises: for a field that is missing, a KeyError
            found = mistakes() or [f"{name} cannot be compiled{_why(error)}"]
            sentences = "\n".join(f"{game}: {sentence}" for sentence in found)
            page = f"{type(error).__name__}: {error}"
            raise RuleError(f"{sentences}\n\nNumba says:\n{page}") from None

    return compile_or_explain


def _why(error: Exception) -> str:
    """What can be read out of one of Numba's errors."""
    if isinstance(error, KeyError):
        return f": neither the position nor the box has a field {error}"
    places = _PLACE.findall(str(error))
    return f", probably for {Path(places[-1][0]).name}, line {places[-1][1]}" if places else ""


def part(function: FunctionType) -> Callable[..., object]:
    """A function that only entries and other parts call."""
    import numba

    short = (
        len(function.__code__.co_code) < MAX_INLINE_SIZE
        and function.__name__ not in function.__code__.co_names
    )
    made = numba.njit(**OPTIONS, forceinline=short, pipeline_class=_part_compiler())(function)
    return cast(Callable[..., object], made)


@cache
def _entry_compiler() -> type[Compiler]:
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import Compiler

    class EntryLibrary(JITCodeLibrary):
        """An entry and all the parts that it calls.

        It is optimised, prepared for the processor, and optimised again: measured on Batavia, a fifth faster
        than once. (By itself Numba does so too: a function is linked to its callers as the processor got it.)
        """

        def _optimize_final_module(self) -> None:
            super()._optimize_final_module()
            self._codegen._tm.emit_object(self._final_module)
            super()._optimize_final_module()

    class EntryCompiler(Compiler):
        def __init__(self, typing: object, target: CPUContext, library: object, *rest: object) -> None:
            library = EntryLibrary(target.codegen(), "entry")
            library.enable_object_caching()
            super().__init__(typing, target, library, *rest)

    return EntryCompiler


@cache
def _part_compiler() -> type[Compiler]:
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import Compiler

    class PartLibrary(JITCodeLibrary):
        """Holds a part and all that it calls, for linking, not for running."""

        def finalize(self) -> None:
            self._raise_if_finalized()
            for library in dict.fromkeys(self._linking_libraries):
                self._reload_init.update(library._reload_init)
                self._final_module.link_in(library._get_module_for_linking(), preserve=True)
            self._optimize_final_module()
            self._finalize_dynamic_globals()
            self._finalized = True

        def get_pointer_to_function(self, name: str) -> int:
            """Numba's way to say that Python cannot call it."""
            self._ensure_finalized()
            return 0

        @property
        def codegen(self) -> PartLibrary:
            return self

        def set_env(self, name: str, env: object) -> None:
            """Nothing: an environment is for calls back into Python, and rules make none."""

    class PartCompiler(Compiler):
        def __init__(
            self,
            typing: object,
            target: CPUContext,
            library: object,
            args: object,
            returned: object,
            flags: Any,
            types: object,
        ) -> None:
            flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
            library = PartLibrary(target.codegen(), "part")
            super().__init__(typing, target, library, args, returned, flags, types)

    return PartCompiler


def _kept_in(folder: Path, function: FunctionType) -> FunctionCache:
    """Numba's store of compiled functions, in our folder, whose name stands for all that is compiled.

    Numba's own choice of a place goes by the source file's path and time: an upgrade that leaves the rules as
    they are, and a second copy of the project, would compile them again.
    """
    from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

    class CacheLocator(_CacheLocator):
        def get_cache_path(self) -> str:
            return str(folder)

        def get_source_stamp(self) -> str:
            return folder.name

        def get_disambiguator(self) -> str:
            return ""

        @classmethod
        def from_function(cls, py_func: object, py_file: str) -> CacheLocator:
            return cls()

    class Contents(CompileResultCacheImpl):
        _locator_classes: list[type[object]] = [CacheLocator]  # noqa: RUF012  as Numba has it

    class Kept(FunctionCache):
        _impl_class = Contents

    return Kept(function)


@cache
def _listen() -> None:
    """From now on, report the first compilation on this machine, once per game."""
    from numba.core import event

    class CompileListener(event.Listener):
        def on_start(self, event: Event) -> None:
            game = _games.get(event.data["dispatcher"])
            if game is not None and game not in ANNOUNCED:
                ANNOUNCED.add(game)
                words = words_of(game, "en")
                logger.warning(words.say("compiling.told", title=words.say("game.title")))

        def on_end(self, event: Event) -> None:
            """That is plain to see."""

    event.register("numba:compile", CompileListener())
