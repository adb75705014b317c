"""How much of the wins luck leaves to skill: bots that see what nobody may see, against the same level that does not.

    python bench/omniscient.py                               all games at their usual tables (hours; stopped, it goes on)
    python bench/omniscient.py batavia --games 60            one game
    python bench/omniscient.py century --level merchant      another level, on both sides

*hands* searches the true position instead of imagined ones: every hand and what is left in every pile. *fate* also sees
every card and die that the match will turn up. Both take the others to see as much. They are for measuring alone: nothing offers
them to players, and no level is made of them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

from comptoir.arena import Arena
from comptoir.arena.game_record import GameRecord, RunDefinition, match_of
from comptoir.arena.run_log import RunLog
from comptoir.arena.schedule import GameSpec
from comptoir.arena.standings import Standings, StandingsDict
from comptoir.arena.workers import map_tasks
from comptoir.bots import Bot, earlier_views
from comptoir.bots.levels import make
from comptoir.bots.search import CHILD, OPEN, ROOT_VIEW, SearchWorkspace, cycle_key_after, search
from comptoir.bots.searcher import ActionEstimate, Searcher
from comptoir.bots.workspace import clear_tree, set_root
from comptoir.engine import modes
from comptoir.engine.dice import dice_for, first_word
from comptoir.engine.game import Game, get_game
from comptoir.engine.interface import cycle_key
from comptoir.engine.match import Match
from comptoir.engine.registry import names
from comptoir.engine.rule import Box, Dice, Position, rule, signed

DEFAULT_PLAYERS = {"batavia": 4, "century": 3, "marco_polo": 4, "sail_to_india": 4}
HANDS, FATE = "hands", "fate"

# A desk's dice, for whoever sees fate: the searcher's own, how many actions from the top of the tree, then the word that the
# match's dice start from for each action to come.
OWN, STEPS, TO_COME = range(3)
FORESEEN = 1024  # actions; what lies beyond is rolled


@rule
def as_it_stands(p: Position, box: Box, viewer: int, dice: Dice) -> None:
    """In the place of `imagine`: the true position, and the match's dice from its next action on."""
    dice[STEPS] = 0


@rule
def play_as_fated(p: Position, box: Box, action: int, dice: Dice) -> None:
    """In the place of `play`: with the dice that the match will have for this action. The searcher's own are left as they
    were, so to the search nothing is chance.
    """
    own = dice[OWN]
    step = signed(dice[STEPS])
    if TO_COME + step < len(dice):
        dice[OWN] = dice[TO_COME + step]
    play_itself(p, box, action, dice)
    dice[OWN] = own
    dice[STEPS] = step + 1


@rule
def tried_as_fated(desk: SearchWorkspace, box: Box, decider: int, dice: int) -> int:
    """In the place of `led_to`, which follows on every action that is only tried: that one has not been played."""
    desk.dice[STEPS] = signed(desk.dice[STEPS]) - 1
    trial = desk.positions[CHILD]
    return cycle_key(trial, box) if trial.turn == decider else 0


def play_itself(p: Position, box: Box, action: int, dice: Dice) -> None:
    """Here each game has its own `play`, under a name for which nothing stands in."""


def fated(game: Game) -> dict[Any, Any]:
    """What stands in for what, where all that will be turned up is known."""
    own = game.rules.play
    itself = rule(FunctionType(own.__code__, own.__globals__, "play_itself"))
    itself.__module__, itself.__qualname__ = own.__module__, own.__qualname__
    foreseen = FunctionType(play_as_fated.__code__, globals() | {"play_itself": itself}, "play_as_fated")
    foreseen.__module__ = __name__
    return {game.rules.imagine: as_it_stands, own: rule(foreseen), cycle_key_after: tried_as_fated}


@cache
def fated_search(game: Game) -> Any:
    """The search, compiled for whoever knows what will be turned up."""
    return modes.Compiled(game.name, game.part, instead=fated(game)).bind(search)


