"""Draws every board at every stage, in both layouts, for a person to look at.

    python tools/boards.py [GAME …]      writes docs/screens/boards-GAME.html and .png, one sheet a game

Also the cover, a hand and the seats' facts. Chromium draws the sheet, so it looks as it does in the page.
"""

from __future__ import annotations

import subprocess
import sys
from html import escape
from pathlib import Path

from comptoir.art.board import COVER_SIZE, STYLE, size_of
from comptoir.bots.levels import make
from comptoir.engine import registry
from comptoir.engine.game import Game
from comptoir.engine.match import Match
from comptoir.engine.words import words_of

ROOT = Path(__file__).parents[1]
VENDOR = ROOT / "src/comptoir/web/static/vendor"
OUT = ROOT / "docs/screens"


def main(names: list[str]) -> None:
    OUT.mkdir(exist_ok=True)
    for name in names or registry.names():
        page = OUT / f"boards-{name}.html"
        page.write_text(sheet(name), encoding="utf-8")
        shoot(page)
        print(page.with_suffix(".png"))


def sheet(name: str) -> str:
    match = played(name)
    game, shown = match.game, []
    words = words_of(name, "fr")
    width, height = COVER_SIZE
    shown.append(f'<svg class="cover" viewBox="0 0 {width} {height}">{game.cover.cover(words)}</svg>')
    for share in (0, 0.3, 0.7, 1):
        at = match.at(round(match.ply * share))
        shown.append(stage(game, at, "fr", at.turn or 0))
    return f"<!doctype html><meta charset=utf-8><style>{fonts()}{STYLE.read_text(encoding='utf-8')}{LOOK}</style>{''.join(shown)}"


def played(name: str) -> Match:
    """A match of clerks: it looks like play, and takes seconds."""
    match = Match(name, seed="boards")
    clerk = make("clerk", match.game, match.components, "boards")
    while match.turn is not None:
        match.play(clerk.choose_index(match.seen_by(match.turn), match.ply))
    return match


def stage(game: Game, match: Match, lang: str, seat: int) -> str:
    words, shown = words_of(game.name, lang), []
    for layout in ("wide", "tall"):
        scene = match.scene(None, words, layout)
        width, height = size_of(game, scene)
        body = lit(game, match, game.board.chart(scene) + game.board.pieces(scene))
        shown.append(f'<svg viewBox="0 0 {width} {height}" width="{width}">{body}</svg>')
    own = match.scene(seat, words)
    shown += [
        f'<svg viewBox="0 0 {card.size[0]} {card.size[1]}" width="{card.size[0]}"><title>{escape(card.name)}</title>{card.body}</svg>'
        for card in game.board.hand(own)
    ]
    for other in range(match.players):
        facts = (
            f"<span{' class=lit' if fact.lit else ''}>"
            + (f'<svg viewBox="0 0 30 20" width="30">{fact.icon}</svg>' if fact.icon else escape(fact.name))
            + f" <b>{escape(fact.value)}</b></span>"
            for fact in game.board.facts(own, other)
        )
        shown.append(f"<p>{escape(match.names[other])}: {' · '.join(facts)}</p>")
    return f"<section><h2>{game.name}, {match.ply} actions, {escape(words.name(str(match.turn)))}</h2>{''.join(shown)}</section>"


def lit(game: Game, match: Match, body: str) -> str:
    """What may be chosen now, lit as the page lights it."""
    scene = match.scene(match.turn, words_of(game.name, "en"))
    for action in scene.choices:
        for name in game.board.spots(scene, action)[:1]:
            body = body.replace(f'class="spot" data-spot="{name}"', f'class="spot may" data-spot="{name}"')
    return body


def fonts() -> str:
    faces = (
        ("EB Garamond", "eb-garamond", "400"),
        ("EB Garamond", "eb-garamond", "600"),
        *(("Inter", "inter", w) for w in ("400", "600", "700")),
    )
    return "".join(
        f"@font-face{{font-family:'{family}';font-weight:{weight};src:url('{(VENDOR / f'{file}-latin-{weight}-normal.woff2').as_uri()}')}}"
        for family, file, weight in faces
    )


def shoot(page: Path) -> None:
    command = [
        "chromium",
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--hide-scrollbars",
        "--window-size=1560,4600",
    ]
    subprocess.run(
        [*command, f"--screenshot={page.with_suffix('.png')}", page.as_uri()],
        check=True,
        capture_output=True,
        timeout=120,
    )


LOOK = """
body{margin:0;padding:16px;background:#17303c;color:#f3e8d0;font:14px Inter,sans-serif}section{margin:0 0 28px}
svg{vertical-align:top;margin:4px}.cover{width:640px}.lit{background:#b98a2f55}
"""

if __name__ == "__main__":
    main(sys.argv[1:])
