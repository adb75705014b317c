"""A game that breaks a promise fails the contract, with a sentence that says where."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from comptoir.engine.game import Game
from comptoir.engine.modes import Mode
from comptoir.engine.rule import Box, Mask, Position, rule
from comptoir.engine.words import LANGUAGES, words_of
from comptoir.testing import BrokenPromise, check_contract, contract
from comptoir.testing.contract import can_decide
from tests.testing.stalls import SEEN, installed

MATCHES = 15


def ruleset(g: Game, instead: dict[Any, Any] | None = None) -> Any:
    """Interpreted: nothing is compiled for a game that is broken on purpose."""
    return Mode(g.name, g.part, instead)


def test_the_whole_game_keeps_every_promise(tmp_path: Path) -> None:
    with installed(tmp_path, "stall") as g:
        for table in contract.tables_of("stall"):
            check_contract(g, table.chosen, ruleset(g), matches=MATCHES)


@rule
def anything_goes(world: Position, box: Box, mask: Mask) -> int:
    """In place of the promise that somebody can act in an imagined world."""
    can_decide(world, box, mask)
    return contract.KEPT


def test_a_game_that_forgets_what_was_seen(tmp_path: Path) -> None:
    """Without that promise and without looks, the game passes; with it, it fails, and the sentence says where."""
    with installed(tmp_path, "forgetful_stall", (SEEN, "")) as g:
        without = ruleset(g, {contract.check_world: anything_goes})
        for players in (3, 4):  # of two, either knows what the other has sold; worlds differ less
            check_contract(g, {"players": players}, without, matches=2 * MATCHES, looks=0)
        with pytest.raises(BrokenPromise) as broken:
            check_contract(g, {"players": 3}, ruleset(g), matches=MATCHES)
    error = broken.value
    assert error.promise == "imagines_decides"
    assert error.viewer is not None
    assert error.position is not None
    assert error.world is not None
    seat, good = int(error.position.turn), int(error.position["offered"])
    assert error.position["hand"][seat, good] > 0
    assert error.world["hand"][seat, good] == 0
    assert error.viewer != seat
    assert "in every imagined world somebody can act" in str(error)
    assert f"seed {error.seed}" in str(error)
    assert f"comptoir check forgetful_stall --players 3 --seed {error.seed} --matches 1" in str(error)


def test_a_broken_match_is_found_again_by_its_seed(tmp_path: Path) -> None:
    """The match alone, as the sentence says: the same promise, decision, viewer and world."""

    def broken(seed: int, matches: int) -> BrokenPromise:
        with pytest.raises(BrokenPromise) as error:
            check_contract(g, {"players": 3}, ruleset(g), seed=seed, matches=matches)
        return error.value

    with installed(tmp_path, "stall_again", (SEEN, "")) as g:
        first = broken(1, MATCHES)
        assert first.seed is not None
        again = broken(first.seed, 1)
        assert str(first) == str(again)
        assert first.world is not None
        assert again.world is not None
        assert first.world.tobytes() == again.world.tobytes()


ONE_HAND = (  # who imagines deals only the hand of the seat in turn, and leaves the others short
    "        p.pile[good] = unknown\n    deal(p, dice)",
    """        p.pile[good] = unknown
    for _ in range(int(p.cards[p.turn]) - total(p.hand[p.turn])):
        p.hand[p.turn, draw_from(p.pile, total(p.pile), dice)] += 1""",
)
BROKEN = {  # the promise, and what is changed into what
    "decides": [("    p.turn = -1\n    p.ending = 1\n", "    p.turn = seat\n")],
    "lists": [("    if p.phase == OFFER:", "    p.offered = 0\n    if p.phase == OFFER:")],
    "hides": [("= p.seen[seat, good]\n", "= p.hand[seat, good] // 2\n")],
    "hides_legal": [("            if seat != viewer:", "            if seat >= 0:")],
    "imagines": [("        p.pile[good] = 0\n", "        p.pile[good] += 0\n")],
    "imagines_valid": [("        p.pile[good] = unknown", "        p.pile[good] = 9")],
    "valid": [("p.sold[good] += number", "p.sold[good] += 1")],
    "bounded": [("2 * MAX_CARDS * 4", "3")],
    "ends": [("    p.ending = 1\n", "")],
    "scores": [("MAX_POINTS = MAX_SOLD * MAX_CARDS", "MAX_POINTS = 2")],
    "fails": [("    good = p.offered\n", "    good = p.offered + 7\n")],
}
LOOKED_AT = {  # promises about what follows from an imagined world
    "goes_on_valid": [ONE_HAND],
    "goes_on_decides": [
        ONE_HAND,
        ("p.cards[p.turn]:\n        return WRONG_CARDS", "p.cards[p.turn]:\n        return VALID"),
    ],
    "goes_on_ends": [("2 * MAX_CARDS * 4", "3")],
}


@pytest.mark.parametrize("promise", [*BROKEN, *LOOKED_AT])
def test_what_is_broken_is_named(promise: str, tmp_path: Path) -> None:
    changes = BROKEN.get(promise) or LOOKED_AT[promise]
    with (
        installed(tmp_path, f"stall_that_{promise}_not", *changes) as g,
        pytest.raises(BrokenPromise) as broken,
    ):
        check_contract(g, {}, ruleset(g), matches=MATCHES, looks=int(promise in LOOKED_AT))
    assert broken.value.promise == promise
    assert ("rules.py:" in str(broken.value)) == (promise == "fails")


def test_every_promise_has_a_sentence_in_both_languages() -> None:
    for lang in LANGUAGES:
        words = words_of(None, lang, packages=("testing",))
        assert all(words.say(f"promises.{promise}") for promise in (*contract.PROMISES[1:], "fails"))
