"""The story: what the log tells, a turn in one sentence, its big moments, what is awaited, and what a choice
would do.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest

import comptoir
from comptoir.engine.match import Match
from comptoir.engine.recap import Highlight
from comptoir.engine.words import LANGUAGES, Words, words_of
from comptoir.games.batavia import naming, rules, why
from tests.games.batavia.positions import BATAVIA, DENMARK, SWEDEN, PositionBuilder

if TYPE_CHECKING:
    from comptoir.games.batavia.records import Box, Position


def table(**options: Any) -> PositionBuilder:
    return PositionBuilder(BATAVIA.interpreted, first=0, **options)


def match_of(t: PositionBuilder) -> Match:
    return comptoir.new("batavia", position=BATAVIA.to_dict(t.p), seed=1)


def played(t: PositionBuilder, *actions: str) -> Match:
    match = match_of(t)
    for action in actions:
        match.play(action)
    return match


def sentence(t: PositionBuilder, *actions: str, seat: int | None = None, lang: str = "en") -> str:
    """A turn in one sentence, from its beginning."""
    recaps = played(t, *actions).story.recaps(seat, lang)
    assert len(recaps) == 1
    return recaps[0].sentence


def moments(t: PositionBuilder, *actions: str, lang: str = "en") -> list[Highlight]:
    return [moment for recap in played(t, *actions).story.recaps(None, lang) for moment in recap.highlights]


def at_random(players: int, seed: int) -> Match:
    """A random match in which bids are low, so that there is something to tell."""
    match, chance = comptoir.new("batavia", players=players, seed=seed), random.Random(seed)
    while not match.over:
        actions = match.actions()
        match.play(chance.choice(actions if len(actions) < 12 else actions[:4]))
    return match


def records_of(match: Match) -> list[Position]:
    return cast("list[Position]", list(match.records))


# The log


def test_how_the_match_began_is_told() -> None:
    """B3, B8, B10, B11: the open shops, the auctioneer, round 1's lot, and who bids first."""
    match = comptoir.new("batavia", seed=7, first=2)
    lot = naming.cards(match.position()["lot"].values(), words_of("batavia", "en"))
    assert match.story.opening() == [
        "Shops 1 to 10 lie face up. [B3]",
        "Chloé is the first auctioneer. [B8]",
        f"Round 1. Chloé auctions {lot}. [B10]",
        "David opens the bidding. [B11]",
    ]


def test_a_match_that_begins_in_the_middle_has_no_such_beginning() -> None:
    """B8: a later auctioneer is not called the first, nor is a later lot told as round 1's."""
    assert match_of(table().moves(0)).story.opening() == []
    assert match_of(table().clear_cards().next_auction(auctioneer=1, pips=2)).story.opening() == []


def test_cards_are_told_as_a_sentence_has_them() -> None:
    english, french = (words_of("batavia", lang) for lang in LANGUAGES)
    assert naming.cards([2, 0, 0, 1, 0], english) == "2 English cards and 1 Dutch"
    assert naming.cards([1, 0, 3, 0, 1], french) == "1 carte anglaise, 3 françaises et 1 suédoise"


def test_the_lot_is_told_with_what_was_left_over() -> None:
    """B10, B16: the cards turned up, and the whole lot."""
    match = played(table().clear_cards().lot(sweden=2).pile(rest_to=2, denmark=22).last_decision(3), "keep")
    n = int(match.records[-1]["lot"][DENMARK])
    assert match.story.log()[-1] == (
        f"Round 2. Anne turns up {n} Danish card{'s' * (n > 1)}; with the cards left over, the lot is "
        f"{n} Danish card{'s' * (n > 1)} and 2 Swedish. [B10]"
    )


