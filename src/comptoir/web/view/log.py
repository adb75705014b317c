"""What has happened at a table, as a seat has seen it: turns in a sentence each, and the one under way
line by line.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import NamedTuple

from comptoir.art.shapes import seat_mark
from comptoir.engine.match import Match
from comptoir.engine.recap import ActionStep, Recap
from comptoir.engine.rule import Position
from comptoir.engine.rulebook import rules_of
from comptoir.engine.scene import Scene
from comptoir.engine.words import Words
from comptoir.web.domain.archive import ArchivedMatch
from comptoir.web.domain.narration import face_rolled, round_of
from comptoir.web.domain.state import Note

MAX_LOG_ACTIONS = 80  # actions that the log of a table goes back, or a few less; the replay tells all

_RULE = re.compile(r" \[([A-Z]+\d+)\]$")


class LogLine(NamedTuple):
    """A line of the log: after which action, in words, the rule that it shows, and who did it."""

    ply: int
    text: str
    rule: str | None
    seat: int | None = None
    note: str = ""  # it is not about an action: what is shown instead
    die: int = 0  # the face of a die that was rolled


@dataclass(frozen=True)
class LogTurn:
    """A finished turn: in a sentence, with its big moments, and line by line for whoever asks."""

    recap: Recap
    mark: str
    lines: tuple[LogLine, ...]
    round: str  # as the game calls it, where a new one begins
    die: LogLine | None = None  # where one was rolled at its end


Item = LogLine | LogTurn


def lines_of(item: Item) -> tuple[LogLine, ...]:
    """All that the log tells of an item, action by action."""
    return item.lines if isinstance(item, LogTurn) else (item,)


class LogEntry(NamedTuple):
    """What the log says of the start, of a finished turn, or of an action or a note since then.

    `record` is the position after it, `total` counts the items up to here.
    """

    ply: int
    record: Position
    items: tuple[Item, ...]
    total: int
    step: ActionStep[Scene] | None = None  # an action of the turn that is under way
    note: Note | None = None
    round: int | None = None

    @property
    def under_way(self) -> bool:
        return self.step is not None or self.note is not None


def read_line(ply: int, text: str, match: Match, words: Words, seat: int | None = None) -> LogLine:
    """A line of the log from a game's text; its rule only if the rules page has it to link to."""
    rule = _RULE.search(text)
    linked = rule is not None and rule[1] in rules_of(match.game.name, words.lang)
    return LogLine(ply, _RULE.sub("", text), rule[1] if rule and linked else None, seat)


def die_lines(ply: int, dice: Mapping[int, int], words: Words) -> tuple[LogLine, ...]:
    """The die that everyone saw, if one was rolled then. `dice`: the faces, by ply."""
    face = dice.get(ply, 0)
    key = "table.die" if "table.die" in words.texts else "told.die"
    return (LogLine(ply, _RULE.sub("", words.say(key, n=face)), None, die=face),) if face else ()


def _with_die(lines: tuple[LogLine, ...], die: tuple[LogLine, ...], words: Words) -> tuple[LogLine, ...]:
    """A die lies before what comes of it: the line of its own rule, if a game names one."""
    rule = words.texts.get("table.die", {}).get("rule")
    at = next((n for n, line in enumerate(lines) if rule and line.rule == rule), len(lines))
    return (*lines[:at], *die, *lines[at:])


def _dice(match: Match, ply: int, before: Scene | None, after: Scene) -> Mapping[int, int]:
    if isinstance(match, ArchivedMatch):
        return match.dice
    return {ply: face_rolled(match, before, after)}


