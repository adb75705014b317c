"""The log of a table: turns in a sentence, the turn under way line by line, what is taken back, hints."""

from __future__ import annotations

import random
from html import escape
from typing import Any

import pytest

from comptoir.art.shapes import die
from comptoir.engine.game import get_game
from comptoir.engine.words import LANGUAGES
from comptoir.web.domain import decide, queries
from comptoir.web.domain.continuation import continue_from
from comptoir.web.domain.evolve import evolve, from_events
from comptoir.web.domain.perspective import EVERYTHING, SPECTATOR
from comptoir.web.domain.refusals import Refused
from comptoir.web.domain.state import Event, Table, TableSettings
from comptoir.web.live.open_table import MAX_UNSHOWN_SECONDS, OpenTable
from comptoir.web.view.log import MAX_LOG_ACTIONS, LogEntry, LogLine, LogTurn
from comptoir.web.view.page_parts import item_html
from comptoir.web.view.presenter import TablePresenter
from comptoir.web.view.replays import LOG_PAGE_LINES, curve, frame, log_page, narration
from tests.web.app_harness import NOW, AppHarness, in_app, play_on, table_of

GAMES = ("batavia", "century", "marco_polo", "sail_to_india")
THREE: list[str | tuple[str, str]] = [("p0", "Anne"), ("p1", "Bruno"), ("p2", "Chloé")]


@pytest.fixture
def lite(tmp_path: Any) -> str:
    return f"sqlite:///{tmp_path / 'comptoir.sqlite'}"


def act(live: OpenTable, chance: random.Random) -> None:
    table = live.table
    assert table.match is not None
    assert table.turn is not None
    person = table.seats[table.turn].person
    live.replace_table(
        evolve(table, decide.play(table, NOW, person, table.turn, chance.choice(table.match.actions())))
    )


def turns(entries: list[LogEntry]) -> list[LogTurn]:
    return [item for entry in entries for item in entry.items if isinstance(item, LogTurn)]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("name", GAMES)
def test_a_finished_turn_is_the_rules_own_recap(name: str, lang: str) -> None:
    live, chance = OpenTable(table_of(name, THREE, seed="1")), random.Random(4)
    for _ in range(MAX_LOG_ACTIONS):
        act(live, chance)
        entries = live.presenter.log(1, lang)
    match = live.table.match
    assert match is not None
    told = [item.recap for item in turns(entries)]
    recaps = match.story.recaps(1, lang)
    assert [(recap.first, recap.last, recap.seat) for recap in told] == [
        (recap.first, recap.last, recap.seat) for recap in recaps
    ]
    assert [plain(recap.sentence) for recap in told] == [plain(recap.sentence) for recap in recaps]
    assert [item.lines[-1].ply for item in turns(entries)] == [recap.last for recap in recaps]
    under_way = [item for entry in entries for item in entry.items if isinstance(item, LogLine) and item.ply]
    assert all(line.ply > recaps[-1].last for line in under_way)
    assert entries[-1].total == sum(len(entry.items) for entry in entries)


def plain(text: str) -> str:
    """Without what the pages set otherwise: thin spaces and the like."""
    return text.replace("\u202f", " ").replace("\u00a0", " ").replace("’", "'").replace(" ", "")


@pytest.mark.parametrize("name", GAMES)
def test_who_comes_late_reads_the_last_turns_as_they_were_told(name: str) -> None:
    table = play_on(table_of(name, THREE, seed="1"), 160, random.Random(5))
    late = turns(OpenTable(table).presenter.log(None, "fr"))
    assert table.match is not None
    recaps = {recap.last: recap.first for recap in table.match.story.recaps()}
    assert [item.recap.last for item in late] == list(recaps)[-len(late) :]
    assert all(item.recap.first == recaps[item.recap.last] for item in late)
    assert late[0].recap.first >= table.match.ply - MAX_LOG_ACTIONS