def test_a_lot_without_new_cards_says_so() -> None:
    """B18, B19: what was left over is sold again; if nothing was, the boat alone."""
    empty = table().clear_cards().lot(sweden=2).pile(rest_to=0).last_decision(3)
    assert (
        played(empty, "keep").story.log()[-1]
        == "Round 2. No card can be turned up: Anne auctions what was left over, 2 Swedish cards. [B18]"
    )
    boat = table().clear_cards().pile(rest_to=0).last_decision(3)
    assert (
        played(boat, "keep").story.log()[-1]
        == "Round 2. No card can be turned up: Anne auctions the boat alone. [B19]"
    )


def test_no_line_holds_a_raw_tag_or_an_open_place() -> None:
    """One rule at the end of every line, and nowhere else; in both languages, for all who look."""
    for players in (3, 4, 5):
        match = at_random(players, players)
        for lang in LANGUAGES:
            for seat in (None, 0):
                for line in [*match.story.opening(seat, lang), *match.story.log(seat, lang)]:
                    text, _, tag = line.rpartition(" [")
                    assert tag.startswith("B")
                    assert not set("[]{}|") & set(text)
                    assert text.endswith(".")


def test_a_tie_on_the_way_to_the_seal_does_not_say_that_the_seal_goes_back() -> None:
    """B23: the log tells the tie as it is, and the sentence of the turn only what came of it."""
    t = table().clear_cards().shops(denmark_silk=4).laid(1, denmark=1).give(0, denmark=2).moves(0)
    match = played(t, "lay denmark", "lay denmark", "advance denmark", "keep")
    assert match.story.log()[:2] == [
        "Anne lays a Danish ship and now has as many as Bruno. [B23]",
        "Anne lays a Danish ship and takes the Danish seal. [B23]",
    ]
    assert match.story.recaps()[0].sentence == (
        "Anne lays 2 Danish ships, wins the Danish seal from Bruno, advances to the Danish shop on space 4 and stores a crate of silk."
    )


def test_a_seal_taken_from_its_holder_at_once() -> None:
    """B23: where the tie was there before, nobody loses it; a lead of more than one card cannot be jumped by
    one.
    """
    t = (
        table()
        .clear_cards()
        .shops(denmark_silk=4)
        .laid(1, denmark=1)
        .laid(0, denmark=1)
        .give(0, denmark=1)
        .moves(0)
    )
    assert played(t, "lay denmark").story.log() == [
        "Anne lays a Danish ship and takes the Danish seal. [B23]"
    ]


def test_the_last_seals_are_told() -> None:
    """B43: who gets a seal by the cards laid at the end, and which one is lost to a tie."""
    t = (
        table()
        .clear_cards()
        .laid(1, denmark=1, sweden=2)
        .give(0, denmark=2)
        .give(2, sweden=2)
        .last_decision(3)
    )
    t.p.arrival = 0
    lines = played(t, "keep").story.log()
    assert lines[-2:] == [
        "Anne ends with the Danish seal. [B43]",
        "At the end nobody has the Swedish seal. [B43]",
    ]


def test_pirates_are_told_with_what_each_has_lost() -> None:
    """B30, B31: the fleets sunk, and the cards of each seat that go down with them."""
    t = (
        table()
        .clear_cards()
        .laid(0, denmark=7, sweden=2)
        .laid(2, denmark=3, sweden=8)
        .laid(3, france=5)
        .moves(0)
    )
    said = "the Danish fleet and the Swedish fleet: Anne loses 9 ships and Chloé 11."
    assert played(t, "draw").story.log()[1] == f"Pirates! They sink {said} [B30]"
    assert moments(t, "draw") == [Highlight("pirates", f"Pirates sink {said}")]
    assert moments(t, "draw", lang="fr") == [
        Highlight(
            "pirates",
            "Les pirates coulent la flotte danoise et la flotte suédoise : Anne perd 9 navires et Chloé 11.",
        )
    ]


@pytest.mark.parametrize(
    ("pile", "discards", "told"),
    [(2, 5, False), (1, 5, True), (1, 1, True), (0, 2, True), (1, 0, False), (0, 0, False)],
)
def test_a_new_pile_is_told_when_there_is_one(pile: int, discards: int, told: bool) -> None:
    """B18: when the draw needed more cards than the pile had, and there were discards."""
    t = table().clear_cards().discard(denmark=discards).pile(rest_to=3, england=pile).moves(0)
    assert ("The discards are shuffled into a new pile. [B18]" in played(t, "draw").story.log()) == told


