"""The leak check: with everything that a seat cannot know dealt again, it receives and sees the very same.

`shown` collects what a seat gets: its view, choices and reasons, the log, the score sheet, the terminal's
table, the board in both layouts, and the row of its observation. It is made once from the true match and once
from one in which the hidden part was dealt again (`redealt_match`); any difference has told something.
"""

from __future__ import annotations

import io
from itertools import pairwise

from rich.console import Console

from comptoir.art.board import LAYOUTS
from comptoir.engine.game import Game, get_game
from comptoir.engine.match import Match
from comptoir.engine.plain import OptionValue
from comptoir.engine.words import LANGUAGES, words_of
from comptoir.engine.worlds import redealt_match
from comptoir.testing.faults import BrokenPromise
from comptoir.testing.matches import moments, random_match

MOMENTS = 5  # of a match


def shown(match: Match, seat: int | None, lang: str = "en", since: int = 0) -> dict[str, object]:
    """All that a seat (None: a spectator) receives and sees of a match as it stands, and of what happened
    after `since` actions; each part by its name.
    """
    found = {
        "view": match.view(seat),
        "log": match.story.log(seat, lang, since=since),
        "recaps": match.story.recaps(seat, lang, since=since),
        "opening": match.story.opening(seat, lang),
        "score sheet": match.score_sheet_for(seat),
        "terminal": _printed(match, seat, lang),
    }
    if seat is not None:
        observed = match.game.observe(match.records[-1], match.box, seat)
        found["observation"] = observed.tobytes()
    if seat is not None and seat == match.turn:
        found |= _choices(match, seat, lang)
    for layout in LAYOUTS:
        found |= {f"{part} ({layout})": drawn for part, drawn in _drawn(match, seat, lang, layout).items()}
    return found


def _choices(match: Match, seat: int, lang: str) -> dict[str, object]:
    """What the seat that decides sees of its choices, and why it has no others."""
    story, scene = match.game.story, match.scene(seat, words_of(match.game.name, lang))
    return {
        "prompt": story.prompt(scene),
        "offers": [(story.choice(scene, action), story.effect(scene, action)) for action in scene.choices],
        "reasons": [match.why_not(action, lang) for action in match.game.actions],
    }


def _drawn(match: Match, seat: int | None, lang: str, layout: str) -> dict[str, object]:
    board, scene = match.game.board, match.scene(seat, words_of(match.game.name, lang), layout)
    return {
        "board's chart": board.chart(scene),
        "board's pieces": board.pieces(scene),
        "hand": board.hand(scene),
        "facts": [board.facts(scene, other) for other in range(match.players)],
        "spots": [board.spots(scene, action) for action in scene.choices],
    }


def _printed(match: Match, seat: int | None, lang: str) -> str:
    screen = io.StringIO()
    scene = match.scene(seat, words_of(match.game.name, lang))
    Console(width=80, file=screen).print(match.game.terminal.draw(scene))
    return screen.getvalue()


def check_leaks(
    game: Game | str,
    options: dict[str, OptionValue] | None = None,
    *,
    seed: int = 1,
    number: int = MOMENTS,
    most: int = 10**9,
) -> None:
    """Check about so many moments of a random match, as every seat and as a spectator.

    Raises a BrokenPromise: of `leaks`, or of `hides_something` if a game without PERFECT_INFORMATION hides
    nothing.
    """
    g = get_game(game) if isinstance(game, str) else game
    if g.all_open:
        return
    match, differs = random_match(g, options or {}, seed, most=most), False
    for viewer in [None, *range(match.players)]:
        other = redealt_match(match, viewer, f"leaks {seed}")
        differs |= any(a.tobytes() != b.tobytes() for a, b in zip(match.records, other.records, strict=True))
        plies = [then.ply for then in moments(match, number)]
        for nth, (since, ply) in enumerate(pairwise([0, *plies])):
            if match.at(ply).over:
                continue
            lang = LANGUAGES[nth % len(LANGUAGES)]
            truth, world = (shown(one.at(ply), viewer, lang, since) for one in (match, other))
            parts = [part for part in truth if truth[part] != world[part]]
            if parts:
                raise BrokenPromise(
                    g.name,
                    "leaks",
                    options=options,
                    seed=seed,
                    decision=ply,
                    viewer=-1 if viewer is None else viewer,
                    position=match.records[ply],
                    world=other.records[ply],
                    more=f"{', '.join(parts)}: {_difference(truth[parts[0]], world[parts[0]])}",
                )
    if not differs:
        raise BrokenPromise(g.name, "hides_something", options=options, seed=seed)


def _difference(one: object, other: object, around: int = 40) -> str:
    """Where two texts (or what else was shown) begin to differ."""
    texts = [part if isinstance(part, str) else repr(part) for part in (one, other)]
    at = next((n for n, (a, b) in enumerate(zip(*texts, strict=False)) if a != b), min(map(len, texts)))
    cut = [text[max(0, at - around) : at + around] for text in texts]
    return f"{cut[0]!r} or {cut[1]!r}"
