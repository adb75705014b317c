"""A match: game, options, seed and actions. All else is computed from these."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from comptoir.engine import matchfile_writer
from comptoir.engine.actions import Action
from comptoir.engine.components import Components
from comptoir.engine.dice import dice_for
from comptoir.engine.game import Game, get_game
from comptoir.engine.names import clean_names, default_names
from comptoir.engine.plain import ComponentsGiven, OptionValue
from comptoir.engine.rule import Box, Position
from comptoir.engine.scene import Scene
from comptoir.engine.schema import field_of
from comptoir.engine.score_sheet import ScoreSheet
from comptoir.engine.scoring import best_seats
from comptoir.engine.story import Story
from comptoir.engine.view import Plain, View, make_view
from comptoir.engine.words import Words, words_of
from comptoir.errors import CannotUndo, MatchOver, OptionError


class Match:
    """A match from its start up to now. `ply` counts the actions: it names each position."""

    # of the last position that was asked about
    _legal: tuple[Position, list[int]] | None = None
    _decider: tuple[Position, int] | None = None
    _ended: tuple[Position, bool] | None = None

    def __init__(
        self,
        game_name: str,
        *,
        seed: int | str | None = None,
        names: Sequence[str] | None = None,
        position: Plain | None = None,
        components: ComponentsGiven | None = None,
        **options: OptionValue,
    ) -> None:
        self.game: Game = get_game(game_name)
        self.rules = self.game.version
        self.components: Components = self.game.read_components(components)
        self.box: Box = self.components.box
        self.seed = _clean_seed(seed)
        self.start_position = position
        if position is None:
            self.options = self.game.read_options(**options)
            first = self.game.initial_position(self.options, self.seed, self.box)
        else:
            if options:
                raise OptionError(f"a position holds its own options; leave out {', '.join(options)}")
            first = self.game.position_from_dict(position, self.box)
            self.options = _options_of(self.game, first)
        self.names = _clean_names(names, self.players)
        self.notes: dict[str, str] = {}  # what else its file says about it: who sat where, the seed's hash
        self._positions = [first]
        self._played: list[int] = []
        self.rolled: list[bool] = []  # whether dice were used by each action

    def __getstate__(self) -> dict[str, object]:
        """For copies and pickles: positions as bytes, since NumPy's copies of records forget what lies
        between the fields.
        """
        remade = ("box", "_legal", "_decider", "_ended")
        own = {name: part for name, part in vars(self).items() if name not in remade}
        return own | {"_positions": [p.tobytes() for p in self._positions]}

    def __setstate__(self, state: dict[str, Any]) -> None:
        positions = [state["game"].position.of_bytes(data) for data in state["_positions"]]
        self.__dict__ |= state | {"_positions": positions, "box": state["components"].box}

    def __repr__(self) -> str:
        awaited = "over" if self.over else f"{self.names[self.turn or 0]} to decide"
        return f"<match of {self.game.name}, {self.players} players, {self.ply} actions, {awaited}>"

    # Where it stands

    @property
    def players(self) -> int:
        return int(self.options["players"])

    @property
    def ply(self) -> int:
        return len(self._played)

    @property
    def turn(self) -> int | None:
        """The seat that decides; None when the match is over."""
        now = self._positions[-1]
        if self._decider is None or self._decider[0] is not now:  # asked for often, and NumPy takes long
            self._decider = now, int(now["turn"])
        turn = self._decider[1]
        return None if turn < 0 else turn

    @property
    def over(self) -> bool:
        return self.turn is None

    @property
    def ending(self) -> str | None:
        """How the match ended; None while it is on."""
        return str(self.game.rules.ENDINGS[self._positions[-1].ending]) if self.over else None

    @property
    def played(self) -> list[str]:
        """The actions so far, as text."""
        return [self.game.actions[action] for action in self._played]

    def action_at(self, ply: int) -> Action:
        """The action that led to the position after `ply` actions, decoded."""
        return self.game.decode(self._played[ply - 1])

    @property
    def records(self) -> Sequence[Position]:
        """Every position so far. A position's record stays the same object until it is taken back."""
        return self._positions

    def replace_record(self, ply: int, record: Position) -> None:
        """Puts another position in place of the one after `ply` actions.

        For checks of hidden information: in a world that a viewer cannot tell from the true one, everything
        that the viewer receives must be the same. Nothing is checked, and the actions stay what they were.
        """
        self._positions[ply] = record

    @property
    def actions_by_seat(self) -> list[tuple[int, str]]:
        """The actions so far, each with the seat that took it."""
        return [(int(p.turn), action) for p, action in zip(self._positions, self.played, strict=False)]

    def actions(self) -> list[str]:
        """What the seat that decides may do, as text."""
        return [self.game.actions[action] for action in self._legal_at(self.ply)]

    def _legal_at(self, ply: int) -> list[int]:
        """What could be done after `ply` actions; the last answer is kept."""
        p = self._positions[ply]
        if self._legal is None or self._legal[0] is not p:
            self._legal = p, self.game.legal(p, self.box)
        return self._legal[1]

    def position(self) -> Plain:
        """Everything, as plain data."""
        return self.game.to_dict(self._positions[-1])

    def view(self, seat: int | None = None) -> View:
        """All that a seat may know, as plain data; for None, all that a spectator may."""
        return self.view_at(self.ply, seat)

    def seen_by(self, seat: int | None = None) -> Position:
        """The position of a view as a record, for built-in bots."""
        _check_seat(seat, self.players)
        return self.game.seen_by(self._positions[-1], self.box, seat)

    def view_at(self, ply: int, seat: int | None) -> View:
        """The view that a seat had after `ply` actions."""
        _check_seat(seat, self.players)
        return self.view_of(
            ply, seat, self.game.to_dict(self.game.seen_by(self._positions[ply], self.box, seat))
        )

    def view_of(self, ply: int, seat: int | None, position: Plain) -> View:
        """The view around a position that holds only what the seat may know."""
        p = self._positions[ply]
        mine = seat is not None and field_of(p, "turn") == seat
        return make_view(self.game, ply, seat, self.names, position, self._legal_at(ply) if mine else [])

    def scores(self) -> list[int]:
        """The points of each seat: as they stand now, final when the match is over."""
        return [row[0] for row in self.game.scores(self._positions[-1], self.box)]

    def winners(self) -> list[int]:
        """The seats that have won, several if the victory is shared; none while the match is on."""
        if not self.over:
            return []
        return best_seats(self.game.scores(self._positions[-1], self.box))

    def score_sheet(self) -> ScoreSheet:
        """Every seat's points by source, as they stand now; with the winners and what broke a tie when the
        match is over.
        """
        return self.game.score_sheet(self._positions[-1], self.box, everything=True)

    def score_sheet_for(self, seat: int | None) -> ScoreSheet:
        """The score sheet with what a seat (None: a spectator) may see of it during the match."""
        return self.game.score_sheet(self.seen_by(seat), self.box, seat)

    # Playing

    def play(self, action: str | int) -> None:
        """Plays an action, given as its text (`bid 3`) or number.

        Raises UnknownAction, IllegalAction (which names the rule) or MatchOver, and then nothing has changed.
        """
        number, now = self.check(action), self._positions[-1]
        after, rolled = self.game.next_position(now, self.box, number, dice_for(self.seed, self.ply + 1))
        self._positions.append(after)
        self._played.append(number)
        self.rolled.append(rolled)

    def check(self, action: str | int) -> int:
        """The number of an action that is legal now; raises what `play` raises for any other."""
        number = self.game.action_index(action) if isinstance(action, str) else action
        if self.over:
            raise MatchOver(
                f"{self.game.name}: the match is over, {self.game.actions[number]!r} comes too late"
            )
        if number not in self._legal_at(self.ply):
            raise self.game.refusal(self._positions[-1], self.box, number)
        return number

    def why_not(self, action: str, lang: str = "en") -> tuple[str, str] | None:
        """The rule that forbids an action now and the reason in words; None if it is legal."""
        if self.over:
            raise MatchOver(f"{self.game.name}: the match is over")
        number = self.game.action_index(action)
        if number in self._legal_at(self.ply):
            return None
        refusal = self.game.why_not(self._positions[-1], self.box, number)
        assert refusal is not None
        rule, key, values = refusal
        return rule, words_of(self.game.name, lang).say(key, **values)

    def undo(self) -> str:
        """Takes back the last action, if that is allowed; returns it.

        It is not allowed once something was turned up or drawn. If another seat has decided since, that is
        the last action, and only that seat may take it back.
        """
        if not self._played:
            raise CannotUndo("nothing has been played yet")
        if self.rolled[-1]:
            raise CannotUndo(f"{self.played[-1]!r} turned something up, and that cannot be unseen")
        self._positions.pop()
        self.rolled.pop()
        return self.game.actions[self._played.pop()]

    def undoable_by(self, back: int = 1) -> int | None:
        """The seat that may take back the last action, or that many of them, the first of which was its own;
        None if they cannot be taken back.
        """
        taken_back = self.rolled[-back:]
        return (
            None
            if len(taken_back) < back or any(taken_back)
            else int(field_of(self._positions[-back - 1], "turn"))
        )

    def at(self, ply: int) -> Match:
        """The match as it stood after `ply` actions; it can be played on from there."""
        if not 0 <= ply <= self.ply:
            raise OptionError(f"this match has positions 0 to {self.ply}, not {ply}")
        twin = object.__new__(type(self))
        twin.__dict__ = self.__dict__ | {
            "names": list(self.names),
            "_positions": self._positions[: ply + 1],
            "_played": self._played[:ply],
            "rolled": self.rolled[:ply],
        }
        return twin

    def ended_turn(self, ply: int) -> bool:
        """Whether the action before that position ended a turn; the last answer is kept."""
        p = self._positions[ply]
        if self._ended is None or self._ended[0] is not p:
            self._ended = p, self.game.ends_turn(self._positions[ply - 1], p)
        return self._ended[1]

    # In words, drawn and written

    @property
    def story(self) -> Story:
        """The match in words: its log, and its turns retold."""
        return Story(self)

    def scene(self, seat: int | None, words: Words, layout: str = "wide") -> Scene:
        """What a seat may know now, to be narrated or drawn."""
        return self.scene_at(self.ply, seat, words, layout)

    def scene_at(self, ply: int, seat: int | None, words: Words, layout: str = "wide") -> Scene:
        """What a seat knew after `ply` actions, to be narrated or drawn."""
        _check_seat(seat, self.players)
        record = self.game.seen_by(self._positions[ply], self.box, seat)
        return self.scene_of(record, self.view_of(ply, seat, self.game.to_dict(record)), words, layout)

    def scene_of(self, record: Position, view: View, words: Words, layout: str = "wide") -> Scene:
        """What is known of a position, to be narrated or drawn."""
        return Scene(record, view, words, self.components, self.game.action_table, layout)

    def _repr_svg_(self) -> str:
        """The board as a spectator sees it: a notebook shows it in place of the match."""
        svg: str = self.game.board.svg(self.scene(None, words_of(self.game.name, "en")))
        return svg

    def save(self, path: str | Path) -> None:
        """Writes the match to a file that people can read and edit."""
        Path(path).write_text(self.text(), encoding="utf-8")

    def text(self) -> str:
        """The match as the text of a match file."""
        return matchfile_writer.write(self)