def test_a_new_pile_of_what_pirates_have_just_sunk() -> None:
    """B18, B30: they strike before the next lot is turned up."""
    t = table(players=3).clear_cards().laid(1, denmark=11, france=10).pile(rest_to=2).last_decision(2)
    assert played(t, "keep").story.log()[2] == "The discards are shuffled into a new pile. [B18]"


# A turn in one sentence


def test_the_auction_is_one_turn() -> None:
    """B14, B15: who has bought what for how much."""
    t = table().clear_cards().lot(england=2, sweden=1).auction(0)
    actions = ("bid 2", "pass", "bid 3", "pass", "pass")
    assert sentence(t, *actions) == "David buys 2 English cards and 1 Swedish for 3 bills and plays first."
    assert (
        sentence(t, *actions, lang="fr")
        == "David achète 2 cartes anglaises et 1 suédoise pour 3 lettres de change et joue en premier."
    )
    assert played(t, *actions).story.recaps()[0].seat is None


def test_an_auction_in_which_all_pass() -> None:
    """B16: what stays, and who plays first."""
    t = table().clear_cards().lot(sweden=1).auction(0)
    assert (
        sentence(t, *["pass"] * 4)
        == "Nobody bids: 1 Swedish card stays for the next auction, and Anne plays first."
    )
    t = table().clear_cards().lot(sweden=2, france=1).auction(2)
    said = "Personne ne mise : 1 carte française et 2 suédoises restent pour la vente suivante, et Chloé joue en premier."
    assert sentence(t, *["pass"] * 4, lang="fr") == said


def test_an_auction_of_the_boat_alone() -> None:
    """B19: bought or not."""
    t = table().clear_cards().auction(0)
    assert (
        sentence(t, "bid 1", "pass", "pass", "pass")
        == "Bruno buys the boat alone for 1 bill and plays first."
    )
    assert sentence(t, *["pass"] * 4) == "Nobody bids for the boat: Anne plays first."


def test_cards_drawn_are_told_to_who_drew_them_alone() -> None:
    """B17, B20: all others are told how many."""
    t = table().clear_cards().pile(rest_to=3, england=2).moves(0)
    assert sentence(t, "draw", seat=0) == "Anne draws 2 English cards."
    assert played(t, "draw").story.log(0)[0] == "Anne draws 2 English cards. [B20]"
    for seat in (None, 1, 2, 3):
        assert sentence(t, "draw", seat=seat) == "Anne draws 2 cards."
        assert played(t, "draw").story.log(seat)[0] == "Anne draws 2 cards. [B20]"


def test_a_draw_of_fewer_cards() -> None:
    """B18: one, or none at all."""
    assert sentence(table().clear_cards().pile(rest_to=3, england=1).moves(0), "draw") == "Anne draws 1 card."
    nothing = table().clear_cards().pile(rest_to=3).moves(0)
    assert sentence(nothing, "draw", seat=0) == "Anne draws nothing, for no card is left."
    assert played(nothing, "draw").story.log() == ["Anne draws nothing: no card is left. [B18]"]


def test_seals_won_and_lost_are_told_by_what_came_of_all_cards() -> None:
    """B23: from the board, from each holder, and those that a tie sends back."""
    t = table().clear_cards().shops(denmark_silk=4)
    t.laid(1, denmark=1, sweden=1, france=1).give(0, england=1, denmark=2, sweden=2, france=1).moves(0)
    lays = ["lay denmark", "lay france", "lay sweden", "lay england", "lay sweden", "lay denmark"]
    assert sentence(t, *lays, "advance denmark", "keep") == (
        "Anne lays an English ship, 2 Danish, 1 French and 2 Swedish, takes the English seal, wins the Danish seal and the Swedish seal "
        "from Bruno, sends the French seal back to the board by a tie, advances to the Danish shop on space 4 and stores a crate of silk."
    )


