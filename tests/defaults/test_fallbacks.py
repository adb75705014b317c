"""A game of ours that has lost a file is still played: the default is used."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from rich.console import Console

import comptoir
from comptoir.art.board import LAYOUTS, board_svg
from comptoir.bots.clerk import Clerk
from comptoir.engine import registry
from comptoir.engine.game import Game
from comptoir.engine.interface import observe
from comptoir.engine.match import Match
from comptoir.engine.rule import Position
from comptoir.engine.rulebook import rules_of
from comptoir.engine.scene import Scene
from comptoir.engine.words import LANGUAGES, words_of
from comptoir.web.http.rules_page import rules_page
from comptoir.web.view.pictures import cover_svg, picture_svg, pictures_of
from comptoir.web.view.table_view import Viewer
from tests.example_game import OPTIONAL, without
from tests.web.app_harness import AppHarness, in_app
from tests.web.test_page_parts import Elements, a_table, begun, made, play

DECISIONS = 24
MOMENTS = 2


def played(g: Game, decisions: int = DECISIONS) -> Match:
    match, chance = comptoir.new(g.name, seed=5, players=3), random.Random(5)
    while not match.over and match.ply < decisions:
        match.play(chance.choice(match.actions()))
    return match


def moments(match: Match) -> Iterator[Match]:
    for ply in range(0, match.ply + 1, 1 + match.ply // MOMENTS):
        yield match.at(ply)


def on_screen(g: Game, scene: Scene) -> str:
    screen = io.StringIO()
    Console(width=80, file=screen).print(g.terminal.draw(scene))
    return screen.getvalue()


def observed(g: Game, p: Position, viewer: int) -> bytes:
    out = np.full(g.observation.size, 77, np.uint8)
    g.interpreted.bind(observe)(p, g.components.box, viewer, out)
    assert (out <= g.observation.high).all()
    return out.tobytes()


def shown(g: Game, match: Match, seat: int | None) -> list[str]:
    """All that a seat is told and shown of a match as it stands."""
    told = [
        *match.story.log(seat),
        *match.story.opening(seat),
        *(str(recap) for recap in match.story.recaps(seat)),
    ]
    for lang in LANGUAGES:
        scene = match.scene(seat, words_of(g.name, lang))
        told += [on_screen(g, scene), *(g.story.effect(scene, action) for action in scene.choices)]
        told += [str(g.story.choice(scene, action)) for action in scene.choices]
        told += [g.story.prompt(scene)] if match.turn is not None and seat == match.turn else []
        for layout in LAYOUTS:
            picture = board_svg(g, match.scene(seat, words_of(g.name, lang), layout))
            ElementTree.fromstring(picture)
            told.append(picture)
        told += [str(g.board.facts(scene, other)) for other in range(match.players)]
        told.append(str(g.board.hand(scene)))
        told += [str(g.board.spots(scene, action)) for action in g.action_table]
    return told


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.parametrize("file", OPTIONAL)
@pytest.mark.parametrize("name", registry.built_in())
def test_a_file_less(name: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the terminal, on the page, for programs and with a bot."""
    g = without(name, [file], tmp_path, monkeypatch)
    match = played(g)
    for then in moments(match):
        assert then.turn is not None
        for seat in (None, then.turn):
            told = "".join(shown(g, then, seat))
            assert all(name in told for name in match.names)
        observed(g, then.records[-1], then.turn)
        refused = next(action for action in g.actions if action not in then.actions())
        assert then.why_not(refused) is not None
    for lang in LANGUAGES:
        ElementTree.fromstring(cover_svg(g.name, lang))
        assert rules_page(g.name, lang).article
        for picture in pictures_of(g.name):
            assert picture_svg(g.name, picture.name, lang)
        table = play(begun(a_table(g.name, "me", "clerk", "clerk")), 0)
        for part in made(table, Viewer("me", 0, lang)).values():
            assert Elements(part).depth == 0
    assert match.turn is not None
    view = g.seen_by(match.records[-1], match.box, match.turn)
    assert Clerk(g, g.components, "1").choose_index(view, match.ply) in g.legal(view, match.box)


@pytest.mark.parametrize("name", registry.built_in())
def test_all_that_is_not_mandatory_less(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pages: home, rules, about, a new table, a cover; and a table made of the form."""
    g = without(name, OPTIONAL, tmp_path, monkeypatch)
    assert rules_of(g.name, "en") == {}
    assert all(shown(g, then, None) for then in moments(played(g)))

    async def visit(harness: AppHarness) -> None:
        anne = harness.person("Anne")
        for path in (
            "/",
            "/rules",
            f"/rules/{g.name}",
            "/about",
            f"/new/{g.name}",
            f"/covers/{g.name}.en.svg",
        ):
            answer = await anne.get(path)
            assert answer.status_code == 200
        assert "no rules text yet" in (await anne.get(f"/rules/{g.name}")).text
        begun = await anne.post("/play", game=g.name, level="passer-by")
        assert (await anne.get(begun.headers["location"])).status_code == 200

    in_app(f"sqlite:///{tmp_path / 'comptoir.sqlite'}", visit)


@pytest.mark.parametrize("name", [name for name in registry.built_in() if name in ("batavia", "marco_polo")])
def test_what_is_hidden_stays_hidden(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """B17, M18: with the hidden part dealt again, a seat is told and shown the same."""
    g = without(name, OPTIONAL, tmp_path, monkeypatch)
    others = 0
    for then in moments(played(g)):
        for seat in (None, 0, 1):
            world = redealt(g, then, seat)
            others += world.records[-1].tobytes() != then.records[-1].tobytes()
            assert shown(g, world, seat) == shown(g, then, seat)
            if seat is not None:
                assert observed(g, world.records[-1], seat) == observed(g, then.records[-1], seat)
    assert others > MOMENTS


def redealt(g: Game, match: Match, seat: int | None) -> Match:
    """The same match to a seat, with all that it cannot know dealt again at every time."""
    other = match.at(match.ply)
    for ply, p in enumerate(other.records):
        if p.turn >= 0:
            world = g.seen_by(p, match.box, seat)
            g.ruleset.imagine(world, match.box, -1 if seat is None else seat, np.array([ply], np.uint64))
            other.replace_record(ply, world)
    return other


def test_the_same_check_finds_a_leak(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the true position in place of what a seat may know, two worlds are told apart."""
    g = without("batavia", OPTIONAL, tmp_path, monkeypatch)
    monkeypatch.setattr(Game, "seen_by", lambda self, p, box, viewer: self.copy(p))
    then = played(g)
    world = then.at(then.ply)
    world.replace_record(-1, g.copy(then.records[-1]))
    world.records[-1]["hand"][1, :2] = then.records[-1]["hand"][1, 1::-1] + np.uint8(1)
    assert shown(g, world, 1) != shown(g, then, 1)