def test_rounds_are_headed_once() -> None:
    table = play_on(table_of("batavia", THREE, seed="1"), 60, random.Random(6))
    heads = [item.round for item in turns(OpenTable(table).presenter.log(None, "en")) if item.round]
    assert heads == [f"Round {n}" for n in range(1, len(heads) + 1)]
    assert len(heads) > 2


def test_a_turn_as_html_has_its_colour_its_moments_and_its_lines() -> None:
    table = play_on(table_of("sail_to_india", THREE, seed="1"), 10_000, random.Random(2))
    shown = [item for item in turns(OpenTable(table).presenter.log(None, "en")) if item.recap.highlights]
    html = item_html(shown[0], "sail_to_india")
    recap = shown[0].recap
    assert f'class="turn of-{recap.seat}"' in html
    assert escape(recap.highlights[0].text, quote=False) in html.replace("&#39;", "'")
    assert 'class="moment"' in html
    assert html.count("<li") == 1 + len(shown[0].lines)
    assert 'class="rule"' in html


# What people do besides playing


def undoable(live: OpenTable, chance: random.Random) -> str:
    """Plays until somebody may take back; who."""
    for _ in range(200):
        act(live, chance)
        person = live.table.decisions[-1].person
        if person is not None and live.table.may_undo(person) is not None:
            return person
    pytest.fail("nothing can be taken back")


def notes(live: OpenTable, seat: int | None) -> list[LogLine]:
    return [
        item
        for entry in live.presenter.log(seat, "en")
        for item in entry.items
        if isinstance(item, LogLine) and item.note
    ]


def test_what_another_takes_back_is_announced_once() -> None:
    live, chance = OpenTable(table_of("batavia", THREE, seed="1")), random.Random(3)
    person = undoable(live, chance)
    seat = int(person[1])
    for _ in range(2):  # played again and taken back again, it is told once
        live.replace_table(evolve(live.table, decide.undo(live.table, live.now(), person)))
        assert [note.text for note in notes(live, None)] == [f"{THREE[seat][1]} took back an action."]
        assert notes(live, seat) == []
        assert live.table.match is not None
        again = next(action for action in live.table.match.actions() if "bid" in action or "pass" in action)
        live.replace_table(evolve(live.table, decide.play(live.table, live.now(), person, seat, again)))
        assert len(notes(live, None)) == 1


def test_alone_with_bots_nobody_is_told() -> None:
    live = OpenTable(table_of("batavia", [("p0", "Anne"), ("p0", "Bruno"), ("p0", "Chloé")], seed="1"))
    person = undoable(live, random.Random(3))
    live.replace_table(evolve(live.table, decide.undo(live.table, live.now(), person)))
    assert live.table.notes == ()
    assert not queries.hint_noted(live.table)
    after = evolve(live.table, decide.hint(live.table, live.now(), "p0"))
    assert queries.hint_noted(after), "kept once, for the ladder, and told to nobody"
    assert after.notes == ()


def test_a_hint_is_marked_once_a_decision() -> None:
    table = table_of("batavia", THREE, seed="1")
    turn = table.turn
    assert turn is not None
    assert not queries.hint_noted(table)
    after = evolve(table, decide.hint(table, NOW, f"p{turn}"))
    assert queries.hint_noted(after)
    assert [note.text for note in notes(OpenTable(after), None)] == [f"{THREE[turn][1]} took a hint."]
    with pytest.raises(Refused):
        decide.hint(table, NOW, f"p{(turn + 1) % 3}")


def test_a_table_without_hints() -> None:
    table = table_of("batavia", THREE, no_hints=True)
    with pytest.raises(Refused, match="no_hints"):
        decide.hint(table, NOW, f"p{table.turn}")


