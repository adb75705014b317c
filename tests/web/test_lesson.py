"""The guided first games: each fits today's rules, points at what is there, waits for who strays, and can be
left and continued.
"""

from __future__ import annotations

import asyncio
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from comptoir.engine import registry
from comptoir.engine.words import LANGUAGES, words_of
from comptoir.errors import ComptoirError
from comptoir.web.domain import decide
from comptoir.web.domain.evolve import evolve
from comptoir.web.domain.lesson import LEARNER, LEVEL, Lesson, LessonPage, lesson_of, read_lesson
from comptoir.web.domain.refusals import Forbidden, Refused
from comptoir.web.domain.state import Event, Table, TableSettings
from comptoir.web.view.guide import Guide, guide
from comptoir.web.view.presenter import TablePresenter
from comptoir.web.view.table_view import Viewer, view_table
from tests.manual_time import AT
from tests.web.app_harness import NOW, AppHarness, Client, in_app, table_of

LONGEST = 230  # letters of a page: what a phone shows without scrolling, or nearly


@pytest.fixture
def lite(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'comptoir.sqlite'}"


def lesson_in(game: str) -> Lesson:
    found = lesson_of(game)
    assert found is not None
    return found


def pages_of(lesson: Lesson) -> list[tuple[int, LessonPage]]:
    """Every page, with the ply at which it is read."""
    read = [(ply, page) for ply, step in lesson.steps.items() for page in step.pages]
    return [*read, *((lesson.match.ply, page) for page in lesson.closing)]


def lesson_table(game: str, **settings: Any) -> Table:
    lesson = lesson_in(game)
    kept = TableSettings(game, {}, "").for_lesson(lesson)
    given: dict[str, Any] = {"options": kept.options, "seed": kept.seed, "lesson": True}
    people: list[str | tuple[str, str]] = [("me", "Anne"), *[LEVEL] * (lesson.match.players - 1)]
    return table_of(game, people, **given | settings)


def play(table: Table, action: str) -> Table:
    assert table.turn is not None
    person = table.seats[table.turn].person
    return evolve(table, Event(table.version + 1, "play", table.turn, person, action, AT))


def follow(table: Table, until: int) -> Table:
    """Plays what is written, up to that many actions."""
    assert table.match is not None
    while table.match.ply < until:
        assert table.scripted_action is not None
        table = play(table, table.scripted_action)
    return table


def other_action(table: Table) -> str:
    """Something else that can be done, after which a person is still to be waited for."""
    assert table.match is not None
    return next(action for action in table.match.actions() if action != table.scripted_action)


def guide_of(table: Table, seat: int | None = LEARNER, lang: str = "en") -> Guide | None:
    presenter = TablePresenter(table)
    return guide(view_table(presenter, Viewer("me" if seat == LEARNER else None, seat, lang)), table)


# The lessons themselves


@pytest.mark.parametrize("game", registry.built_in())
def test_a_lesson_is_a_match_of_today_from_its_first_position(game: str) -> None:
    lesson = read_lesson(registry.folder(game))
    assert lesson.match.start_position is None
    assert lesson.match.components.digest == lesson.match.game.components.digest
    assert 12 <= len(lesson.steps) <= 25
    assert [step.number for step in lesson.steps.values()] == list(range(1, len(lesson.steps) + 1))
    assert all(lesson.actions[ply] == step.action for ply, step in lesson.steps.items())


@pytest.mark.parametrize("game", registry.built_in())
def test_every_page_is_in_both_languages_and_short(game: str) -> None:
    lesson = lesson_in(game)
    names = ("Anne", "Bruno", "Chloé", "David")[: lesson.match.players]
    for _, page in pages_of(lesson):
        texts = [text for text in (page.ask, page.why) if text]
        assert all(set(text) == set(LANGUAGES) and all(text.values()) for text in texts), page
        for lang in LANGUAGES:
            assert sum(len(text[lang].format(*names)) for text in texts) <= LONGEST, page
    assert all(step.pages[-1].ask for step in lesson.steps.values())


@pytest.mark.parametrize("game", registry.built_in())
@pytest.mark.parametrize("layout", ["wide", "tall"])
def test_what_a_page_points_at_is_there(game: str, layout: str) -> None:
    lesson = lesson_in(game)
    board, words = lesson.match.game.board, words_of(game, "en")
    for ply, page in pages_of(lesson):
        scene = lesson.match.scene_at(ply, LEARNER, words, layout)
        there = set(re.findall(r'data-spot="([^"]+)"', board.pieces(scene)))
        there |= {card.spot for card in board.hand(scene)}
        assert set(page.spots) <= there, page