class Log:
    """The log of one seat in one language. It grows, but for what is taken back and for turns that end."""

    def __init__(self, seat: int | None, past: tuple[Item, ...] = ()) -> None:
        self.seat, self.past = seat, past
        self.entries: list[LogEntry] = []

    def update(self, match: Match, notes: Sequence[Note], scene_at: Callable[[int], Scene]) -> list[LogEntry]:
        """Tells what has happened since; `scene_at` gives what the seat knew after that many actions."""
        entries = self.entries
        self._cut(match, frozenset(notes))  # a list would be compared with itself
        since = entries[-1].ply if entries else _first(match)
        # that there was no choice is told of the turn that went so; all else, after it
        forced, others = _by_ply(notes, since)
        if not entries and since == 0:
            scene = scene_at(0)
            opening = tuple(
                read_line(0, text, match, scene.words) for text in match.story.opening_lines(scene)
            )
            die = die_lines(0, _dice(match, 0, None, scene), scene.words)
            self._add(match, 0, (*self.past, *_with_die(opening, die, scene.words)))
        known = {entry.note for entry in self._at(since)}
        self._add_notes(match, since, [note for note in others[since] if note not in known], scene_at)
        before = scene_at(since) if since < match.ply else None
        for ply in range(since + 1, match.ply + 1):
            assert before is not None
            step = ActionStep(before, match.action_at(ply), scene_at(ply))
            self._act(match, ply, step)
            self._add_notes(match, ply, forced[ply], scene_at)
            if not isinstance(match, ArchivedMatch) and match.ended_turn(ply):
                self._end_turn(match, ply)
            self._add_notes(match, ply, others[ply], scene_at)
            before = step.after
        return entries

    def _cut(self, match: Match, notes: Set[Note]) -> None:
        """Forgets what was taken back, and what came after it. Finished turns are checked from the last one
        back, the turn under way from its first entry on: of its notes any may have been replaced.
        """
        entries = self.entries
        while entries and not _stands(entries[-1], match.records, notes):
            entries.pop()
        first = len(entries)
        while first and entries[first - 1].under_way:
            first -= 1
        gone = (n for n in range(first, len(entries)) if not _stands(entries[n], match.records, notes))
        del entries[next(gone, len(entries)) :]

    def _at(self, ply: int) -> Iterator[LogEntry]:
        """The last entries, of that moment."""
        return takewhile(lambda entry: entry.ply == ply, reversed(self.entries))

    def _add(
        self,
        match: Match,
        ply: int,
        items: tuple[Item, ...],
        *,
        step: ActionStep[Scene] | None = None,
        note: Note | None = None,
        round: int | None = None,
    ) -> None:
        total = len(items) + (self.entries[-1].total if self.entries else 0)
        self.entries.append(LogEntry(ply, match.records[ply], items, total, step, note, round))

    def _act(self, match: Match, ply: int, step: ActionStep[Scene]) -> None:
        seat = step.before.position["turn"]
        words = step.after.words
        lines = tuple(read_line(ply, text, match, words, seat) for text in match.story.log_lines(step))
        die = die_lines(ply, _dice(match, ply, step.before, step.after), words)
        self._add(match, ply, _with_die(lines, die, words), step=step)

    def _add_notes(
        self, match: Match, ply: int, notes: Sequence[Note], scene_at: Callable[[int], Scene]
    ) -> None:
        """What people did other than playing; people do not see their own undo."""
        for note in notes:
            if note.seat != self.seat or note.kind != "undo":
                text = scene_at(ply).words.say(f"told.{note.kind}", name=match.names[note.seat])
                self._add(match, ply, (LogLine(ply, text, None, note.seat, note.kind),), note=note)

    def _end_turn(self, match: Match, ply: int) -> None:
        """The turn that was shown action by action is now shown in one sentence."""
        steps, lines = [], []
        while self.entries and self.entries[-1].under_way:
            entry = self.entries.pop()
            steps += [entry.step] if entry.step else []
            lines.append(entry.items)
        steps.reverse()
        told = [line for items in reversed(lines) for line in items if isinstance(line, LogLine)]
        number = round_of(steps[0].before)[0]
        before = self.entries[-1].round if self.entries else None
        self._add(match, ply, (turn_item(match, ply, steps, told, before),), round=number)


def turn_item(
    match: Match, ply: int, steps: Sequence[ActionStep[Scene]], lines: Sequence[LogLine], before: int | None
) -> LogTurn:
    """The turn that ended after `ply` actions; `before` is the round of the turn before it, if any."""
    number, name = round_of(steps[0].before)
    begins = number is not None and number != before
    return turn_of(match.story.recap(ply - len(steps), steps), lines, name if begins else "")


def turn_of(recap: Recap, lines: Sequence[LogLine], round: str) -> LogTurn:
    mark = "" if recap.seat is None else seat_mark(recap.seat)
    die = next((line for line in lines if line.die), None)
    return LogTurn(recap, mark, tuple(line for line in lines if line is not die), round, die)


def _by_ply(notes: Sequence[Note], since: int) -> tuple[dict[int, list[Note]], dict[int, list[Note]]]:
    """The notes from a moment on, by their moments: that there was no choice, and all others."""
    forced: dict[int, list[Note]] = defaultdict(list)
    others: dict[int, list[Note]] = defaultdict(list)
    for note in notes:
        if note.ply >= since:
            (forced if note.kind == "forced" else others)[note.ply].append(note)
    return forced, others


def _stands(entry: LogEntry, records: Sequence[Position], notes: Set[Note]) -> bool:
    """Whether it has not been taken back."""
    if entry.ply >= len(records) or records[entry.ply] is not entry.record:
        return False
    return entry.note is None or entry.note in notes


def _first(match: Match) -> int:
    """After how many actions a log begins: not long ago, and with a whole turn."""
    if match.ply <= MAX_LOG_ACTIONS or isinstance(match, ArchivedMatch):
        return max(0, match.ply - MAX_LOG_ACTIONS)
    latest = range(match.ply - MAX_LOG_ACTIONS, match.ply)  # not all of a long match is looked through
    ends = (ply for ply in latest if match.ended_turn(ply))
    return next(ends, match.ply)


def past_items(past: Match | None, seat: int | None, words: Words) -> tuple[Item, ...]:
    """The last turns of the match that a table goes on from, as the seat saw them; without numbers."""
    if past is None:
        return ()
    entries = Log(seat).update(past, (), lambda ply: past.scene_at(ply, seat, words))
    items = [_unnumbered(item) for entry in entries for item in entry.items]
    return (*items, LogLine(0, words.say("told.goes_on"), None, None, "goes-on"))


def _unnumbered(item: Item) -> Item:
    if isinstance(item, LogLine):
        return item._replace(ply=0)
    return replace(item, recap=replace(item.recap, first=0, last=0))
