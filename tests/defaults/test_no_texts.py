"""A game without rules texts, and what the form says of its options: a Lots with a pace."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import comptoir
from comptoir.engine.game import get_game
from comptoir.web.http.new_table_form import TableForm
from comptoir.web.page_words import page_words
from comptoir.web.view.log import read_line
from tests import example_game
from tests.web.app_harness import AppHarness, in_app

PACE = """
[options]
pace = { en = "long or short: fewer lots", fr = "long ou short : moins de lots" }

[labels]
pace = { en = "Pace", fr = "Rythme" }
"pace.long" = { en = "Long", fr = "Longue" }
"pace.short" = { en = "Short", fr = "Courte" }
"""
CHANGES = {
    "import FirstSeatOption": "import ChoiceOption, FirstSeatOption",
    'OPTIONS = (FirstSeatOption("first"),)': 'OPTIONS = (FirstSeatOption("first"), ChoiceOption("pace", ("long", "short")))',
    "    first=seat_field(),\n": '    first=seat_field(),\n    pace=enum_of(("long", "short")),\n',
}


@pytest.fixture(scope="module", autouse=True)
def _known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("untold")
    package = folder / "untold_lots"
    shutil.copytree(
        example_game.LOTS / "comptoir_lots",
        package,
        ignore=shutil.ignore_patterns("__pycache__", "rules.*.md"),
    )
    text = (package / "rules.py").read_text(encoding="utf-8")
    for old, new in CHANGES.items():
        assert old in text
        text = text.replace(old, new)
    (package / "rules.py").write_text(text, encoding="utf-8")
    with (package / "words.toml").open("a", encoding="utf-8") as words:
        words.write(PACE)
    example_game.metadata(folder, "untold", {"untold": package.name})
    with example_game.on_path(str(folder)):
        yield


def test_the_form_says_what_an_option_is_about() -> None:
    """A word is called by its label where it begins a clause, and nowhere else."""
    game = get_game("untold")
    [pace] = [option for option in game.options if option.name == "pace"]
    form = TableForm(game, {})
    assert form.help(pace, page_words("untold", "en")) == "Long or short: fewer lots."
    batavia = get_game("batavia")
    told = TableForm(batavia, {}).help(batavia.options[0], page_words("batavia", "en"))
    assert told.startswith("Shuffled, ten face up: the shops are")
    assert ". All face up, for a first game: all face up" in told


def test_a_log_links_only_to_rules_that_a_page_has() -> None:
    match = comptoir.new("untold", seed=1)
    line = read_line(1, "Anne: bid 4. [L4]", match, page_words("untold", "en"))
    assert (line.text, line.rule) == ("Anne: bid 4.", None)
    batavia = comptoir.new("batavia", seed=1)
    assert read_line(1, "Anne bids 4. [B12]", batavia, page_words("batavia", "fr")).rule == "B12"
    assert read_line(1, "Anne bids 4. [B99]", batavia, page_words("batavia", "fr")).rule is None


def test_pages_without_rules_texts(tmp_path: Path) -> None:
    """No empty contents on the rules page; no link to a rule in the log or in an answer to "why not"."""

    async def visit(harness: AppHarness) -> None:
        anne = harness.person("Anne")
        rules = (await anne.get("/rules/untold")).text
        assert "There is no rules text yet for this game." in rules
        assert "<details" not in rules
        assert "Contents" not in rules
        assert "<details" in (await anne.get("/rules/batavia")).text
        live = await harness.make("untold", anne.sits, *["passer-by"] * 5)
        socket = await anne.socket(live.table.id)
        while "Anne, choose an action." not in socket.parts.get("sentence", ""):
            await socket.view()
        await socket.ask("play", action="pass", version=live.table.version)
        page = (await anne.get(f"/tables/{live.table.id}")).text
        assert "Anne: pass." in page
        assert 'class="rule"' not in page
        answer = await socket.ask("why", action="pass")
        assert answer.get("rule") is None

    in_app(f"sqlite:///{tmp_path / 'comptoir.sqlite'}", visit)