def test_trading_in_is_told_with_its_gold() -> None:
    """B28: singular and plural, in both languages."""
    t = table().clear_cards().shops(denmark_silk=4).laid(0, denmark=1).give(0, denmark=1).moves(0)
    actions = ("lay denmark", "advance denmark", "trade in")
    assert sentence(t, *actions).endswith(", stores a crate of silk and trades in 1 tile for 1 gold.")
    assert sentence(t.holds(0, sweden=2), *actions, lang="fr") == (
        "Anne pose un navire danois, avance jusqu'à l'échoppe danoise de la case 4, entrepose une caisse de soie "
        "et échange 2 échoppes contre 3 pièces d'or."
    )


def test_a_shop_without_a_crate() -> None:
    """B26: all crates are placed."""
    t = table().clear_cards().shops(denmark_silk=9).laid(0, denmark=1).give(0, denmark=1).moves(0)
    for good in ("tea", "cotton", "pepper"):
        t.stock(good, 4)
    match = played(t, "lay denmark", "advance denmark", "keep")
    assert (
        match.story.recaps()[0].sentence
        == "Anne lays a Danish ship, advances to the Danish shop on space 9 and has no crate left to store."
    )
    assert (
        match.story.log()[1]
        == "Anne advances to the Danish shop on space 9 (silk), with no crate left to store. [B26]"
    )


def test_a_turn_that_began_before_the_match_did() -> None:
    """B28: a position may begin where only a tile is to be kept."""
    assert sentence(table().last_decision(3), "keep") == "David keeps the tiles."


def test_the_arrival_tile_is_a_moment() -> None:
    """B40, B42: and so is the end, if it was the round's last move."""
    t = table().clear_cards().shops().laid(0, denmark=1).give(0, denmark=1).moves(0)
    said = Highlight("arrival", "Anne has taken the arrival tile: the game ends with this round.")
    assert sentence(t, "lay denmark", "arrive") == "Anne lays a Danish ship and goes to the arrival tile."
    assert moments(t, "lay denmark", "arrive") == [said]
    assert [moment.kind for moment in moments(t.moves(0, moved=3), "lay denmark", "arrive")] == [
        "arrival",
        "over",
    ]


def test_a_game_that_ends_by_stillness_says_so() -> None:
    """B35: ten rounds without a card."""
    t = table().clear_cards().pile(rest_to=0).last_decision(3)
    t.p.still = rules.STILL_ROUNDS - 1
    assert [moment.kind for moment in moments(t, "keep")] == ["stillness"]
    assert played(t, "keep").story.log()[1].startswith("Nothing has moved for ten rounds")


