"""Why an action cannot be taken now, in the viewer's language."""

from __future__ import annotations

from collections import Counter, defaultdict

from comptoir.engine.rulebook import rules_of
from comptoir.web.domain import decide
from comptoir.web.domain.refusals import Refused
from comptoir.web.live.open_table import OpenTable
from comptoir.web.page_words import page_words
from comptoir.web.view.table_view import Viewer, verbs


def actions_meant(live: OpenTable, viewer: Viewer, message: dict[str, object]) -> list[str]:
    """The actions that a question is about: those of a verb, those on a spot of the board, or one."""
    match message:
        case {"verb": str(verb)}:
            return verbs(live.table.game.name, viewer.lang).get(verb, [])
        case {"spot": str(spot)}:
            return _spots(live, viewer).get(spot, [])
        case {"action": str(action)}:
            decide.check_action(live.table, action)
            return [action]
    raise Refused("refuse.message")


def _spots(live: OpenTable, viewer: Viewer) -> dict[str, list[str]]:
    """The actions for each spot of the board, worked out once per position."""
    presenter, game = live.presenter, live.table.game

    def found() -> dict[str, list[str]]:
        scene, spots = presenter.scene(viewer.seat, viewer.lang, viewer.layout), defaultdict(list)
        for action in game.action_table:
            for spot in game.board.spots(scene, action):
                spots[spot].append(action.text)
        return spots

    return presenter.cache.made(("spots", viewer.seat, viewer.lang, viewer.layout), live.table.version, found)


def explain_question(live: OpenTable, viewer: Viewer, message: dict[str, object]) -> tuple[str | None, str]:
    """Why what was asked about is not legal; of a place that nothing is ever done at, what its game says."""
    actions = actions_meant(live, viewer, message)
    spot, told = message.get("spot"), getattr(live.table.game.board, "nothing_here", None)
    reason = (
        told(live.presenter.scene(viewer.seat, viewer.lang), spot)
        if told and isinstance(spot, str) and not actions
        else ""
    )
    return (None, f"{reason[:1].upper()}{reason[1:]}.") if reason else explain(live, viewer.lang, *actions)


def explain(live: OpenTable, lang: str, *actions: str) -> tuple[str | None, str]:
    """The rule and the reason why none of these actions is legal, worked out once per position."""
    return live.presenter.cache.made(
        ("why", lang, actions), live.table.version, lambda: _reason(live, lang, *actions)
    )


def _reason(live: OpenTable, lang: str, *actions: str) -> tuple[str | None, str]:
    """The rule that forbids the fewest of the actions says most: `the space demands silk` rather than `you
    have no blue oil`.
    """
    table, words = live.table, page_words(live.table.game.name, lang)
    assert table.match is not None
    if not actions:
        return None, words.say("dock.nothing_here")
    refusals = [table.match.why_not(action, lang) for action in actions]
    told = [refusal for refusal in refusals if refusal is not None]
    if not told:
        return None, words.say("dock.allowed")
    times = Counter(rule for rule, _ in told)
    rule, reason = min(told, key=lambda refusal: times[refusal[0]])
    linked = rule in rules_of(table.game.name, words.lang)
    return rule if linked else None, f"{reason[:1].upper()}{reason[1:]}."
