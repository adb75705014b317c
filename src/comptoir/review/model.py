"""What a review comes to: what decisions cost, how accurate everyone was, luck apart from choice, and where
the match turned.

All of it is worked out from what was measured action by action; nothing is thought about again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from comptoir.review.analysis import JudgedPlan, Shares, TurnAnalysis
from comptoir.review.mistake_kinds import mistake_kind

TURNING_POINTS = 3
MIN_SWING = 0.02  # what moves the chances by less has turned nothing


@dataclass(frozen=True)
class ReviewedAction:
    """One action of the match, as it was measured.

    `known`: what its seat could do in the rest of its turn, as it knew then; with the first action of the
    turn that was a choice. The rest with all cards open: everyone's chances before it (None: as after it, for
    there was no choice), and, where something was rolled, the chances that were to be expected.
    """

    seat: int
    action: str
    known: TurnAnalysis
    chances: Shares | None
    expected: Shares | None


@dataclass(frozen=True)
class JudgedTurn:
    """A turn, or a part of one until chance intervened, judged by what its seat knew."""

    first: int  # its actions are `first` + 1 to `last`
    last: int
    seat: int
    plans: tuple[JudgedPlan, ...]  # the best first
    played: JudgedPlan

    @property
    def best(self) -> JudgedPlan:
        return self.plans[0]

    @property
    def loss(self) -> float:
        """The share of the win that the best plan promised beyond what was played."""
        return max(0.0, self.played.loss)

    @property
    def sure_loss(self) -> float:
        """The low end of its interval: it costs at least that."""
        return max(0.0, self.played.loss - self.played.margin)

    @property
    def kind(self) -> str:
        """`inaccuracy`, `mistake`, `blunder`; nothing for what cost little, or may have cost nothing."""
        return mistake_kind(self.sure_loss)


@dataclass(frozen=True)
class LuckSkillBreakdown:
    """Where a seat's result comes from, in shares of the win: an even share and these make the result.

    `deal`: the start, with its cards and order. `luck`: what was rolled and drawn. `own`: its own choices.
    `others`: those of the others. With all cards open.
    """

    deal: float
    luck: float
    own: float
    others: float


@dataclass(frozen=True)
class TurningPoint:
    """A turn that changed the chances: its actions are `first` + 1 to `last`."""

    first: int
    last: int
    swing: float  # how much of the win changed hands
    seat: int  # whose chances changed most; of several, who acted
    before: float  # those of that seat
    after: float
    luck: float  # that part of its change which nobody chose
    costly: int | None  # the judged turn in it that cost most, if its loss has a name: the actions before it


@dataclass(frozen=True)
class Review:
    """A finished match, reviewed. `turns`: after how many actions each turn ended."""

    game: str
    rules: int
    match: str  # a hash of the match
    players: int
    level: str
    seed: str
    turns: tuple[int, ...]
    entries: tuple[ReviewedAction, ...]
    result: Shares | None = None  # None: it is not done yet

    @property
    def done(self) -> bool:
        return self.result is not None

    @cached_property
    def chances(self) -> tuple[Shares, ...]:
        """Everyone's chances after each number of actions, the result at the end."""
        assert self.result is not None
        found = [self.result]
        for entry in reversed(self.entries):
            found.append(found[-1] if entry.chances is None else entry.chances)
        return tuple(reversed(found))

    @cached_property
    def judged_turns(self) -> tuple[JudgedTurn, ...]:
        """The turns in which something could be chosen, in the order of the match."""
        return tuple(filter(None, map(self._judged_turn, range(len(self.entries)))))

    def _judged_turn(self, ply: int) -> JudgedTurn | None:
        known, last = self.entries[ply].known, ply + self.entries[ply].known.length
        actions = tuple(entry.action for entry in self.entries[ply:last])
        played = next((plan for plan in known.plans if plan.actions == actions), None)
        return played and JudgedTurn(ply, last, self.entries[ply].seat, known.plans, played)

    def turn_at(self, ply: int) -> JudgedTurn | None:
        """The judged turn that the action after `ply` others belongs to."""
        return next((turn for turn in self.judged_turns if turn.first <= ply < turn.last), None)

    def turn_number(self, ply: int) -> int:
        """Which turn of the match the action after `ply` others belongs to, from 1 on."""
        return 1 + sum(end <= ply for end in self.turns)

    def costly_turns(self, seat: int | None = None) -> list[JudgedTurn]:
        """The turns whose loss has a name, of a seat or of all, in the order of the match."""
        return [turn for turn in self.judged_turns if turn.kind and seat in (None, turn.seat)]

    def count(self, seat: int, kind: str) -> int:
        """How many of a kind a seat has made."""
        return sum(turn.kind == kind for turn in self.costly_turns(seat))

    def accuracy(self, seat: int) -> float | None:
        """The part of what its turns promised that a seat has kept, from 0 to 1; None if it decided nothing.

        Where less than an even share was promised, the loss counts against that: there is little to keep.
        """
        judged = [turn for turn in self.judged_turns if turn.seat == seat]
        even = 1 / self.players
        kept = [1 - turn.loss / max(turn.best.share, even) for turn in judged]
        return sum(kept) / len(kept) if kept else None

    def luck(self, ply: int, seat: int) -> float:
        """What the dice of the action after `ply` others did to a seat's chances."""
        expected = self.entries[ply].expected
        return 0.0 if expected is None else self.chances[ply + 1][seat] - expected[seat]

    def breakdown(self, seat: int) -> LuckSkillBreakdown:
        """Where a seat's result comes from."""
        luck = own = others = 0.0
        for ply, entry in enumerate(self.entries):
            rolled = self.luck(ply, seat)
            chosen = self.chances[ply + 1][seat] - self.chances[ply][seat] - rolled
            luck += rolled
            own += chosen if entry.seat == seat else 0.0
            others += 0.0 if entry.seat == seat else chosen
        return LuckSkillBreakdown(self.chances[0][seat] - 1 / self.players, luck, own, others)

    def turning_points(self) -> list[TurningPoint]:
        """The turns in which most of the win changed hands, in the order of the match."""
        points = [self._turn(first, last) for first, last in self._turns()]
        turned = sorted(
            (point for point in points if point.swing >= MIN_SWING), key=lambda point: -point.swing
        )
        return sorted(turned[:TURNING_POINTS], key=lambda point: point.first)

    def _turns(self) -> list[tuple[int, int]]:
        ends = [*self.turns, len(self.entries)]
        return [(first, last) for first, last in zip([0, *ends], ends, strict=False) if first < last]

    def _turn(self, first: int, last: int) -> TurningPoint:
        before, after = self.chances[first], self.chances[last]
        changes = [then - now for now, then in zip(before, after, strict=True)]
        acted = {self.entries[ply].seat for ply in range(first, last)}
        most = max(map(abs, changes)) - MIN_SWING
        near = [seat for seat in range(self.players) if abs(changes[seat]) >= most]
        seat = next((seat for seat in near if seat in acted), near[0])
        costly = [turn for turn in self.judged_turns if first <= turn.first < last and turn.kind]
        return TurningPoint(
            first=first,
            last=last,
            swing=swing(before, after),
            seat=seat,
            before=before[seat],
            after=after[seat],
            luck=sum(self.luck(ply, seat) for ply in range(first, last)),
            costly=max(costly, key=lambda turn: turn.sure_loss).first if costly else None,
        )


def swing(before: Sequence[float], after: Sequence[float]) -> float:
    """How much of the win has changed hands between two moments."""
    return sum(abs(then - now) for now, then in zip(before, after, strict=True)) / 2