@pytest.mark.parametrize("players", [3, 4, 5])
def test_every_turn_is_retold(players: int) -> None:
    """B10, B20: auctions and moves take turns, nothing is left out, and every sentence is one."""
    match = at_random(players, 10 + players)
    turns = match.story.turn_spans()
    assert [first for first, _ in turns] == [0, *(last for _, last in turns[:-1])]
    assert turns[-1][1] == match.ply
    kinds = [match.records[first]["phase"] for first, _ in turns]
    assert kinds == [rules.AUCTION, *[rules.MOVE] * players] * (len(turns) // (players + 1))
    for lang in LANGUAGES:
        for seat in (None, *range(players)):
            for recap in match.story.recaps(seat, lang):
                texts = [recap.sentence, *(moment.text for moment in recap.highlights)]
                assert all(text.endswith(".") and not set("[]{}|") & set(text) for text in texts)
                assert all(
                    f"moments.{moment.kind}" in words_of("batavia", lang).texts for moment in recap.highlights
                )


@pytest.mark.parametrize("players", [3, 5])
def test_nothing_hidden_is_told(players: int) -> None:
    """B17: with the hidden cards dealt again at every step, a seat is told the same."""
    match, chance = at_random(players, 20 + players), np.array([5], np.uint64)
    for seat in (None, 0, players - 1):
        other = match.at(match.ply)
        for number, p in enumerate(match.records[:-1]):
            world = BATAVIA.seen_by(p, match.box, seat)
            BATAVIA.ruleset.imagine(world, match.box, -1 if seat is None else seat, chance)
            other.replace_record(number, world)
        assert other.story.log(seat) == match.story.log(seat)
        assert other.story.recaps(seat) == match.story.recaps(seat)
        assert other.story.opening(seat) == match.story.opening(seat)


@pytest.mark.parametrize("players", [3, 4, 5])
def test_what_is_told_is_what_was_done(players: int) -> None:
    """B18, B20, B30: how many cards a draw brings and which companies pirates sink, by what the position
    became.
    """
    for seed in range(3):
        match = at_random(players, 30 + seed)
        for (seat, action), before, after in zip(
            match.actions_by_seat, records_of(match), records_of(match)[1:], strict=False
        ):
            if after["phase"] == rules.OVER:
                continue
            if action == "draw":
                assert after["hand_size"][seat] - before["hand_size"][seat] == rules.cards_to_draw(before)
            lost = before["laid"].sum(axis=0) > after["laid"].sum(axis=0)
            assert rules.sunk_between(before, cast("Box", match.box), after) == list(np.flatnonzero(lost))


# What is awaited, and what a choice would do


class Keys(Words):
    """Says the keys of texts, to see which one is chosen."""

    def say(self, key: str, **values: Any) -> str:
        super().say(key, **values)
        return key


def keys() -> Keys:
    return Keys("en", words_of("batavia", "en").texts)


def awaited(t: PositionBuilder) -> str:
    scene = match_of(t).scene(int(t.p.turn), keys())
    return BATAVIA.story.prompt(scene).removeprefix("prompt.")


def moving() -> PositionBuilder:
    """Seat 0 is to move, with the Danish seal, two Danish cards and one of Sweden in hand, and a Danish shop
    ahead.
    """
    return (
        table().clear_cards().shops(denmark_silk=4).laid(0, denmark=1).give(0, denmark=2, sweden=1).moves(0)
    )


def after_arrival(t: PositionBuilder) -> PositionBuilder:
    t.p.arrival = 3
    return t


def test_the_prompt_says_what_may_be_done() -> None:
    """B12, B18, B19, B21, B22, B25, B40, B42: no more than that, and why if there is no choice."""
    assert awaited(table()) == "auction"
    assert awaited(table().clear_cards().auction(0)) == "auction_boat"
    assert awaited(table().play("bid 15")) == "only_pass"
    assert awaited(moving()) == "move"
    assert awaited(moving().pile(rest_to=1)) == "move_none"
    assert awaited(table().clear_cards().laid(0, denmark=1).moves(0)) == "empty_hand"
    assert awaited(moving().laid(1, denmark=9, sweden=9)) == "no_majority"
    assert awaited(after_arrival(moving().laid(1, denmark=9, sweden=9))) == "no_majority"
    assert awaited(after_arrival(moving().shops())) == "no_way_to_a_shop"
    assert awaited(moving().play("lay denmark")) == "laying"
    assert awaited(moving().shops().play("lay denmark")) == "laying_or_arrive"
    assert awaited(moving().laid(1, denmark=2).laid(1, sweden=1).play("lay sweden")) == "laying_more"
    assert (
        awaited(after_arrival(moving().laid(1, denmark=2, sweden=1)).play("lay sweden")) == "laying_to_shop"
    )
    assert awaited(moving().play("lay denmark", "lay denmark", "lay sweden")) == "advance"
    assert (
        awaited(moving().shops(denmark_silk=4, sweden_tea=5).play("lay denmark", "lay denmark", "lay sweden"))
        == "advance_which"
    )
    assert awaited(moving().shops().play("lay denmark", "lay denmark", "lay sweden")) == "arrive"
    assert awaited(moving().play("lay denmark", "advance denmark")) == "trading"


INTERFACE = {
    "auction": {"bid", "pass"},
    "auction_boat": {"bid", "pass"},
    "only_pass": {"pass"},
    "move": {"draw", "lay"},
    "move_none": {"draw", "lay"},
    **{key: {"draw"} for key in ("empty_hand", "no_majority", "no_way_to_a_shop")},
    "laying": {"lay", "advance"},
    "laying_or_arrive": {"lay", "arrive"},
    **{key: {"lay"} for key in ("laying_more", "laying_to_shop")},
    **{key: {"advance"} for key in ("advance", "advance_which")},
    "arrive": {"arrive"},
    "trading": {"trade in", "keep"},
}


@pytest.mark.parametrize("players", [3, 4, 5])
def test_prompts_of_whole_matches_are_true(players: int) -> None:
    """B21, B22, B42: who is told to draw may do nothing else, and who is told of two ways has both."""
    match, said = at_random(players, 40 + players), keys()
    for number in range(match.ply):
        scene = match.scene_at(number, int(match.records[number].turn), said)
        key = BATAVIA.story.prompt(scene).removeprefix("prompt.")
        assert {action.kind for action in scene.choices} == INTERFACE[key]


def test_every_prompt_is_known_here() -> None:
    assert {f"prompt.{key}" for key in INTERFACE} == {
        key for key in keys().texts if key.startswith("prompt.")
    }


def does(t: PositionBuilder, action: str) -> str:
    scene = match_of(t).scene(int(t.p.turn), words_of("batavia", "en"))
    assert action in scene.actions
    return BATAVIA.story.effect(scene, BATAVIA.decode(action))


def test_what_a_choice_would_do() -> None:
    """B18, B20, B23, B25, B26, B28, B40, B47: by the rules, with the figures of the box."""
    assert does(moving(), "draw") == "2 cards; ends your turn"
    assert does(moving().pile(rest_to=1, france=1), "draw") == "1 card; ends your turn"
    assert does(moving().pile(rest_to=1), "draw") == "no card is left; ends your turn"
    assert does(moving(), "lay denmark") == "keeps the seal: shop 4, silk"
    assert does(moving(), "lay sweden") == "takes the seal"
    assert does(moving().laid(1, sweden=1), "lay sweden") == "a tie: Bruno loses the seal"
    assert does(moving().laid(1, sweden=3), "lay sweden") == "you have 1, too few for the seal"
    assert does(moving().play("lay denmark"), "advance denmark") == "to space 4: your first crate of silk"
    assert does(moving().shops().play("lay denmark"), "arrive") == "4 gold; the game ends with this round"
    t = moving().holds(0, sweden=2, france=1).play("lay denmark", "advance denmark")
    assert does(t, "trade in") == "3 tiles for 6 gold"
    assert does(t, "keep") == "one more company would make it 10 gold"
    assert does(after_arrival(t), "keep") == "tiles are worth nothing at the end"
    t = moving().holds(0, england=1, sweden=2, france=1, netherlands=1).play("lay denmark", "advance denmark")
    assert does(t, "keep") == "a full set must be traded in now or never"
    assert does(table(), "bid 3") == "leaves you 12 bills"
    assert does(table(), "pass") == "leave this auction"


def test_a_shop_for_which_no_crate_is_left() -> None:
    """B26: the choice says so before it is made."""
    t = moving()
    for good in ("tea", "cotton", "pepper"):
        t.stock(good, 4)
    assert does(t.play("lay denmark"), "advance denmark") == "to space 4: silk, but you have no crate left"


def test_laying_does_what_it_was_said_to_do() -> None:
    """B23: `seal_after` is what becomes of the seal, in every position of a match."""
    match = at_random(4, 50)
    for before, after, (seat, action) in zip(
        records_of(match), records_of(match)[1:], match.actions_by_seat, strict=False
    ):
        if action.startswith("lay "):
            company = rules.COMPANIES.index(action.removeprefix("lay "))
            assert rules.seal_after(before, seat, company, 1) == after["seals"][company]


def test_who_has_moved() -> None:
    """B20, B32: from the first player on, clockwise; nobody while the auction is on."""
    t = table().moves(1, moved=2)
    assert [rules.has_moved(t.p, seat) for seat in range(4)] == [True, False, False, True]
    assert not any(rules.has_moved(table().p, seat) for seat in range(4))


def test_why_nothing_can_be_played_is_asked_of_the_rules() -> None:
    """B21: a seal does not help who has no card."""
    assert why.why_no_play(table().clear_cards().laid(0, denmark=1).moves(0).p) == "empty_hand"
    assert why.why_no_play(moving().p) == ""


# The score sheet


def test_gold_is_told_by_its_source() -> None:
    """B44, B45: a row for the tiles, for each trading post, for bills, seals and the arrival tile."""
    t = table().shops().clear_cards().stock("tea", 1).stock("pepper", 2, 1).stock("nutmeg", 1, 1)
    t.laid(2, denmark=1, sweden=1).last_decision(3)
    t.p.gold[:4] = [3, 0, 16, 1]
    t.p.arrival = 1
    sheet = played(t, "keep").score_sheet()
    zeros = [0, 0, 0, 0]
    assert sheet.points == {
        "traded": [3, 0, 16, 1],
        **dict.fromkeys(("cotton", "porcelain", "silk", "ginger"), zeros),
        "tea": [10, 0, 0, 0],
        "pepper": [16, 0, 0, 0],
        "nutmeg": [7, 7, 0, 0],
        "bills": [2, 2, 2, 2],
        "seals": [0, 0, 4, 0],
        "arrival": [0, 4, 0, 0],
    }
    assert (sheet.totals, sheet.winners, sheet.decided) == ([38, 13, 22, 3], [0], None)
    assert list(sheet.points) == list(rules.SOURCES)


@pytest.mark.parametrize(("open_bills", "told"), [(False, False), (True, True)])
def test_who_has_most_bills_is_told_when_bills_lie_open(open_bills: bool, told: bool) -> None:
    """B17: before the end; then it is told in any case."""
    match = comptoir.new("batavia", seed=3, open_bills=open_bills)
    for seat in (None, 0, 3):
        assert (None not in match.score_sheet_for(seat).points["bills"]) == told
    t = table().last_decision(3)
    t.p.arrival = 0
    assert played(t, "keep").score_sheet_for(None).points["bills"] == [2, 2, 2, 2]


def test_gold_is_said_in_the_right_number() -> None:
    english, french = (words_of("batavia", lang) for lang in LANGUAGES)
    assert [english.say("score.points", n=n) for n in (0, 1, 2)] == ["0 gold", "1 gold", "2 gold"]
    assert [french.say("score.points", n=n) for n in (0, 1, 2)] == [
        "0 pièce d'or",
        "1 pièce d'or",
        "2 pièces d'or",
    ]
    for words in (english, french):
        assert all(f"sources.{source}" in words.texts for source in rules.SOURCES)


def test_whose_crates_lead() -> None:
    """B44: alone, tied, or nobody at an empty post."""
    t = table().shops().stock("tea", 0, 2, 1).stock("silk", 1, 0, 1)
    assert [rules.leaders_at(t.p, rules.GOODS.index(good)) for good in ("tea", "silk", "pepper")] == [
        0b0010,
        0b0101,
        0,
    ]


def test_whom_pirates_would_sink() -> None:
    """B30, B43: the largest, and all that tie with it; nobody when the game is over."""
    t = table().clear_cards().laid(0, denmark=3).laid(1, sweden=3, france=1)
    assert rules.aimed_at(t.p) == 1 << DENMARK | 1 << SWEDEN
    assert rules.aimed_at(table().p) == 0
    t.p.phase = rules.OVER
    assert rules.aimed_at(t.p) == 0
