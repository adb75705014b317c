"""What is mutated, and which tests look at it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
ENGINE = ("view", "schema", "dice", "mask", "counts", "scoring", "seats", "match", "game")
GAMES = ("batavia", "century", "marco_polo", "sail_to_india")


@dataclass(frozen=True)
class Target:
    """Source files and the tests that may cover them; of tests of all games, those whose names hold `game`."""

    name: str
    files: tuple[str, ...]
    tests: tuple[str, ...]
    game: str = ""

    def sources(self) -> list[str]:
        """The files, from the root of the repository."""
        return [path.relative_to(ROOT).as_posix() for file in self.files for path in sorted(ROOT.glob(file))]


def _game(name: str) -> Target:
    """A game's rules, and the tests of its folder that are about more than pictures and bots."""
    tests = (
        *(
            path.relative_to(ROOT).as_posix()
            for path in sorted((ROOT / "tests/games" / name).glob("test_*.py"))
            if path.stem not in ("test_board", "test_evaluation")
        ),
        "tests/test_golden.py",
        "tests/test_contract.py::test_interpreted_matches_keep_every_promise",
    )
    return Target(name, (f"src/comptoir/games/{name}/rules.py",), tests, name)


TARGETS = (
    *(_game(name) for name in GAMES),
    Target(
        "engine",
        (
            *(f"src/comptoir/engine/{name}.py" for name in ENGINE),
            "src/comptoir/defaults/rules.py",
            "src/comptoir/defaults/codegen.py",
        ),
        (
            "tests/engine",
            "tests/defaults",
            "tests/games/batavia/test_hidden.py",
            "tests/games/marco_polo/test_hidden.py",
            "tests/test_contract.py::test_a_view_and_a_log_hold_only_what_the_seat_knows",
            "tests/test_contract.py::test_interpreted_matches_keep_every_promise",
            "tests/test_contract.py::test_positions_survive_as_plain_data_and_can_be_played_on",
        ),
    ),
    Target(
        "domain",
        ("src/comptoir/web/domain/*.py",),
        tuple(
            f"tests/web/test_{name}.py"
            for name in (
                "clock",
                "correspondence",
                "endings",
                "hidden",
                "hidden_matches",
                "lesson",
                "lobby",
                "log",
                "notices",
                "people",
                "perspective",
                "queries",
                "rematch",
                "results",
                "rules_change",
                "steps",
                "table",
                "talk",
                "uploads",
            )
        ),
    ),
)
