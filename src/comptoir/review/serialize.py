"""The text form of a review: JSON with a version. docs/formats.md describes it."""

from __future__ import annotations

import json
from typing import Any

from comptoir.bots.plans import MAX_PLANS
from comptoir.bots.reasons import MAX_GAINS, Gain
from comptoir.errors import DataError
from comptoir.review.analysis import JudgedPlan, Shares, TurnAnalysis
from comptoir.review.builder import MAX_ACTIONS
from comptoir.review.model import Review, ReviewedAction

FORMAT, VERSION = "comptoir review", 2
MAX_BYTES = 8 * 1024**2  # bytes
MAX_TEXT_CHARS = 200  # letters of a text in it
MAX_SEATS = 16
MAX_POINTS = 10_000


def write(review: Review) -> str:
    """The text of a review, done or not."""
    head = {name: value for name, value in vars(review).items() if name in _HEAD}
    entries = [_to_dict(entry) for entry in review.entries]
    said = {"format": FORMAT, "version": VERSION, **head, "entries": entries, "result": review.result}
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"))


_HEAD = ("game", "rules", "match", "players", "level", "seed", "turns")


def _to_dict(entry: ReviewedAction) -> dict[str, object]:
    """What is not there is left out."""
    said: dict[str, object] = {"seat": entry.seat, "action": entry.action}
    if entry.known.plans:
        said |= {"plans": entry.known.plans, "length": entry.known.length}
    if entry.known.gains:
        said |= {"gains": entry.known.gains}
    return said | {
        name: shares
        for name, shares in (("chances", entry.chances), ("expected", entry.expected))
        if shares is not None
    }


def read(text: str) -> Review:
    """The review in a text. Raises a DataError that says what is wrong with it."""
    if len(text) > MAX_BYTES:
        raise DataError("the review", [f"it is larger than {MAX_BYTES} characters"])
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        raise DataError("the review", ["it is not valid JSON"]) from None
    if not isinstance(said, dict) or said.get("format") != FORMAT:
        raise DataError("the review", [f"a review is a table whose format is {FORMAT!r}"])
    if said.get("version") != VERSION:
        raise DataError(
            "the review", [f"its version is {said.get('version')!r}, ours {VERSION}: make it anew"]
        )
    try:
        return _read(said)
    except (KeyError, TypeError, ValueError) as error:
        raise DataError("the review", [f"it is not valid: {error}"]) from None


def _read(said: dict[str, Any]) -> Review:
    players = _whole(said["players"], MAX_SEATS)
    entries = tuple(_entry(one, players) for one in _listed(said["entries"], MAX_ACTIONS))
    return Review(
        game=_text(said["game"]),
        rules=_whole(said["rules"], 10**6),
        match=_text(said["match"]),
        players=players,
        level=_text(said["level"]),
        seed=_text(said["seed"]),
        turns=tuple(_whole(end, MAX_ACTIONS) for end in _listed(said["turns"], MAX_ACTIONS)),
        entries=entries,
        result=_shares(said["result"], players),
    )


def _entry(said: Any, players: int) -> ReviewedAction:
    plans = tuple(_plan(plan) for plan in _listed(said.get("plans", []), MAX_PLANS + 1))
    gains = tuple(_gain(gain) for gain in _listed(said.get("gains", []), MAX_GAINS))
    return ReviewedAction(
        seat=_whole(said["seat"], players - 1),
        action=_text(said["action"]),
        known=TurnAnalysis(plans, _whole(said.get("length", 0), MAX_ACTIONS), gains),
        chances=_shares(said.get("chances"), players),
        expected=_shares(said.get("expected"), players),
    )


def _plan(said: Any) -> JudgedPlan:
    actions, share, loss, margin = said
    return JudgedPlan(
        tuple(map(_text, _listed(actions, MAX_ACTIONS))), _share(share), _change(loss), _share(margin)
    )


def _gain(said: Any) -> Gain:
    source, points, margin = said
    return Gain(_text(source), _points(points), _points(margin))


def _shares(said: object, players: int) -> Shares | None:
    if said is None:
        return None
    shares = tuple(_share(share) for share in _listed(said, players))
    if len(shares) != players:
        raise ValueError(f"expected {players} shares, found {len(shares)}")
    return shares


def _share(said: object) -> float:
    if isinstance(said, bool) or not isinstance(said, int | float) or not 0 <= said <= 1:
        raise ValueError(f"{said!r} is no share of the win")
    return float(said)


def _change(said: object) -> float:
    if isinstance(said, bool) or not isinstance(said, int | float) or not -1 <= said <= 1:
        raise ValueError(f"{said!r} is no change of a share")
    return float(said)


def _points(said: object) -> float:
    if isinstance(said, bool) or not isinstance(said, int | float) or not abs(said) <= MAX_POINTS:
        raise ValueError(f"{said!r} is no number of points")
    return float(said)


def _whole(said: object, most: int) -> int:
    if isinstance(said, bool) or not isinstance(said, int) or not 0 <= said <= most:
        raise ValueError(f"{said!r} is no whole number up to {most}")
    return said


def _text(said: object) -> str:
    if not isinstance(said, str) or len(said) > MAX_TEXT_CHARS:
        raise ValueError(f"{str(said)[:40]!r} is no short text")
    return said


def _listed(said: object, most: int) -> list[Any]:
    if not isinstance(said, list) or len(said) > most:
        raise ValueError(f"expected a list of {most} at most")
    return said