def replay(match: Match, actions: Iterable[str]) -> Match:
    """Plays the actions one after the other."""
    for action in actions:
        match.play(action)
    return match


def _check_seat(seat: int | None, players: int) -> None:
    if seat is not None and not 0 <= seat < players:
        raise OptionError(f"there is no seat {seat}: seats are 0 to {players - 1}, or None for a spectator")


def _options_of(game: Game, p: Position) -> dict[str, str]:
    """The options that a position was set up with."""
    plain = game.to_dict(p)
    values = {option.name: plain[option.name] for option in game.options}
    return game.read_options(plain["players"], **{k: "draw" if v is None else v for k, v in values.items()})


def _clean_names(names: Sequence[str] | None, players: int) -> list[str]:
    if names is None:
        return default_names(players)
    if len(names) != players:
        raise OptionError(f"names: expected {players} different names, found {', '.join(map(repr, names))}")
    return clean_names(names)


def _clean_seed(seed: int | str | None) -> str:
    """A seed is any number or word. Without one, 128 random bits: nobody can find it by trying."""
    text = secrets.token_hex(16) if seed is None else str(seed)
    if not text or text.split() != [text] or "#" in text:
        raise OptionError(f"seed: expected a number or a word without spaces, found {seed!r}")
    return text


def seed_hash(seed: str) -> str:
    """A commitment to a seed: shown before the match, and checked when the seed is revealed."""
    return hashlib.sha256(f"comptoir seed {seed}".encode()).hexdigest()
