"""A review as a page that stands alone: one file, with its pictures and its style, that can be sent to
somebody.
"""

from __future__ import annotations

import base64
from html import escape

from comptoir.art.board import board_svg, standalone_svg
from comptoir.art.shapes import INK, seat_mark
from comptoir.bots.levels import current_level
from comptoir.engine.match import Match
from comptoir.engine.words import Words
from comptoir.review.curve import SIZES, curve
from comptoir.review.model import LuckSkillBreakdown, Review
from comptoir.review.texts import ReviewNarrator, TurningPointText, TurnText

STYLE = """
:root { color-scheme: light dark; --room: light-dark(#e6dcc5, #17303c);
--raised: light-dark(#f7efdd, #1f3c49);
--text: light-dark(#22303c, #f3e8d0); --line: light-dark(#22303c3d, #f3e8d038); }
body { margin: 0; background: var(--room); color: var(--text);
font: 16px/1.5 Inter, "Helvetica Neue", Arial, sans-serif; }
main { max-width: 960px; margin: 0 auto; padding: 16px; }
h1, h2 { font-family: "EB Garamond", Garamond, Georgia, serif; font-weight: 600; line-height: 1.2; }
img { display: block; width: 100%; height: auto; }
section { margin: 28px 0; }
.frame { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; background: var(--raised); border-radius: 10px; }
th, td { padding: 7px 10px; text-align: right; border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; }
.mark { width: 1em; height: 1em; vertical-align: -2px; margin-right: 6px; }
.help { font-size: 14px; margin: 4px 0 10px; }
article { background: var(--raised); border-radius: 10px; padding: 14px 18px; margin: 14px 0; }
article h3 { margin: 0 0 6px; }
article img { max-width: 640px; margin-top: 10px; }
li { margin: 10px 0; }
@media (max-width: 640px) { main { padding: 10px; }
th, td { padding: 6px 3px; font-size: 12.5px; } th { font-size: 11.5px; } }
"""
MISTAKE_KINDS = ("inaccuracy", "mistake", "blunder")


def page(match: Match, review: Review, words: Words) -> str:
    """The whole review in one file of HTML."""
    teller = ReviewNarrator(match, review, words)
    title = escape(words.say("review.title", game=words.say("game.title")))
    parts = [
        f"<h1>{title}</h1><p>{escape(' · '.join(match.score_sheet().verdict(match.names, words)))}</p>",
        f'<p class="help">{escape(judged_by(review, words))}</p>',
        _curve(review, words),
        _players(match, review, teller),
        _turns(match, teller),
        _costly_turns(teller),
    ]
    return (
        f'<!doctype html><html lang="{words.lang}"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{STYLE}</style></head><body><main>{''.join(parts)}</main></body></html>\n"
    )


def judged_by(review: Review, words: Words) -> str:
    """Whose search has judged; a level with other figures than its own has its plain name."""
    key = f"levels.{current_level(review.level)}"
    return words.say("review.judged_by", level=words.say(key) if key in words.texts else review.level)


def _section(title: str, text: str, body: str, words: Words) -> str:
    said = f'<p class="help">{escape(words.say(text))}</p>' if text else ""
    return f"<section><h2>{escape(words.say(title))}</h2>{said}{body}</section>"


def _data(svg: str) -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"


def _image(svg: str, said: str) -> str:
    return f'<img src="{_data(svg)}" alt="{escape(said, quote=True)}">'


def _curve(review: Review, words: Words) -> str:
    """As wide as the page; on a phone upright, so that it can be read."""
    drawn = {
        layout: standalone_svg(curve(review, words, layout), *size, words.say("review.chances"))
        for layout, size in SIZES.items()
    }
    image = _image(drawn["wide"], words.say("review.chances_help"))
    upright = f'<source media="(max-width: 640px)" srcset="{_data(drawn["tall"])}">'
    body = f"<picture>{upright}{image}</picture>"
    return _section("review.chances", "review.chances_help", body, words)


def _mark(seat: int) -> str:
    return f'<svg class="mark" viewBox="-10 -10 20 20" fill="{INK}">{seat_mark(seat)}</svg>'


def _table(heads: list[str], rows: list[list[str]], words: Words) -> str:
    head = "".join(f"<th>{escape(words.say(key))}</th>" for key in heads)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="frame"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _players(match: Match, review: Review, teller: ReviewNarrator) -> str:
    words, judged, accounts = teller.words, [], []
    for seat, name in enumerate(match.names):
        who = _mark(seat) + escape(name)
        accuracy = review.accuracy(seat)
        told = "–" if accuracy is None else teller.words.percent(accuracy, 1)
        judged.append([who, told, *(str(review.count(seat, kind)) for kind in MISTAKE_KINDS)])
        account: LuckSkillBreakdown = review.breakdown(seat)
        changes = (account.deal, account.luck, account.own, account.others)
        assert review.result is not None
        accounts.append([who, *map(teller.signed, changes), teller.share(review.result[seat])])
    heads = ["review.player", "review.accuracy", "review.inaccuracies", "review.mistakes", "review.blunders"]
    one = _section("review.players", "review.accuracy_help", _table(heads, judged, words), words)
    heads = ["review.player", "review.deal", "review.luck", "review.own", "review.others", "review.result"]
    return one + _section("review.account", "review.account_help", _table(heads, accounts, words), words)


def _turns(match: Match, teller: ReviewNarrator) -> str:
    words = teller.words
    body = "".join(_turn(match, turn, words) for turn in teller.turns())
    body = body or f"<p>{escape(words.say('review.no_turning_points'))}</p>"
    return _section("review.turning_points", "review.chances_help", body, words)


def _turn(match: Match, turn: TurningPointText, words: Words) -> str:
    then = match.at(turn.at)
    board = _image(board_svg(match.game, then.scene(None, words)), words.say("game.title"))
    said = " ".join(filter(None, (turn.sentence, turn.change, turn.why)))
    return f"<article><h3>{turn.number}</h3><p>{escape(said)}</p>{board}</article>"


def _costly_turns(teller: ReviewNarrator) -> str:
    words = teller.words
    rows = "".join(_costly_turn(told, teller) for told in teller.costly_turns())
    body = f"<ul>{rows}</ul>" if rows else f"<p>{escape(words.say('review.no_costly_turns'))}</p>"
    legend = f'<p class="help">{escape(teller.legend())}</p>'
    return _section("review.costly_turns", "review.costly_turns_help", legend + body, words)


def _costly_turn(told: TurnText, teller: ReviewNarrator) -> str:
    return f"<li>{_mark(told.seat)}<b>{escape(teller.head(told))}</b> {escape(told.sentence)}</li>"