def broken(game: str, folder: Path, file: str, old: str, new: str) -> Path:
    """A copy of a game's lesson in which something is wrong."""
    for name in ("lesson.match", "lesson.toml"):
        shutil.copy(registry.folder(game) / name, folder)
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("lesson.toml", 'action = "bid 3"', 'action = "bid 4"'),  # another action
        ("lesson.toml", 'action = "bid 3"', ""),
        ("lesson.toml", "[[step]]", "[[stop]]"),  # a step too few
        ("lesson.toml", "[[step]]", "[[step"),
        ("lesson.match", "rules      1", "rules      99"),  # of other rules
        ("lesson.match", "0 bid 3", "0 bid 2"),  # not allowed
        # ends at another seat
        ("lesson.match", "0 trade in\n1 lay sweden\n1 advance sweden\n", "0 trade in\n1 draw\n0 pass\n"),
    ],
)
def test_a_lesson_that_does_not_fit_is_not_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, old: str, new: str
) -> None:
    folder = broken("batavia", tmp_path, file, old, new)
    with pytest.raises((ComptoirError, KeyError, ValueError)):
        read_lesson(folder)
    monkeypatch.setattr(registry, "folder", lambda game: folder)
    assert lesson_of.__wrapped__("batavia") is None
    (folder / "lesson.toml").unlink()
    assert lesson_of.__wrapped__("batavia") is None


# At a table


@pytest.mark.parametrize("game", registry.built_in())
def test_what_is_written_leads_through_the_lesson(game: str) -> None:
    lesson, table = lesson_in(game), lesson_table(game)
    asked = []
    while table.scripted_action is not None:
        said = guide_of(table)
        assert said is not None
        if table.turn == LEARNER:
            assert (said.kind, said.action) == ("step", table.scripted_action)
            asked += [said.title] if table.plies_followed in lesson.steps else []
        else:
            assert (said.kind, table.bot) == ("others", LEVEL)
        table = play(table, table.scripted_action)
    assert asked == [f"Step {n} of {len(lesson.steps)}" for n in range(1, len(lesson.steps) + 1)]
    said = guide_of(table, lang="fr")
    assert said is not None
    assert (said.kind, said.title) == ("over", "La leçon est finie")
    table = play(table, other_action(table))
    assert guide_of(table) is None
    assert not table.off_script


def test_a_forced_action_is_asked_for_without_a_step() -> None:
    said = guide_of(follow(lesson_table("marco_polo"), 1))
    assert said is not None
    assert said.action == "lay violet driver"
    assert said.pages[0].why == "There is only one option now: Lay a violet driver."


def test_the_others_are_called_by_their_names() -> None:
    said = guide_of(follow(lesson_table("batavia"), 2))
    assert said is not None
    assert "Fernão has bid 2, Margriet has passed." in said.pages[2].why


@pytest.mark.parametrize("game", registry.built_in())
def test_who_strays_is_waited_for_and_comes_back(game: str) -> None:
    """At each step: whatever was turned up, and whoever is to decide then."""
    lesson, table = lesson_in(game), lesson_table(game)
    for ply, step in lesson.steps.items():
        table = follow(table, ply)
        table = play(table, other_action(table))
        assert table.off_script
        assert (table.scripted_action, table.bot, table.due) == (None, None, None)
        said = guide_of(table)
        assert said is not None
        assert said.kind == "astray"
        table = evolve(table, decide.return_to_lesson(table, NOW, "me"))
        assert table.match is not None
        assert (table.match.ply, table.scripted_action, table.off_script) == (ply, step.action, False)
    assert table.match is not None
    table = evolve(table, decide.return_to_lesson(table, NOW, "me", start=True))
    assert table.match is not None
    assert table.match.ply == 0
    table = follow(table, len(lesson.actions))
    assert table.match is not None
    assert table.match.position() == lesson.match.position()


def test_one_goes_back_only_in_a_lesson_of_ones_own() -> None:
    table = follow(lesson_table("century"), 2)
    with pytest.raises(Refused, match=r"refuse\.lesson"):
        decide.return_to_lesson(table, NOW, "me")  # nothing to go back to
    table = play(table, other_action(table))
    with pytest.raises(Forbidden):
        decide.return_to_lesson(table, NOW, "somebody")
    ordinary = table_of("century", [("me", "Anne"), LEVEL])
    with pytest.raises(Refused, match=r"refuse\.lesson"):
        decide.return_to_lesson(ordinary, NOW, "me", start=True)


