"""Actions that can be played automatically: the only one there is, where everyone can know that it is."""

from __future__ import annotations

from comptoir.engine.actions import Action
from comptoir.engine.match import Match
from comptoir.engine.schema import bytes_of
from comptoir.engine.words import words_of
from comptoir.engine.worlds import preview_actions


def forced_action(match: Match) -> str | None:
    """The only action that the seat that decides may take, if everyone can know that it has no other: then it
    can be played automatically, without revealing anything.

    What gives a turn away or turns something up is left to a seat that has decided something in this turn,
    for it may want to take that back.
    """
    legal = [] if match.over else match.actions()
    if len(legal) != 1 or not _is_open(match):
        return None
    action = match.game.decode(legal[0])
    return None if _in_turn(match) and _gives_away(match, action) else action.text


def _is_open(match: Match) -> bool:
    """Whether the seat that decides knows no more than a spectator, and the game tells spectators all that
    says what may be done: some things could be counted, but are not shown.
    """
    now, game = match.records[-1], match.game
    are_public = getattr(game.story, "choices_are_public", None)
    if are_public is not None and not are_public(now):
        return False
    own = game.seen_by(now, match.box, int(now["turn"]))
    return bytes_of(own) == bytes_of(game.seen_by(now, match.box, None))


def _in_turn(match: Match) -> bool:
    """Whether the seat that decides has already decided something in this turn."""
    if not match.ply:
        return False
    return bool(match.records[-2]["turn"] == match.turn) and not match.ended_turn(match.ply)


def _gives_away(match: Match, action: Action) -> bool:
    if next(preview_actions(match, [action.text])).has_chance:
        return True
    scene = match.scene(match.turn, words_of(match.game.name, "en"))
    return bool(match.game.story.choice(scene, action).final)