def test_over_the_socket(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        people = [made.person(name) for name in ("Anne", "Bruno", "Chloé")]
        live = await made.make("batavia", *[one.sits for one in people])
        sockets = [await one.socket(live.table.id) for one in people]
        turn = live.table.turn
        assert turn is not None
        other = (turn + 1) % 3
        answer = await sockets[turn].ask("hint")
        while answer.get("type") != "hint":
            answer = await sockets[turn].receive()
        await sockets[other].until(live.table.version)
        assert "took a hint." in sockets[other].lines[-1] or "demandé un conseil" in sockets[other].lines[-1]
        closed = await made.make("batavia", *[one.sits for one in people], no_hints=True)
        quiet = await people[closed.table.turn or 0].socket(closed.table.id)
        assert (await quiet.ask("hint"))["type"] == "refused"

    in_app(lite, work)


# A table that goes on from a match


@pytest.mark.parametrize("name", GAMES)
def test_a_table_that_goes_on_begins_with_what_went_before(name: str) -> None:
    over = play_on(table_of(name, THREE, seed="1"), 10_000, random.Random(8))
    assert over.match is not None
    middle = over.match.ply // 2
    settings = continue_from(over, middle, "me")
    table = from_events("on", [Event(1, "made", text=settings.text(), at=1.0)])
    table = evolve(table, decide.sit(table, NOW, "me", 0, "Zoé"))
    for seat in (1, 2):
        table = evolve(table, decide.seat_bot(table, NOW, "me", seat, "clerk"))
    table = evolve(table, decide.begin(table, NOW, "me"))
    entries = OpenTable(table).presenter.log(0, "en")
    past = turns(entries)
    assert past
    assert len(past) == len(over.match.at(middle).story.recaps(0)) or middle > MAX_LOG_ACTIONS
    assert "Anne" not in "".join(item.recap.sentence for item in past)
    assert all(item.recap.last == 0 for item in past)
    assert entries[-1].items[-1].note == "goes-on"  # type: ignore[union-attr]


def test_a_replay_steps_by_turns_and_draws_the_scores() -> None:
    table = play_on(table_of("century", THREE, seed="1"), 10_000, random.Random(8))
    match = table.match
    assert match is not None
    ends = [recap.last for recap in match.story.recaps()]
    shown = frame(TablePresenter(table), ends[3], EVERYTHING, "en", "wide")
    assert (shown.last_turn, shown.next_turn) == (ends[2], ends[4])
    first, last = (
        frame(TablePresenter(table), 0, EVERYTHING, "en", "wide"),
        frame(TablePresenter(table), match.ply, EVERYTHING, "en", "wide"),
    )
    assert (first.last_turn, last.next_turn) == (None, None)
    assert shown.curve is not None
    assert len(shown.curve.lines) == 3
    assert shown.curve.most >= max(match.scores())
    assert all(len(line.split()) == len(shown.turns) for line in shown.curve.lines)
    other = play_on(table_of("batavia", THREE, seed="1"), 10_000, random.Random(8))
    bills = other.match
    assert bills is not None
    assert curve(TablePresenter(other), SPECTATOR) != curve(TablePresenter(other), EVERYTHING)


@pytest.mark.parametrize("side", [EVERYTHING, 1, SPECTATOR])
@pytest.mark.parametrize("name", GAMES)
def test_a_replays_log_is_told_by_turns(name: str, side: int | str) -> None:
    """As at the table, from every side; with everything open each turn as its own seat saw it."""
    table = play_on(table_of(name, THREE, seed="1"), 60, random.Random(5))
    match = table.match
    assert match is not None
    items = frame(TablePresenter(table), 7, side, "fr", "wide").log.items
    told = [item for item in items if isinstance(item, LogTurn)]
    for item in told:
        seen_by = item.recap.seat if side == EVERYTHING else None if side == SPECTATOR else int(side)
        recap = next(one for one in match.story.recaps(seen_by, "fr") if one.last == item.recap.last)
        assert plain(item.recap.sentence) == plain(recap.sentence)
    assert [item.recap.last for item in told] == [recap.last for recap in match.story.recaps()]
    under_way = {item.ply for item in items if isinstance(item, LogLine) and item.ply}
    assert under_way == set(range(told[-1].recap.last + 1, match.ply + 1))


def test_of_a_long_match_the_part_of_the_log_near_the_moment_is_sent() -> None:
    """Each moment is told of in one part, and the parts are the whole log."""
    table = play_on(table_of("century", THREE, seed="1"), 10_000, random.Random(8))
    match = table.match
    assert match is not None
    items = narration(TablePresenter(table), EVERYTHING, "en").items()
    at, parts = 0, []
    while True:
        part = log_page(items, at)
        assert (part.since < at <= part.until, part.before) == (True, at > 0)
        assert (
            sum(1 + len(item.lines) for item in part.items if isinstance(item, LogTurn))
            <= LOG_PAGE_LINES + 100
        )
        parts += part.items
        if not part.after:
            break
        at = part.until + 1
    assert parts == items
    assert at > 0
    assert log_page([], 0).items == []


def test_a_replay_names_the_big_moments_where_they_were() -> None:
    table = play_on(table_of("century", THREE, seed="1"), 10_000, random.Random(8))
    match = table.match
    assert match is not None
    for recap in match.story.recaps()[-6:]:
        shown = frame(TablePresenter(table), recap.last, EVERYTHING, "en", "wide").moments
        assert [moment.kind for moment in shown] == [moment.kind for moment in recap.highlights]
    assert frame(TablePresenter(table), match.ply, EVERYTHING, "en", "wide").moments
    assert not frame(TablePresenter(table), 1, EVERYTHING, "en", "wide").moments


# The die


def test_the_die_is_shown_where_one_is_rolled() -> None:
    """Batavia's, at the start of every round; everyone sees it, and sees as many cards turned up."""
    table = play_on(table_of("batavia", THREE, seed="1"), 60, random.Random(5))
    assert table.match is not None
    lots = [int(record["lot"].sum()) for record in table.match.records]
    rounds = [int(record["round_number"]) for record in table.match.records]
    begun = [ply for ply in range(1, len(rounds)) if rounds[ply] > rounds[ply - 1]]
    expected = {ply: lots[ply] - lots[ply - 1] for ply in begun} | {0: lots[0]}
    assert len(expected) >= 3
    for seat in (None, 0):
        entries = OpenTable(table).presenter.log(seat, "en")
        dice = [item.die for item in turns(entries) if item.die]
        opening = [item for item in entries[0].items if isinstance(item, LogLine) and item.die]
        rules = ["die" if line.die else line.rule for line in entries[0].items if isinstance(line, LogLine)]
        assert rules.index("die") + 1 == rules.index("B10")  # before what it decides
        assert {line.ply: line.die for line in (*opening, *dice)} == expected
    html = item_html(next(item for item in turns(entries) if item.die), "batavia")
    face = dice[0].die
    assert (
        f'data-kind="die"><svg class="die" viewBox="-11 -11 22 22" aria-hidden="true">{die(face)}</svg>'
        in html
    )
    assert f"The die shows {face}: {face} card" in html
    shown = frame(TablePresenter(table), begun[0], 0, "en", "wide")
    assert [line.die for line in shown.now if line.die] == [expected[begun[0]]]


def test_no_die_where_none_is_rolled() -> None:
    for name in GAMES[1:]:
        table = play_on(table_of(name, THREE, seed="1"), 60, random.Random(5))
        entries = OpenTable(table).presenter.log(None, "en")
        assert not any(item.die for entry in entries for item in entry.items)


# How fast bots act


@pytest.mark.slow
def test_a_bots_turn_is_told_as_a_whole(lite: str) -> None:
    """Briskly, people hear of a bot's turn once it has passed; slowly, of each of its actions."""

    async def told(made: AppHarness, speed: str) -> tuple[list[int], Table]:
        anne = made.person("Anne")
        options = get_game("century").read_options(2, first="1")
        settings = TableSettings("century", options, "1", creator=anne.id)
        table = await made.tables.make(settings, [anne.sits, "clerk"])
        live = await made.tables.find(table.id)
        live.speed = speed
        socket = await anne.socket(table.id)
        versions: list[int] = []
        while len(versions) < 20:
            if live.table.turn == 0:
                assert live.table.match is not None
                await socket.ask("play", action=live.table.match.actions()[-1])
            else:
                versions.append((await socket.receive())["version"])
        return versions, live.table

    async def work(made: AppHarness) -> None:
        for speed in ("slow", "brisk"):
            versions, table = await told(made, speed)
            match = table.match
            assert match is not None
            first = table.version - match.ply  # the version at which the match began
            ends = {recap.last for recap in match.story.recaps()}
            amid = {
                ply
                for ply in range(1, match.ply)
                if match.records[ply - 1].turn == match.records[ply].turn == 1
            } - ends
            heard = {version - first for version in versions}
            assert amid
            assert bool(amid & heard) == (speed == "slow"), speed
            assert ends & heard

    in_app(lite, work, bot_delay=0.02)


def test_a_long_turn_is_told_so_far() -> None:
    live, chance = OpenTable(table_of("century", ["clerk", "clerk"], seed="1")), random.Random(3)
    before = live.table
    while live.table is before or not live.is_mid_turn(before):
        before = live.table
        act(live, chance)
    live.unshown_since = -MAX_UNSHOWN_SECONDS  # since long ago
    assert not live.is_mid_turn(before)
    live.unshown_since, live.speed = None, "slow"
    assert not live.is_mid_turn(before)


def test_who_may_say_how_fast_bots_act() -> None:
    assert queries.may_set_bot_speed(table_of("batavia", [("p0", "Anne"), "clerk", "clerk"]), "p0")
    assert not queries.may_set_bot_speed(table_of("batavia", [("p0", "Anne"), "clerk", "clerk"]), "p1")
    assert not queries.may_set_bot_speed(table_of("batavia", THREE, seed="1"), "p0")
    mixed = table_of("batavia", [("p0", "Anne"), ("p1", "Bruno"), "clerk"], creator="p1")
    assert [queries.may_set_bot_speed(mixed, person) for person in ("p0", "p1", None)] == [False, True, False]


def test_bots_are_hurried_and_skipped(lite: str) -> None:
    async def work(made: AppHarness) -> None:
        anne, bruno = made.person("Anne"), made.person("Bruno")
        options = get_game("batavia").read_options(3, first="1")
        settings = TableSettings("batavia", options, "1", creator=anne.id)
        table = await made.tables.make(settings, ["passer-by", anne.sits, "passer-by"])
        live = await made.tables.find(table.id)
        socket = await anne.socket(live.table.id)
        assert socket.last_view["speed"] == "brisk"
        assert socket.last_view["skip"]
        stranger = await bruno.socket(live.table.id)
        assert stranger.last_view["speed"] is None
        for message in ({"type": "skip"}, {"type": "bot_speed", "speed": "at once"}):
            assert (await stranger.ask(**message))["type"] == "refused"
        assert (await socket.ask("bot_speed", speed="headlong"))["type"] == "refused"
        assert live.table.match is not None
        assert live.table.match.ply == 0  # the pause is an hour
        socket.send(type="skip")
        while live.table.turn != 1:
            await socket.receive()
        assert not live.skipping
        socket.send(type="bot_speed", speed="at once")
        while socket.last_view["speed"] != "at once":
            await socket.receive()
        await socket.ask("play", action=live.table.match.actions()[0])
        while live.table.turn != 1:
            await socket.receive()
        assert not socket.last_view["skip"] or live.table.bot

    in_app(lite, work, bot_delay=3600)
