"""A match: game, options, seed and actions. All else is computed from these."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from comptoir.engine.components import Components
from comptoir.engine.dice import dice_for
from comptoir.engine.game import Game, game
from comptoir.engine.recap import Recap, Step
from comptoir.engine.scene import Scene
from comptoir.engine.sheet import ScoreSheet
from comptoir.engine.words import Words, words_of
from comptoir.errors import CannotUndo, MatchOver, OptionError

NAMES = ("Anne", "Bruno", "Chloé", "David", "Emma")


class Match:
    """A match from its start to where it has got to. `number` counts the actions: it names each position."""

    def __init__(
        self,
        game_name: str,
        *,
        seed: int | str | None = None,
        names: Sequence[str] | None = None,
        position: dict[str, Any] | None = None,
        components: str | Path | dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        self.game: Game = game(game_name)
        self.components = self._components(components)
        self.box: np.record = self.components.box
        self.seed = _clean_seed(seed)
        self.start_position = position
        if position is None:
            self.options = self.game.read_options(**options)
            first = self.game.start(self.options, self.seed, self.box)
        else:
            if options:
                raise OptionError(f"a position holds its own options; leave out {', '.join(options)}")
            first = self.game.read_position(position, self.box)
            self.options = self._options_of(first)
        self.names = self._clean_names(names)
        self._positions = [first]
        self._played: list[int] = []
        self._rolled: list[bool] = []  # whether dice were used by each action
        self._legal: tuple[np.record, list[int]] | None = None

    def _components(self, given: str | Path | dict[str, Any] | None) -> Components:
        if given is None:
            return self.game.components
        return self.game.read_components(given if isinstance(given, dict) else Path(given))

    def _options_of(self, p: np.record) -> dict[str, str]:
        plain = self.game.plain(p)
        values = {option.name: plain[option.name] for option in self.game.options}
        return self.game.read_options(plain["players"], **{k: "draw" if v is None else v for k, v in values.items()})

    def _clean_names(self, names: Sequence[str] | None) -> list[str]:
        if names is None:
            return list(NAMES[: self.players])
        clean = [" ".join(name.split()) for name in names]
        if len(clean) != self.players or not all(clean) or len(set(clean)) != len(clean):
            raise OptionError(f"names: expected {self.players} different names, found {', '.join(map(repr, names))}")
        return clean

    def __repr__(self) -> str:
        awaited = "over" if self.over else f"{self.names[self.turn or 0]} to decide"
        return f"<match of {self.game.name}, {self.players} players, {self.number} actions, {awaited}>"

    # Where it stands

    @property
    def _now(self) -> np.record:
        return self._positions[-1]

    @property
    def players(self) -> int:
        return int(self.options["players"])

    @property
    def number(self) -> int:
        return len(self._played)

    @property
    def turn(self) -> int | None:
        """The seat that decides; None when the match is over."""
        turn = int(self._now["turn"])
        return None if turn < 0 else turn

    @property
    def over(self) -> bool:
        return self.turn is None

    @property
    def ending(self) -> str | None:
        """How the match ended; None while it is on."""
        return str(self.game.rules.ENDINGS[self._now.ending]) if self.over else None

    @property
    def played(self) -> list[str]:
        """The actions so far, as text."""
        return [self.game.actions[action] for action in self._played]

    @property
    def records(self) -> Sequence[np.record]:
        """Every position so far. The same record stands for a position as long as it is not taken back."""
        return self._positions

    @property
    def entries(self) -> list[tuple[int, str]]:
        """The actions so far, each with the seat that took it."""
        return [(int(p.turn), action) for p, action in zip(self._positions, self.played, strict=False)]

    def actions(self) -> list[str]:
        """What the seat that decides may do, as text."""
        return [self.game.actions[action] for action in self._legal_at(self.number)]

    def _legal_at(self, number: int) -> list[int]:
        """What could be done after `number` actions; of the last position asked about, only found out once."""
        p = self._positions[number]
        if self._legal is None or self._legal[0] is not p:
            self._legal = p, self.game.legal(p, self.box)
        return self._legal[1]

    def position(self) -> dict[str, Any]:
        """Everything, as plain data."""
        return self.game.plain(self._now)

    def view(self, seat: int | None = None) -> dict[str, Any]:
        """All that a seat may know, as plain data; for None, all that a spectator may."""
        return self.view_at(self.number, seat)

    def hidden(self, seat: int | None = None) -> np.record:
        """The position of a view as a record, for Comptoir's own bots."""
        self._check_seat(seat)
        return self.game.hidden(self._now, self.box, seat)

    def view_at(self, number: int, seat: int | None) -> dict[str, Any]:
        """The view that a seat had after `number` actions."""
        self._check_seat(seat)
        return self.view_of(number, seat, self.game.plain(self.game.hidden(self._positions[number], self.box, seat)))

    def view_of(self, number: int, seat: int | None, position: dict[str, Any]) -> dict[str, Any]:
        """The view around a position that is what the seat may know of it."""
        p = self._positions[number]
        mine = seat is not None and p["turn"] == seat
        return {
            "game": self.game.name,
            "rules": self.game.version,
            "number": number,
            "seat": seat,
            "names": list(self.names),
            "position": position,
            "actions": [self.game.actions[a] for a in self._legal_at(number)] if mine else [],
        }

    def _check_seat(self, seat: int | None) -> None:
        if seat is not None and not 0 <= seat < self.players:
            raise OptionError(f"there is no seat {seat}: seats are 0 to {self.players - 1}, or None for a spectator")

    def scores(self) -> list[int]:
        """The points of each seat: as they stand now, final when the match is over."""
        return [row[0] for row in self.game.scores(self._now, self.box)]

    def winners(self) -> list[int]:
        """The seats that have won, several if the victory is shared; none while the match is on."""
        if not self.over:
            return []
        return self.game.winners(self.game.scores(self._now, self.box))

    def score_sheet(self) -> ScoreSheet:
        """Every seat's points by source, as they stand now; with the winners and what broke a tie when the match is over."""
        return self.game.score_sheet(self._now, self.box, everything=True)

    def score_sheet_for(self, seat: int | None) -> ScoreSheet:
        """The score sheet with what a seat (None: a spectator) is told of it while the match is on."""
        return self.game.score_sheet(self.hidden(seat), self.box, seat)

    # Playing

    def play(self, action: str | int) -> None:
        """Plays an action, given as its text (`bid 3`) or number.

        Raises UnknownAction, IllegalAction (which names the rule) or MatchOver, and then nothing has changed.
        """
        number = self.game.number(action) if isinstance(action, str) else action
        if self.over:
            raise MatchOver(f"{self.game.name}: the match is over, {self.game.actions[number]!r} comes too late")
        if number not in self._legal_at(self.number):
            raise self.game.refusal(self._now, self.box, number)
        self._play(number)

    def _play(self, action: int) -> None:
        p, dice = self.game.copy(self._now), dice_for(self.seed, self.number + 1)
        before = dice[0]
        self.game.verbs.play(p, self.box, action, dice)
        self._positions.append(p)
        self._played.append(action)
        self._rolled.append(bool(dice[0] != before))

    def why_not(self, action: str, lang: str = "en") -> tuple[str, str] | None:
        """The rule that forbids an action now and the reason in words; None if it is legal."""
        if self.over:
            raise MatchOver(f"{self.game.name}: the match is over")
        refusal = self.game.why_not(self._now, self.box, self.game.number(action))
        return None if refusal is None else (refusal[0], words_of(self.game.name, lang).say(refusal[1], **refusal[2]))

    def undo(self) -> str:
        """Takes back the last action, if it was the doer's to take back; returns it.

        It is not once something was turned up or drawn. Another seat's later decision is then the last action, and
        taking that back is up to that seat.
        """
        if not self._played:
            raise CannotUndo("nothing has been played yet")
        if self._rolled[-1]:
            raise CannotUndo(f"{self.played[-1]!r} turned something up, and that cannot be unseen")
        self._positions.pop()
        self._rolled.pop()
        return self.game.actions[self._played.pop()]

    def undo_seat(self) -> int | None:
        """The seat that may take back the last action; None if it cannot be taken back."""
        return None if not self._played or self._rolled[-1] else int(self._positions[-2].turn)

    # Telling

    def at(self, number: int) -> Match:
        """The match as it stood after `number` actions; it can be played on from there."""
        if not 0 <= number <= self.number:
            raise OptionError(f"this match has positions 0 to {self.number}, not {number}")
        twin = object.__new__(Match)
        twin.__dict__ = self.__dict__ | {
            "names": list(self.names),
            "_positions": self._positions[: number + 1],
            "_played": self._played[:number],
            "_rolled": self._rolled[:number],
        }
        return twin

    def log(self, seat: int | None = None, lang: str = "en", since: int = 0, until: int | None = None) -> list[str]:
        """What has happened, in words, as a seat (None: a spectator) has seen it; each line says which rule it shows."""
        words = words_of(self.game.name, lang, rules=True)
        last = self.number if until is None else until
        return [line for step in self._steps(since, last, seat, words) for line in self.tell(step)]

    def tell(self, step: Step) -> list[str]:
        """What an action did, in words: told from what a seat knew before and after it, so it holds nothing else."""
        lines: list[str] = self.game.story.tell(step.before, step.action, step.after)
        return lines

    def opening(self, seat: int | None = None, lang: str = "en") -> list[str]:
        """How the match began, in words: what was drawn and turned up before the first decision."""
        return self.tell_opening(self.scene_at(0, seat, words_of(self.game.name, lang, rules=True)))

    def tell_opening(self, scene: Scene) -> list[str]:
        """How the match began, from what a seat knew then. A match that starts from a given position began elsewhere."""
        lines: list[str] = self.game.story.open(scene) if self.start_position is None and hasattr(self.game.story, "open") else []
        return lines

    def turns(self, since: int = 0) -> list[tuple[int, int]]:
        """The turns that ended after `since` actions, each as the numbers of the position before it and after it."""
        starts = [0]
        for number in range(1, self.number + 1):
            if self.game.ends_turn(self._positions[number - 1], self._positions[number]):
                starts.append(number)
        return [(first, last) for first, last in pairwise(starts) if last > since]

    def recaps(self, seat: int | None = None, lang: str = "en", since: int = 0) -> list[Recap]:
        """The turns that ended after `since` actions, each in a sentence, as a seat (None: a spectator) has seen them."""
        words = words_of(self.game.name, lang)
        return [self.recap(first, self._steps(first, last, seat, words)) for first, last in self.turns(since)]

    def recap(self, first: int, steps: Sequence[Step]) -> Recap:
        """A turn that began after `first` actions, retold from its steps."""
        seats = {step.before.position["turn"] for step in steps}
        sentence, moments = self.game.story.recap(steps)
        return Recap(first, first + len(steps), seats.pop() if len(seats) == 1 else None, sentence, tuple(moments))

    def _steps(self, first: int, last: int, seat: int | None, words: Words) -> list[Step]:
        """The actions between two positions, with what a seat knew before and after each."""
        scenes = [self.scene_at(number, seat, words) for number in range(first, last + 1)]
        actions = self.played[first:last]
        return [Step(before, action, after) for (before, after), action in zip(pairwise(scenes), actions, strict=True)]

    def scene(self, seat: int | None, words: Words, layout: str = "wide") -> Scene:
        """What a seat may know now, to be told or drawn."""
        return self.scene_at(self.number, seat, words, layout)

    def scene_at(self, number: int, seat: int | None, words: Words, layout: str = "wide") -> Scene:
        """What a seat knew after `number` actions, to be told or drawn."""
        self._check_seat(seat)
        record = self.game.hidden(self._positions[number], self.box, seat)
        return Scene(record, self.view_of(number, seat, self.game.plain(record)), words, self.components, layout)

    def open_scene(self, words: Words) -> Scene:
        """The position as it stands with everything open, for who may know everything."""
        return Scene(self._now, self.view_of(self.number, None, self.position()), words, self.components)

    def _repr_svg_(self) -> str:
        """The board as a spectator sees it: a notebook shows it in place of the match."""
        from comptoir.art.scene import board_svg

        return board_svg(self.game, self.scene(None, words_of(self.game.name, "en")))

    def save(self, path: str | Path) -> None:
        """Writes the match to a file that people can read and edit."""
        Path(path).write_text(self.text(), encoding="utf-8")

    def text(self) -> str:
        """The match as the text of a match file."""
        from comptoir.engine import matchfile

        return matchfile.write(self)


def replay(match: Match, actions: Iterable[str]) -> Match:
    """Plays the actions one after the other."""
    for action in actions:
        match.play(action)
    return match


def _clean_seed(seed: int | str | None) -> str:
    """A seed is any number or word. Without one, 128 random bits: nobody can find it by trying."""
    text = secrets.token_hex(16) if seed is None else str(seed)
    if not text or text.split() != [text] or "#" in text:
        raise OptionError(f"seed: expected a number or a word without spaces, found {seed!r}")
    return text


def seed_hash(seed: str) -> str:
    """What can be shown before a match without giving away its seed, and checked when the seed is told."""
    return hashlib.sha256(f"comptoir seed {seed}".encode()).hexdigest()