def test_only_the_learner_is_guided() -> None:
    assert guide_of(follow(lesson_table("century"), 2), seat=None) is None


def test_a_lesson_that_has_become_another_match_goes_on_as_an_ordinary_table() -> None:
    table = lesson_table("century", seed="another")
    assert (table.lesson, table.scripted_action, table.bot) == (None, None, LEVEL)
    assert guide_of(table) is None
    other = lesson_table("batavia")
    other = play(other, "bid 5")  # another seat's, and not what is written there now
    assert (other.lesson, other.off_script, other.bot) == (None, False, LEVEL)


def test_tables_of_older_servers_are_no_lessons() -> None:
    assert not TableSettings.read('{"game": "century", "options": {"players": "2"}, "seed": "1"}').lesson
    assert "lesson" not in TableSettings("century", {}, "1").text()


# In the app


async def until_mine(made: AppHarness, id: str) -> Table:
    """The table once the learner is to decide."""
    while True:
        table: Table = (await made.tables.find(id)).table
        if table.turn == LEARNER:
            return table
        await asyncio.sleep(0)


async def learn(caller: Client, game: str) -> str:
    """Opens a lesson as the button does; the id of its table."""
    answer = await caller.post("/learn", game=game)
    assert answer.status_code == 303
    return str(answer.headers["location"]).removeprefix("/tables/")


def test_a_lesson_is_left_and_gone_on_with(lite: str) -> None:
    kept: dict[str, Any] = {}

    async def begin(made: AppHarness) -> None:
        anne = made.person("Anne")
        id = await learn(anne, "batavia")
        await until_mine(made, id)
        socket = await anne.socket(id)
        await socket.ask("play", action="bid 3")
        await until_mine(made, id)
        kept.update(id=id, cookies=anne.cookies, person=anne.id)
        assert await learn(anne, "batavia") == id  # not a second one
        assert await learn(anne, "century") != id
        home = (await anne.get("/")).text
        assert "Lesson: Batavia" in home
        assert "Lesson: Batavia" in (await anne.get("/me")).text

    async def go_on(made: AppHarness) -> None:
        anne = made.person("Anne")
        anne.id, anne.cookies = kept["person"], kept["cookies"]
        anne.token = made.server.tokens.form_token(anne.id)
        id = await learn(anne, "batavia")
        assert id == kept["id"]
        page = (await anne.get(f"/tables/{id}")).text
        assert 'data-action="lay england"' in page
        assert "Step 2 of 16" in page
        socket = await anne.socket(id)
        await socket.ask("play", action="lay france")
        assert "Back to the lesson" in socket.parts["guide"]
        refused = await socket.ask("play", action="bid 3")
        assert refused["type"] == "refused"
        await socket.ask("retrace")
        assert 'data-action="lay england"' in socket.parts["guide"]
        await socket.ask("restart")
        table = await until_mine(made, id)  # the others have bid again
        assert table.scripted_action == "bid 3"

    in_app(lite, begin)
    in_app(lite, go_on)


def test_a_finished_lesson_is_begun_anew_and_its_table_plays_on(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        id = await learn(anne, "century")
        socket = await anne.socket(id)
        while (table := await until_mine(made, id)).scripted_action:
            await socket.until(table.version)
            await socket.ask("play", action=table.scripted_action)
        await socket.until(table.version)
        assert "The lesson is over" in socket.parts["guide"]
        assert 'data-do="hint"' in socket.parts["choices"]
        await socket.ask("play", action="harvest")
        assert socket.parts["guide"].strip() == '<div id="guide" class="guide" hidden></div>'
        await until_mine(made, id)  # a bot has decided by itself
        assert await learn(anne, "century") != id

    in_app(lite, work)


def test_only_games_with_a_lesson_offer_one(lite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(made: AppHarness) -> None:
        anne = made.person("Anne")
        for path in ("/", "/new/batavia", "/rules/batavia"):
            assert "/learn" in (await anne.get(path)).text
        assert (await anne.post("/learn", game="nosuch")).status_code == 422
        monkeypatch.setattr("comptoir.web.http.table_pages.lesson_of", lambda game: None)
        assert (await anne.post("/learn", game="batavia")).status_code == 422

    in_app(lite, work)
