"""evaluation.toml: what may stand in it, what is left out, and what is said of a mistake."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from comptoir.bots.search import SETTINGS
from comptoir.bots.searcher import Searcher
from comptoir.engine.evaluation import SEARCH, evaluation_of, load_evaluation
from comptoir.engine.game import Game, get_game
from comptoir.engine.game_check import check_game
from comptoir.errors import DataError
from tests import example_game

DEFAULTS = {"rollout_depth": 1_000_000, "c_puct": 1.0, "prior_visits": 1.0, "prior_temperature": 0.1}


@pytest.mark.parametrize(
    ("text", "search"),
    [
        ("", DEFAULTS),
        ("[search]\npatience = 12\n", {**DEFAULTS, "rollout_depth": 12}),
        ("[weights]\nspread = 2\n", DEFAULTS),
    ],
)
def test_what_is_left_out_has_defaults(text: str, search: dict[str, float], tmp_path: Path) -> None:
    """And they are those of a game without the file."""
    file = tmp_path / "evaluation.toml"
    file.write_text(text, encoding="utf-8")
    assert load_evaluation(file).search == search
    with example_game.known():
        assert get_game("lots").evaluation.search == DEFAULTS


def test_a_search_takes_all_of_them() -> None:
    """In the order of its record, whatever the order in the file."""
    assert SETTINGS.names == tuple(SEARCH)
    game = get_game("marco_polo")
    evaluation = evaluation_of({"search": {"prior_temperature": 0.5, "rollout_depth": 7.0}})
    bot = Searcher(game, game.components, "1", 10, evaluation=evaluation)
    assert bot.settings.item() == (7, 1.0, 1.0, 0.5)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[search]\nc_punt = 1.0", "search.c_punt: no such setting, did you mean 'c_puct'?"),
        (
            "[search]\nzeal = 1.0",
            "search.zeal: no such setting; expected rollout_depth, c_puct, prior_visits, prior_temperature",
        ),
        ("[serach]\nc_puct = 1.0", "serach: no such table, did you mean 'search'?"),
        ("rollout_depth = 3", "rollout_depth: no such table; expected [weights], [search] and [provenance]"),
        ("search = 3", "search: expected a table [search]"),
        (
            "[search]\npatience = 1.5",
            "search.rollout_depth: expected a whole number from 0 to 1,000,000; found 1.5",
        ),
        (
            "[search]\npatience = -1",
            "search.rollout_depth: expected a whole number from 0 to 1,000,000; found -1",
        ),
        ("[search]\nc_puct = true", "search.c_puct: expected a number from 0 to 1,000,000,000; found True"),
        ("[search]\ntrust = 0", "search.prior_visits: expected a number above 0; found 0"),
        ("[search]\nsharpness = nan", "search.prior_temperature: expected a number above 0; found nan"),
        ('[weights]\npace = "4"', "weights.pace: expected a number or a list of numbers; found '4'"),
        ("[weights]\nroad = [[1, 2], [3]]", "weights.road: expected a number or a list of numbers"),
        ("[weights]\nroad = []", "weights.road: expected a number or a list of numbers; found []"),
        ("[weights]\nround = 1", "weights.round: NumPy's records have an attribute of that name"),
        ("[values", "not valid TOML"),
    ],
)
def test_a_mistake_is_a_sentence(text: str, said: str, tmp_path: Path) -> None:
    """With the file's name, and with a suggestion where there is one."""
    file = tmp_path / "evaluation.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as error:
        load_evaluation(file)
    assert str(error.value).startswith(f"{file} cannot be used:\n  {said}")


def bare(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> Game:
    """Sail to India with another evaluation.toml."""
    game = example_game.without("sail_to_india", ["none"], folder, monkeypatch)
    (game.folder / "evaluation.toml").write_text(text, encoding="utf-8")
    return game


def test_a_figure_that_the_rules_read_and_the_file_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Is named as it should be called, or with the line that reads it."""
    text = (get_game("sail_to_india").folder / "evaluation.toml").read_text(encoding="utf-8")
    changed = text.replace("\nlonging =", "\nlonginng =").replace("\nhorizon =", "\n# ")
    game = bare(tmp_path, monkeypatch, changed)
    with pytest.raises(DataError) as error:
        _ = game.evaluation
    source = (game.folder / "evaluation.py").read_text(encoding="utf-8").splitlines()
    line = next(n for n, written in enumerate(source, 1) if "weights.horizon" in written)
    assert error.value.errors == (
        f"weights.horizon: missing, and evaluation.py, line {line}, reads it",
        "weights.longinng: no rule reads it, did you mean 'longing'?",
    )


def test_it_is_read_when_a_game_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not first when a bot thinks."""
    game = bare(tmp_path, monkeypatch, "[search]\nc_punt = 1.0")
    with pytest.raises(DataError, match=r"search\.c_punt: no such setting, did you mean 'c_puct'\?"):
        check_game(game)


def test_figures_are_rows_in_the_order_of_their_names() -> None:
    weights = evaluation_of({"weights": {"b": [1, 2.5], "a": 3, "c": [[1, 2], [3, 4]]}}).weights
    assert weights.dtype.names == ("a", "b", "c")
    assert weights["a"] == 3.0
    assert weights["b"].tolist() == [1.0, 2.5]
    assert weights["c"].shape == (2, 2)


def test_the_page_says_what_the_settings_are() -> None:
    """docs/game-interface.md: each with its default; and its example is a file that can be read."""
    page = (Path(__file__).parents[2] / "docs/game-interface.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| [^|]+ \| ([\d.]+) \|", page, re.MULTILINE))
    assert {name: float(default) for name, default in rows.items()} == DEFAULTS
    [example] = re.findall(r"^```toml\n(\[weights\].*?)^```$", page, re.DOTALL | re.MULTILINE)
    read = evaluation_of(tomllib.loads(example))
    assert read.weights.dtype.names == ("pace", "set")
    assert read.search == {**DEFAULTS, "rollout_depth": 12}
