"""Why an action is not allowed: the rule that forbids it, and the reason in both languages."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pytest

import comptoir
from comptoir.engine.words import LANGUAGES, words_of
from comptoir.errors import IllegalAction, MatchOver, UnknownAction
from comptoir.games.batavia import rules, why
from tests.games.batavia.positions import BATAVIA, BOX, PositionBuilder, random_match

if TYPE_CHECKING:
    from comptoir.games.batavia.records import Position

REASONS = tomllib.loads((BATAVIA.folder / "words.toml").read_text(encoding="utf-8"))["why"]
RULES = set(re.findall(r"\*\*(B\d+)\*\*", (BATAVIA.folder / "rules.en.md").read_text(encoding="utf-8")))


def table() -> PositionBuilder:
    return PositionBuilder(BATAVIA.interpreted, first=0)


def move() -> PositionBuilder:
    """Seat 0 is to move, with the Danish seal, a Danish card in hand, and a Danish shop ahead."""
    return table().clear_cards().shops(denmark_silk=4).laid(0, denmark=1).give(0, denmark=1).moves(0)


def laying() -> PositionBuilder:
    return move().give(0, denmark=1).play("lay denmark")


def trading() -> PositionBuilder:
    return laying().play("advance denmark")


def no_seal_yet() -> PositionBuilder:
    """Seat 0 has laid one of the two Danish cards that it needs."""
    return (
        table()
        .clear_cards()
        .shops(denmark_silk=4)
        .laid(1, denmark=1)
        .give(0, denmark=2)
        .moves(0)
        .play("lay denmark")
    )


def no_shop() -> PositionBuilder:
    """Seat 0 has the Danish seal, and has laid a card; only England has a shop."""
    return laying().shops(england_tea=5)


def arrived(t: PositionBuilder) -> PositionBuilder:
    """Another seat has taken the arrival tile."""
    t.p.arrival = 3
    return t


def penniless() -> PositionBuilder:
    """Seat 1 is to bid, and has no bills."""
    t = table()
    t.p.bills[0] += t.p.bills[1]
    t.p.bills[1] = 0
    return t


Case = tuple[str, str, Callable[[], PositionBuilder], str, dict[str, Any]]
CASES: list[Case] = [
    ("auction_first", "B11", table, "draw", {}),
    ("auction_first", "B11", table, "lay sweden", {}),
    ("auction_first", "B11", table, "arrive", {}),
    ("auction_first", "B11", table, "keep", {}),
    ("no_auction", "B20", move, "pass", {}),
    ("no_auction", "B20", laying, "bid 1", {}),
    ("no_auction", "B20", trading, "bid 75", {}),
    ("bid_higher", "B12", lambda: table().play("bid 5"), "bid 5", {"n": 5}),
    ("bid_higher", "B12", lambda: table().play("bid 15"), "bid 1", {"n": 15}),
    ("bid_bills", "B12", table, "bid 16", {"n": 15}),
    ("bid_bills", "B12", lambda: table().play("bid 15"), "bid 16", {"n": 15}),
    ("no_bills", "B12", penniless, "bid 1", {}),
    ("trade_first", "B28", trading, "draw", {}),
    ("trade_first", "B28", trading, "lay denmark", {}),
    ("no_new_tile", "B28", move, "trade in", {}),
    ("no_new_tile", "B28", laying, "keep", {}),
    ("cards_laid", "B20", laying, "draw", {}),
    ("empty_hand", "B21", lambda: move().clear_cards(), "lay denmark", {}),
    ("no_such_card", "B21", move, "lay england", {"company": "england"}),
    ("no_such_card", "B21", laying, "lay england", {"company": "england"}),
    ("no_majority", "B22", lambda: move().laid(1, denmark=2), "lay denmark", {}),
    ("no_way_to_a_shop", "B42", lambda: arrived(move()).shops(), "lay denmark", {}),
    ("no_majority", "B22", lambda: arrived(move()).laid(1, denmark=2), "lay denmark", {}),
    ("no_majority", "B22", lambda: move().laid(1, denmark=2), "lay england", {}),
    ("no_majority", "B22", lambda: move().laid(1, denmark=2), "advance denmark", {}),
    ("empty_hand", "B21", lambda: table().clear_cards().laid(0, denmark=1).moves(0), "arrive", {}),
    (
        "empty_hand",
        "B21",
        lambda: arrived(table().clear_cards().laid(0, denmark=1).moves(0)),
        "lay sweden",
        {},
    ),
    ("lay_first", "B21", move, "advance denmark", {}),
    ("lay_first", "B21", move, "arrive", {}),
    ("shop_ahead", "B40", laying, "arrive", {"company": "denmark"}),
    (
        "shop_ahead",
        "B40",
        lambda: laying().laid(0, england=1).shops(sweden_tea=9, denmark_tea=9),
        "arrive",
        {"company": "denmark"},
    ),
    ("arrival_taken", "B42", lambda: arrived(no_shop()), "arrive", {}),
    ("majority_first", "B22", no_seal_yet, "advance denmark", {}),
    ("majority_first", "B22", no_seal_yet, "arrive", {}),
    ("no_seal", "B25", no_shop, "advance england", {"company": "england"}),
    ("no_shop", "B25", no_shop, "advance denmark", {"company": "denmark"}),
]


@pytest.mark.parametrize(
    ("key", "rule", "position", "action", "values"), CASES, ids=[f"{case[0]}: {case[3]}" for case in CASES]
)
def test_each_reason(
    key: str, rule: str, position: Callable[[], PositionBuilder], action: str, values: dict[str, Any]
) -> None:
    """B12, B13, B20, B21, B22, B25, B28, B40, B42: the rule that forbids the action is named, with the values
    of the reason.
    """
    assert BATAVIA.why_not(position().p, BOX, BATAVIA.action_index(action)) == (rule, f"why.{key}", values)


def test_every_reason_is_shown_here() -> None:
    assert {case[0] for case in CASES} == set(REASONS)


@pytest.mark.parametrize("position", [table, move, laying, trading, no_seal_yet, no_shop])
def test_what_is_legal_has_no_reason_against_it(position: Callable[[], PositionBuilder]) -> None:
    t = position()
    for action in t.legal():
        assert BATAVIA.why_not(t.p, BOX, BATAVIA.action_index(action)) is None


def test_nobody_is_told_to_draw_who_may_not() -> None:
    """B21: who has laid the last card of the hand goes on; the reason against laying more must not say to
    draw.
    """
    t = move().play("lay denmark")
    assert t.legal() == ["advance denmark"]
    refusal = BATAVIA.why_not(t.p, BOX, BATAVIA.action_index("lay denmark"))
    assert refusal is not None
    assert "draw" not in words_of("batavia", "en").say(refusal[1], **refusal[2])


def test_a_match_gives_the_reason_in_both_languages() -> None:
    """B12: in words, with the number."""
    match = comptoir.new("batavia", seed=1)
    match.play("bid 5")
    assert match.why_not("bid 4") == ("B12", "a bid must be higher than 5")
    assert match.why_not("bid 4", lang="fr") == ("B12", "une mise doit dépasser 5")
    assert match.why_not("bid 6") is None


def test_an_illegal_action_is_refused_and_nothing_has_changed() -> None:
    """B12: the error names the rule."""
    match = comptoir.new("batavia", seed=1)
    before = match.position()
    with pytest.raises(IllegalAction, match="'bid 16' is not allowed: you have only 15 bills") as refusal:
        match.play("bid 16")
    assert refusal.value.rule == "B12"
    assert (match.position(), match.ply) == (before, 0)


def test_an_unknown_action_is_refused() -> None:
    """B12: no bid of 0, nor one above all bills there are."""
    match = comptoir.new("batavia", seed=1)
    for action in ("bid 0", "bid 76", "lay scotland", ""):
        with pytest.raises(UnknownAction):
            match.play(action)


@pytest.mark.parametrize("players", [3, 4, 5])
def test_every_illegal_action_gets_an_answer_that_can_be_said(players: int) -> None:
    """B12, B13, B20, B21, B22, B25, B28, B40, B42: all through random matches, in both languages, with a rule
    that exists.
    """
    match, dice = comptoir.new("batavia", players=players, seed=players), random.Random(players)
    said = {lang: words_of("batavia", lang) for lang in LANGUAGES}
    while not match.over:
        legal = match.actions()
        if match.ply % 5 == 0:
            for action in set(rules.ACTIONS.texts) - set(legal):
                for lang in said:
                    answer = match.why_not(action, lang)
                    assert answer is not None
                    assert answer[0] in RULES
                    assert answer[1]
                    assert "{" not in answer[1]
        match.play(dice.choice(legal))
    with pytest.raises(MatchOver):
        match.why_not("draw")
    with pytest.raises(MatchOver):
        match.play("draw")


def in_reach(p: Position, company: int) -> bool:
    """B22: more cards laid and in hand than any other seat has laid."""
    others = [int(p.laid[seat, company]) for seat in range(p.players) if seat != p.turn]
    return int(p.laid[p.turn, company]) + int(p.hand[p.turn, company]) > max(others)


def ahead(p: Position, company: int) -> bool:
    """B25: whether a shop of the company lies ahead of the seat that decides."""
    return any(p.merchants[p.turn] < place <= rules.SPACES for place in p.tiles[company])


def sealed(p: Position) -> list[int]:
    return [company for company in range(5) if p.seals[company] == p.turn]


CLAIMS: dict[
    str, Callable[[Position, list[str], int, Mapping[str, Any]], bool]
] = {  # what each reason says, by the position, what is legal, the action, and the reason's values
    "auction_first": lambda p, legal, action, _: (
        p.phase == rules.AUCTION and "pass" in legal and action <= rules.KEEP
    ),
    "no_auction": lambda p, legal, action, _: p.phase != rules.AUCTION and "pass" not in legal,
    "bid_higher": lambda p, legal, action, said: action - rules.BID <= p.bid == said["n"],
    "bid_bills": lambda p, legal, action, said: action - rules.BID > p.bills[p.turn] == said["n"] > 0,
    "no_bills": lambda p, legal, action, _: p.bills[p.turn] == 0,
    "trade_first": lambda p, legal, action, _: legal == ["trade in", "keep"],
    "no_new_tile": lambda p, legal, action, _: p.fresh < 0,
    "cards_laid": lambda p, legal, action, _: p.phase == rules.LAYING,
    "empty_hand": lambda p, legal, action, _: legal == ["draw"] and not p.hand[p.turn].any(),
    "no_such_card": lambda p, legal, action, said: (
        p.hand[p.turn, rules.COMPANIES.index(said["company"])] == 0
    ),
    "no_majority": lambda p, legal, action, _: (
        legal == ["draw"]
        and bool(p.hand[p.turn].any())
        and not sealed(p)
        and not any(in_reach(p, company) for company in range(5))
    ),
    "no_way_to_a_shop": lambda p, legal, action, _: (
        legal == ["draw"]
        and p.arrival >= 0
        and any(in_reach(p, company) for company in range(5))
        and not any(in_reach(p, company) and ahead(p, company) for company in range(5))
    ),
    "lay_first": lambda p, legal, action, _: (
        p.phase == rules.MOVE and any(other.startswith("lay") for other in legal)
    ),
    "shop_ahead": lambda p, legal, action, said: (
        f"advance {said['company']}" in legal and rules.COMPANIES.index(said["company"]) in sealed(p)
    ),
    "arrival_taken": lambda p, legal, action, _: (
        p.arrival >= 0 and not any(ahead(p, company) for company in sealed(p))
    ),
    "majority_first": lambda p, legal, action, _: (
        not sealed(p) and any(other.startswith("lay") for other in legal)
    ),
    "no_seal": lambda p, legal, action, said: rules.COMPANIES.index(said["company"]) not in sealed(p),
    "no_shop": lambda p, legal, action, said: not ahead(p, rules.COMPANIES.index(said["company"])),
}


def test_every_reason_makes_a_claim() -> None:
    assert set(CLAIMS) == set(REASONS)


@pytest.mark.parametrize("players", [3, 4, 5])
def test_what_a_refusal_claims_is_true(players: int) -> None:
    """B11, B12, B20, B21, B22, B25, B28, B40, B42: in positions of play, of many matches; late ones above
    all, when the tile is taken.
    """
    ruleset, shown = BATAVIA.compiled, set()
    for seed in range(12):
        for number, t in enumerate(random_match(ruleset, f"claims {seed}", players=players)):
            if t.p.turn < 0 or not (t.p.arrival >= 0 or number % 7 == seed % 7):
                continue
            legal, known = t.legal(), t.seen_by(int(t.p.turn))
            for action in set(range(len(rules.ACTIONS))) - {BATAVIA.action_index(text) for text in legal}:
                _, key, values = why.why_not(known, BOX, action)
                assert CLAIMS[key.removeprefix("why.")](t.p, legal, action, values), (
                    key,
                    rules.ACTIONS.texts[action],
                )
                shown.add(key.removeprefix("why."))
    assert set(CLAIMS) - shown <= {"no_majority"}, "the matches show all but what is rare"


def test_reasons_come_from_what_the_seat_knows() -> None:
    """B17: an opponent's hidden hand and the pile change no answer."""
    one, other = (move().give(1, **{company: 1}) for company in ("england", "sweden"))
    for action in range(len(rules.ACTIONS)):
        assert BATAVIA.why_not(one.p, BOX, action) == BATAVIA.why_not(other.p, BOX, action)
