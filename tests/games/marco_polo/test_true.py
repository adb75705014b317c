"""What people are told about a position is so: reasons against an action, and what is awaited, all through
random matches.

The claims are checked against plain data, and cards against demands in a way of its own: nothing here asks
the rules.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

import comptoir
from comptoir.engine.match import Match
from comptoir.engine.words import words_of
from comptoir.games.marco_polo import rules
from tests.games.marco_polo.positions import GANZHOU, MARCO_POLO

Plain = Mapping[str, Any]
TABLES = [(2, "plain"), (2, "strategic"), (3, "plain"), (5, "plain")]
EVERY = 3  # of that many positions of a match one is looked at
GOODS = ("oil", "spice", "silk", "fruit")
COLOURS = ("blue", "yellow", "red", "green", "violet")


def positions(players: int, two_players: str) -> Iterator[Match]:
    """Positions of matches played at random, and by players who would rather have a card: all cards end up in
    hands.
    """
    for seed in range(6):
        match = comptoir.new("marco_polo", players=players, seed=seed, two_players=two_players)
        chance = random.Random(f"{players} {two_players} {seed}")
        while not match.over:
            if match.ply % EVERY == 0:
                yield match
            actions = match.actions()
            cards = [action for action in actions if action.startswith(("take", "draw"))]
            match.play(chance.choice(cards if cards and seed % 2 and chance.random() < 0.9 else actions))


# What is so, from plain data


def ahead(p: Plain, camel: int) -> int:
    """The next space without a camel, or Ganzhou."""
    space: int = p["camels"][p["turn"]][camel] + 1
    while space != GANZHOU and any(space in camels for camels in p["camels"]):
        space += 1
    return space


def reached(p: Plain, space: int) -> bool:
    return any(space in spaces for seat, spaces in enumerate(p["reached"]) if seat != p["turn"])


def demand_of(space: int) -> str:
    return str(rules.DEMANDS[MARCO_POLO.components.box["track_demands"][space]])


def payable(p: Plain, space: int, card: str = "") -> bool:
    """Whether the hand, with what is laid, gives what a space demands; with a certain card of it among
    them.
    """
    hand, laid = Counter[str](p["hand"][p["turn"]]), Counter[str](p["paid"])
    if card:
        hand.subtract([card])
        laid.update([card])
    demand = demand_of(space)
    if demand.startswith("one of each"):
        part, wanted = (1, GOODS) if demand.endswith("good") else (0, COLOURS)
        groups = Counter(one.split()[part] for one in laid.elements())
        return all(groups[one] <= (one in wanted) for one in groups) and all(
            groups[one] or _some(hand, one) for one in wanted
        )
    size = int(demand[0])
    sets = COLOURS if "colour" in demand else ("driver",) if "driver" in demand else GOODS
    return any(
        all(one in kind.split() for kind in laid.elements()) and _some(hand + laid, one) >= size
        for one in sets
    )


def _some(cards: Counter[str], part: str) -> int:
    return sum(n for card, n in cards.items() if part in card.split())


def right(p: Plain, values: Plain, camel: int) -> bool:
    """The space is the next one of the camel, and demands just that."""
    return bool(values["n"] == ahead(p, camel) and values["demand"] == demand_of(values["n"]))


def then_possible(match: Match, verb: str) -> bool:
    """Whether a camel may be chosen after which something of the kind is legal."""
    for camel in ("first camel", "second camel"):
        if camel in match.actions():
            twin = match.at(match.ply)
            twin.play(camel)
            if any(action.split()[0] == verb for action in twin.actions()):
                return True
    return False


def nowhere(p: Plain, space: int) -> bool:
    """A space cannot be lightened to."""
    return bool(p["lightened"] or p["gold"][p["turn"]] == 0 or not reached(p, space))


Claim = Callable[[Match, Plain, Plain, str], bool]
CLAIMS: dict[str, Claim] = {
    "no_such_card": lambda m, p, v, a: (
        right(p, v, p["moving"]) and not p["hand"][p["turn"]].get(v["card"]) and payable(p, v["n"])
    ),
    "cannot_pay": lambda m, p, v, a: (
        right(p, v, max(0, p["moving"])) and not payable(p, v["n"]) and _both_or_moving(p)
    ),
    "cannot_pay_either": lambda m, p, v, a: (
        p["moving"] < 0
        and right(p, v, 0)
        and right(p, {"n": v["m"], "demand": v["other"]}, 1)
        and not payable(p, v["n"])
        and not payable(p, v["m"])
    ),
    "does_not_fit": lambda m, p, v, a: (
        right(p, v, p["moving"])
        and p["hand"][p["turn"]][v["card"]] > 0
        and payable(p, v["n"])
        and not payable(p, v["n"], v["card"])
    ),
    "does_not_go_with": lambda m, p, v, a: (
        right(p, v, p["moving"])
        and bool(p["paid"])
        and p["hand"][p["turn"]][v["card"]] > 0
        and payable(p, v["n"])
        and not payable(p, v["n"], v["card"])
    ),
    "finish_step": lambda m, p, v, a: bool(p["paid"]) and right(p, v, p["moving"]),
    "must_step": lambda m, p, v, a: (
        p["phase"] == "step"
        and not p["paid"]
        and not any(x.startswith(("take", "draw")) for x in m.actions())
    ),
    "choose_first": lambda m, p, v, a: p["moving"] < 0 and then_possible(m, a.split()[0]),
    "stop_ganzhou": lambda m, p, v, a: (
        not p["scored"]
        and GANZHOU in p["camels"][p["turn"]]
        and all(x.startswith(("take", "draw")) for x in m.actions())
    ),
    "stop_straggler": lambda m, p, v, a: (
        p["scored"]
        and any(
            p["stopped"][camel] and space == GANZHOU for camel, space in enumerate(p["camels"][p["turn"]])
        )
    ),
    "not_in_row": lambda m, p, v, a: a == f"take {v['card']}" and not p["row"].get(v["card"]),
    "no_pile": lambda m, p, v, a: (
        p["pile_size"] == 0 and not p["discards"] and any(x.startswith("take") for x in m.actions())
    ),
    "no_card": lambda m, p, v, a: (
        p["pile_size"] == 0 and not p["discards"] and not p["row"] and "pass" in m.actions()
    ),
    "card_first": lambda m, p, v, a: any(x.startswith(("take", "draw")) for x in m.actions()),
    "lightened": lambda m, p, v, a: p["lightened"],
    "no_gold": lambda m, p, v, a: p["gold"][p["turn"]] == 0,
    "not_reached": lambda m, p, v, a: (
        v["n"] == ahead(p, max(0, p["moving"])) and not reached(p, v["n"]) and _both_or_moving(p)
    ),
    "neither_reached": lambda m, p, v, a: (
        (v["n"], v["m"]) == (ahead(p, 0), ahead(p, 1))
        and p["moving"] < 0
        and not reached(p, v["n"])
        and not reached(p, v["m"])
    ),
    "one_camel": lambda m, p, v, a: p["players"] > 2,
    "this_camel": lambda m, p, v, a: a == ("first camel", "second camel")[p["moving"]],
    "other_camel": lambda m, p, v, a: (
        p["two_players"] == "plain" and a == ("first camel", "second camel")[1 - p["moving"]]
    ),
    "camel_stuck": lambda m, p, v, a: (
        right(p, v, a == "second camel") and not payable(p, v["n"]) and nowhere(p, v["n"])
    ),
}


def some_actions(number: int) -> list[str]:
    """Some cards to lay and to take, and all other actions."""
    return [
        action
        for n, action in enumerate(rules.ACTIONS.texts)
        if rules.LIGHTEN <= n < rules.TAKE or n >= rules.DRAW or (n + number) % 6 == 0
    ]


def _both_or_moving(p: Plain) -> bool:
    """A reason that speaks of one space is about the camel that moves, or about two that have the same space
    before them.
    """
    return bool(p["moving"] >= 0 or ahead(p, 0) == ahead(p, 1))


@pytest.mark.slow
@pytest.mark.no_cover
def test_what_a_refusal_claims_is_so() -> None:
    """M10, M11, M13, M15, M17, M20, M23, M40: every reason, in every position in which it is given; and all
    of them are given.
    """
    given = set()
    for table in TABLES:
        for match in positions(*table):
            p, legal = match.view(match.turn)["position"], set(match.actions())
            for action in {*some_actions(match.ply)} - legal:
                answer = MARCO_POLO.why_not(match.records[-1], match.box, MARCO_POLO.action_index(action))
                assert answer is not None
                key = answer[1].removeprefix("why.")
                assert CLAIMS[key](match, p, answer[2], action), (answer, action, match.text())
                given.add(key)
    assert given == set(CLAIMS)


PROMISES = {  # words of a prompt, and the actions that they promise
    "lay ": ("lay",),
    "pay 1 gold ": ("lighten",),
    "choose a": ("first camel", "second camel"),
    "choose the other": ("first camel", "second camel"),
    "with a card": ("take", "draw"),
    "pass": ("pass",),
}


@pytest.mark.slow
@pytest.mark.parametrize(("players", "two_players"), TABLES)
def test_a_prompt_names_what_may_be_done_and_nothing_else(players: int, two_players: str) -> None:
    """M10, M15, M17, M40: of laying, lightening, choosing, a card and passing."""
    words = words_of("marco_polo", "en")
    for match in positions(players, two_players):
        said = MARCO_POLO.story.prompt(match.scene(match.turn, words))
        promised = {verb for part, verbs in PROMISES.items() if part in said for verb in verbs}
        verbs = {MARCO_POLO.decode(action).kind for action in match.actions()}
        assert verbs <= promised, (said, verbs)
        assert all(any(verb in verbs for verb in some) for part, some in PROMISES.items() if part in said), (
            said,
            verbs,
        )
