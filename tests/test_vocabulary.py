"""One name for one thing: no class and no module is called like another one elsewhere in the package, unless both
play the same role. `docs/vocabulary.md` lists the names that people and other packages use.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.scripts import script

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src/comptoir"
GAMES = ["batavia", "century", "marco_polo", "sail_to_india"]

# Names that may occur several times, and why. Whatever has one of these names must lie in one of its places.
MODULE_FAMILIES: dict[str, tuple[tuple[str, ...], str]] = {
    **dict.fromkeys(
        [
            "board",
            "choices",
            "cover",
            "drawings",
            "evaluation",
            "lab",
            "layout",
            "naming",
            "observation",
            "recap",
            "rules",
            "story",
            "terminal",
            "why",
        ],
        (
            ("games/*", "defaults", "engine", "art", "cli", "."),
            "a file of a game's folder, the one of `defaults` that stands in for it, and what the engine, the"
            " drawings or a command have for all of them",
        ),
    ),
    **dict.fromkeys(
        ["arena", "backup", "bots", "components", "review", "simulate"],
        (
            ("cli", ".", "engine", "web/ops"),
            "a command, and the package or module that does its work",
        ),
    ),
    "sessions": (
        ("web/live", "web/storage/migrations/versions"),
        "migrations are called after what they brought",
    ),
    "view": (("engine", "web"), "what a seat may know; and the package that renders pages from it"),
}
CLASS_FAMILIES = {"BoardLayout": "where things lie on the board of each game"}


def test_no_module_is_called_like_another() -> None:
    found = repeated(modules())
    strangers = {
        name: places
        for name, places in found.items()
        if name not in MODULE_FAMILIES
        or not all(belongs(place, MODULE_FAMILIES[name][0]) for place in places)
    }
    assert not strangers, "two things of one name: call one of them otherwise, or say here what they share"


def test_no_class_is_called_like_another() -> None:
    strangers = {name: places for name, places in repeated(classes()).items() if name not in CLASS_FAMILIES}
    assert not strangers, "two things of one name: call one of them otherwise, or say here what they share"


def test_no_family_is_left_of_names_that_are_gone() -> None:
    assert set(MODULE_FAMILIES) <= set(repeated(modules()))
    assert set(CLASS_FAMILIES) <= set(repeated(classes()))


def test_the_games_have_the_same_files() -> None:
    """But for those that only one of them needs."""
    own = {"chart", "network"}  # Sail to India's coast is a drawing of its own
    files = [{path.stem for path in (SOURCE / "games" / game).glob("*.py")} - own for game in GAMES]
    assert all(one == files[0] for one in files)


def belongs(place: str, homes: tuple[str, ...]) -> bool:
    return any(Path(place).match(home) if home != "." else place == "." for home in homes)


def repeated(found: Iterator[tuple[str, str]]) -> dict[str, list[str]]:
    """Names that occur in more than one place."""
    places = defaultdict(list)
    for name, place in found:
        places[name].append(place)
    return {name: here for name, here in places.items() if len(here) > 1}


def modules() -> Iterator[tuple[str, str]]:
    """Modules and packages, each with the folder that it is in."""
    for path in sorted(SOURCE.rglob("*.py")):
        thing = path.parent if path.name == "__init__.py" else path.with_suffix("")
        if thing != SOURCE:
            yield thing.name, thing.parent.relative_to(SOURCE).as_posix()


def classes() -> Iterator[tuple[str, str]]:
    """Classes, private ones too: people search for them in the same way."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                yield node.name.lstrip("_"), path.relative_to(SOURCE).as_posix()


# The page


def test_the_page_lists_the_names_of_today() -> None:
    page: Callable[[], str] = script("tools/vocabulary.py").page
    text = (ROOT / "docs/vocabulary.md").read_text(encoding="utf-8")
    assert text == page(), "run: python tools/vocabulary.py"