class Seer(Searcher):
    """A level that is shown the match itself, and not only its seat's view of it."""

    def __init__(self, match: Match, level: str, seed: str, sees: str) -> None:
        blind = make(level, match.game, match.components, seed)
        assert isinstance(blind, Searcher)
        super().__init__(
            match.game,
            match.components,
            seed,
            blind.iterations,
            len(blind.workspaces),
            threads=1,
            evaluation=blind.evaluation,
            network=blind.network,
        )
        self.match, self.sees = match, sees
        if sees == FATE:
            self.workspaces = [
                desk._replace(dice=np.zeros(TO_COME + FORESEEN, np.uint64)) for desk in self.workspaces
            ]

    def _compiled(self) -> Any:
        return fated_search(self.game) if self.sees == FATE else self.game.compiled.bind(search)

    def _analyse(
        self, view: Position, number: int, earlier: Sequence[Position], complete: bool, again: int = 0
    ) -> list[ActionEstimate]:
        for nth, desk in enumerate(self.workspaces):
            clear_tree(desk)
            set_root(desk, self.game, self.components.box, view, earlier)
            desk.positions[ROOT_VIEW] = self.match.records[-1]
            desk.used[OPEN] = self.sees == HANDS
            desk.dice[OWN] = dice_for(f"bot {self.seed} tree {nth}", number)[0]
            for step in range(len(desk.dice) - TO_COME):
                desk.dice[TO_COME + step] = first_word(self.match.seed, number + 1 + step)
        self._search(int(view.turn), complete)
        return self.estimates()


def bots_of(definition: RunDefinition, unit: GameSpec, match: Match) -> list[Bot]:
    """The bot of each seat: a seer where the spec says what it sees."""
    bots: list[Bot] = []
    for seat, nth in enumerate(unit.seating):
        spec, seed = definition.bots[nth], unit.bot_seed(definition.seed, seat)
        level, _, sees = spec.partition(" that sees ")
        bots.append(
            Seer(match, level, seed, sees)
            if sees
            else make(level, match.game, match.components, seed, threads=1)
        )
    return bots


def play(definition: RunDefinition, unit: GameSpec) -> GameRecord:
    """One game, as the arena plays it."""
    match = match_of(definition, unit)
    bots, moves = bots_of(definition, unit, match), [0] * match.players
    while match.turn is not None:
        seat = match.turn
        moves[seat] += 1
        match.play(bots[seat].choose_index(match.seen_by(seat), match.ply, earlier_views(match, seat)))
    actions = [match.game.action_index(action) for action in match.played]
    return GameRecord(unit.key, match.winners(), match.scores(), moves, [0.0] * match.players, actions)


def measure(name: str, sees: str, level: str, games: int, out: Path, workers: int | None) -> StandingsDict:
    """Plays what is not recorded yet, and counts."""
    arena = Arena(name, [level, level], players=DEFAULT_PLAYERS[name], folder=out / f"{name}-{level}-{sees}")
    definition = replace(arena.definition, bots=(f"{level} that sees {sees}", level))
    units = arena.units(games)
    with RunLog(arena.folder, definition, GameRecord) as record:
        left = [unit for unit in units if unit.key not in record.done]
        for played in map_tasks(play, definition, left, workers):
            record.add(played)
            print(f"\r{len(record.done)} of {len(units)}", end="", file=sys.stderr, flush=True)
        return Standings(definition, [(unit, record.done[unit.key]) for unit in units]).to_dict()


def row(name: str, figures: StandingsDict) -> str:
    first, second = figures["bots"]
    share = first["share"]
    cells = (
        name,
        str(DEFAULT_PLAYERS[name]),
        f"{first['spec']}, {second['spec']}",
        str(figures["games"]),
        f"{share['share']:.1%}",
        f"{share['low']:.1%} – {share['high']:.1%}",
        f"{first['points']:.1f}, {second['points']:.1f}",
    )
    return f"| {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("game", nargs="*", choices=[[], *names()], help="only these games")
    parser.add_argument("--sees", choices=(HANDS, FATE), help="only this seer")
    parser.add_argument("--level", default="captain", help="whose search (default captain)")
    parser.add_argument("--games", type=int, default=100, help="games of a row (default 100)")
    parser.add_argument("--out", type=Path, default=Path(".omniscient"), help="where games are recorded")
    parser.add_argument("--workers", type=int, help="processes (default: one per core)")
    options = parser.parse_args()
    for name in options.game or names():
        for sees in (options.sees,) if options.sees else (HANDS, FATE):
            if sees == HANDS and get_game(name).all_open:
                continue  # nothing is hidden there
            figures = measure(name, sees, options.level, options.games, options.out, options.workers)
            print(f"\r{row(name, figures)}", flush=True)


if __name__ == "__main__":
    import omniscient  # under its own name in every process, by which compiled rules are kept

    omniscient.main()
