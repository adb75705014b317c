"""One turn of Sail to India by the rulebook's own words, written without a look at `rules.py`: every step
that they allow.

« À n'importe quel moment durant votre tour » is taken at its word: markers return and technologies are used
between any two steps, also between paying and gaining, and the kind of ship that returns is chosen. Where the
rulebook is silent, the rulings hold: S14, S22, S23, S31 (the keeper with the rest returns), S33, S34, S54. It
is slow and plain, and only for small positions.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from comptoir.games.sail_to_india import rules

if TYPE_CHECKING:
    from comptoir.games.sail_to_india.records import Box, Position

# has not sailed in this action; has; has left Lisbon for a stronghold's sea, and may sail on
FRESH, SAILED, PLACED = range(3)
COSTS = {"activate": 1, "build": 2, "banking": 2, "cartography": 1}
SALE_VP = (0, 0, 0, 1, 1, 2, 4)
Space = tuple[int, str]  # a town, from 1, and a letter
Markers = tuple[int, int, int]  # by what they have done in this action
# VP or wealth, how much, and whether that is a surplus: what fitted has been kept
Gain = tuple[str, int, bool]


class Turn(NamedTuple):
    """Where all pieces of one player are, and what is under way."""

    stage: str = "free"  # or sailing, landing, charting, charted, converting, selling
    gains: tuple[Gain, ...] = ()  # VP and wealth still to be kept, the last first
    points: int = 2
    lisbon: Markers = (0, 0, 0)
    seas: tuple[Markers, ...] = ()
    land: frozenset[Space] = frozenset()
    wealth: int = 0
    vp: int = 0
    historians: tuple[int, ...] = ()  # in the order in which they were appointed: the last one has the rest
    reserve: int = 0
    speed: int = 1
    scientists: int = 0
    technologies: frozenset[str] = frozenset()
    face_up: int = 3
    discovered: bool = False
    moved: bool = False
    departed: int = 0
    sold: frozenset[str] = frozenset()
    used: frozenset[str] = frozenset()  # what is limited to once a turn


class Coast(NamedTuple):
    """What does not change in the turn."""

    cards: tuple[int, ...]  # in the row, with the one that would be discovered now
    last: int
    taken: frozenset[Space]  # by others
    owned: frozenset[str]  # technologies that others have
    goods: Any
    buildings: Any
    costs: dict[str, int]

    def on(self, space: Space) -> str:
        town, letter = space
        nth, card = "abcd".index(letter), self.cards[town - 1]
        return (
            rules.GOODS[self.goods[card][nth]] if nth < 2 else rules.BUILDINGS[self.buildings[card][nth - 2]]
        )


End = tuple[Any, ...]


def end_of(t: Turn) -> End:
    """What is left of a turn when it is over: where everything lies."""
    seas = tuple(sum(sea) for sea in t.seas)
    return sum(t.lisbon), seas, t.land, t.wealth, t.vp, t.reserve, t.speed, t.technologies, t.face_up


# Pieces that come and go


def more(markers: Markers, kind: int, by: int = 1) -> Markers:
    counts = list(markers)
    counts[kind] += by
    return counts[0], counts[1], counts[2]


def bankers(amount: int) -> int:
    return -(-amount // 5)


def to_lisbon(t: Turn, kind: int, by: int = 1) -> Turn:
    return t._replace(lisbon=more(t.lisbon, SAILED if kind == PLACED else kind, by))


def at_sea(t: Turn, town: int, kind: int, by: int) -> Turn:
    seas = list(t.seas)
    seas[town - 1] = more(seas[town - 1], kind, by)
    return t._replace(seas=tuple(seas))


def pays(t: Turn, cost: int) -> Turn:
    """« Le banquier qui n'a plus rien à gérer est automatiquement renvoyé à Lisbonne. »"""
    idle = bankers(t.wealth) - bankers(t.wealth - cost)
    return to_lisbon(t._replace(wealth=t.wealth - cost), FRESH, idle)


def gains(t: Turn, kind: str, n: int) -> Turn:
    return t._replace(gains=(*t.gains, (kind, n, False))) if n else t


def check_open_table_limit(t: Turn, kind: str) -> int:
    amount = t.vp if kind == "vp" else t.wealth
    return 5 * bankers(amount) - amount


# Steps


def steps(t: Turn, coast: Coast) -> Iterator[Turn]:
    """All that a player may do next.

    A surplus for which there is room now is no surplus: it is kept before anything else.
    """
    if t.gains and t.gains[-1][2] and check_open_table_limit(t, t.gains[-1][0]):
        yield from keeps(t)
        return
    yield from returns(t)
    yield from effects(t, coast)
    if t.gains:
        yield from keeps(t)
    elif t.stage == "sailing":
        yield from sails(t, coast)
        yield anchors(t)
    elif t.stage == "landing":
        yield discovers(t, coast)
    elif t.stage == "charting":
        yield t._replace(stage="converting")
    elif t.stage == "selling":
        yield from sells(t, coast)
        yield closes(t, coast)
    else:
        if t.stage == "converting":
            yield from converts(t, coast)
        if t.points:
            yield from actions(t._replace(stage="free", points=t.points - 1), coast)


def may_end(t: Turn) -> bool:
    return not t.gains and t.stage in ("free", "converting")


def returns(t: Turn) -> Iterator[Turn]:
    """« Retour d'autant de navires, marqueurs marchandises ou bâtiment, banquiers et historiens que vous le
    souhaitez ».
    """
    for space in t.land:
        yield to_lisbon(t._replace(land=t.land - {space}), FRESH)
    for town, sea in enumerate(t.seas, 1):
        for kind in range(3):
            if sea[kind]:
                yield to_lisbon(at_sea(t, town, kind, -1), kind)
    if t.wealth:
        yield to_lisbon(t._replace(wealth=5 * (bankers(t.wealth) - 1)), FRESH)
    if t.vp:
        yield to_lisbon(
            t._replace(vp=5 * (bankers(t.vp) - 1), historians=t.historians[:-1]), t.historians[-1]
        )


def effects(t: Turn, coast: Coast) -> Iterator[Turn]:
    """« Application des effets d'une technologie en votre possession »."""
    if "banking" in t.technologies - t.used and t.wealth >= COSTS["banking"]:
        yield gains(pays(t._replace(used=t.used | {"banking"}), COSTS["banking"]), "vp", 1)
    if "geography" in t.technologies - t.used:
        for n in range(1, len(t.land) + 1):
            for spaces in combinations(t.land, n):
                after = t._replace(land=t.land - set(spaces), used=t.used | {"geography"})
                for town, _ in spaces:
                    after = at_sea(after, town, FRESH, 1)
                yield after
    if t.stage == "charting" and "cartography" in t.technologies and t.wealth >= COSTS["cartography"]:
        yield gains(pays(t._replace(stage="charted"), COSTS["cartography"]), "vp", 1)
    if "architecture" in t.technologies - t.used and t.moved and t.stage in ("free", "converting", "selling"):
        stage = "free" if t.stage == "converting" else t.stage
        yield from builds(t._replace(stage=stage, used=t.used | {"architecture"}), coast)


def keeps(t: Turn) -> Iterator[Turn]:
    """What fits is kept; for the rest a marker is fetched from Lisbon, or it is lost."""
    *others, (kind, n, _) = t.gains
    if check_open_table_limit(t, kind):
        kept = min(n, check_open_table_limit(t, kind))
        t = t._replace(vp=t.vp + kept) if kind == "vp" else t._replace(wealth=t.wealth + kept)
        yield settled(t, others, kind, n - kept)
        return
    yield settled(t, others, kind, 0)
    for past in (FRESH, SAILED):
        if t.lisbon[past]:
            kept, after = min(n, 5), to_lisbon(t, past, -1)
            if kind == "vp":
                after = after._replace(vp=t.vp + kept, historians=(*t.historians, past))
            else:
                after = after._replace(wealth=t.wealth + kept)
            yield settled(after, others, kind, n - kept)


def settled(t: Turn, others: list[Gain], kind: str, left: int) -> Turn:
    t = t._replace(gains=(*others, (kind, left, True)) if left else tuple(others))
    return t._replace(stage="converting") if t.stage == "charted" and not t.gains else t


def actions(t: Turn, coast: Coast) -> Iterator[Turn]:
    """An action for an action point, which is spent already."""
    if t.reserve and t.wealth >= COSTS["activate"]:
        yield to_lisbon(pays(t._replace(reserve=t.reserve - 1), COSTS["activate"]), FRESH)
    yield t._replace(stage="sailing", departed=0)
    yield from sells(t._replace(stage="selling", sold=frozenset()), coast)
    yield from builds(t, coast)
    if t.scientists:
        yield from acquires(t, coast)
    if t.speed < 3 and t.wealth >= 2 * t.speed:
        yield pays(t, 2 * t.speed)._replace(speed=t.speed + 1)


def sails(t: Turn, coast: Coast) -> Iterator[Turn]:
    """One marker, no further than the first face-down town."""
    reach = t.face_up + (not t.discovered and t.face_up < coast.last)
    harbours = {town for town, letter in t.land if coast.on((town, letter)) == "stronghold"}
    if t.lisbon[FRESH]:
        out = to_lisbon(t, FRESH, -1)._replace(departed=t.departed + 1, moved=True)
        for town in range(1, min(reach, t.speed) + 1):
            yield at_sea(out, town, SAILED, 1)
        for town in harbours:
            yield at_sea(out, town, PLACED, 1)
    for town, sea in enumerate(t.seas, 1):
        for kind in (FRESH, PLACED):
            if sea[kind]:
                leaves = kind == FRESH and town in harbours
                for end in range(max(1, town - t.speed), min(reach, town + t.speed) + 1):
                    if end != town:
                        after = at_sea(at_sea(t, town, kind, -1), end, SAILED, 1)
                        yield after._replace(departed=t.departed + leaves, moved=True)


def anchors(t: Turn) -> Turn:
    """All have moved: Port maintenance; and whoever has sailed is as the others again."""
    ports = t.departed // 3 if "port maintenance" in t.technologies else 0
    t = t._replace(
        stage="landing",
        departed=0,
        lisbon=(sum(t.lisbon), 0, 0),
        seas=tuple((sum(sea), 0, 0) for sea in t.seas),
    )
    return gains(t._replace(historians=(FRESH,) * len(t.historians)), "vp", ports)


def discovers(t: Turn, coast: Coast) -> Turn:
    town = t.face_up + 1
    if town > coast.last or not sum(t.seas[town - 1]):
        return t._replace(stage="converting")
    found = t._replace(stage="charting", face_up=town, discovered=True)
    return gains(found, "vp", 2 if town == coast.last else 1)


def converts(t: Turn, coast: Coast) -> Iterator[Turn]:
    for town, sea in enumerate(t.seas, 1):
        for letter in "ab":
            if sea[FRESH] and (town, letter) not in t.land | coast.taken:
                yield at_sea(t, town, FRESH, -1)._replace(land=t.land | {(town, letter)})


def sells(t: Turn, coast: Coast) -> Iterator[Turn]:
    for space in t.land:
        if space[1] in "ab":
            yield to_lisbon(t._replace(land=t.land - {space}, sold=t.sold | {coast.on(space)}), FRESH)


def closes(t: Turn, coast: Coast) -> Turn:
    markets = {
        coast.on(space).removeprefix("market ") for space in t.land if coast.on(space).startswith("market ")
    }
    kinds = len(t.sold | markets)
    t = gains(t._replace(stage="free", sold=frozenset()), "wealth", kinds + ("manufacture" in t.technologies))
    return gains(t, "vp", SALE_VP[kinds])


def builds(t: Turn, coast: Coast) -> Iterator[Turn]:
    if t.wealth < COSTS["build"]:
        return
    for town in range(1, t.face_up + 1):
        for letter in "cd":
            if (town, letter) not in t.land | coast.taken:
                built = pays(t, COSTS["build"])._replace(land=t.land | {(town, letter)})
                if t.seas[town - 1][FRESH]:
                    yield at_sea(built, town, FRESH, -1)
                for source in t.land:
                    if source[0] == town:
                        yield built._replace(land=built.land - {source})


def acquires(t: Turn, coast: Coast) -> Iterator[Turn]:
    for technology, cost in coast.costs.items():
        price = max(0, cost - ("metallurgy" in t.technologies))
        if technology not in t.technologies | coast.owned and t.wealth >= price:
            after = pays(t, price)._replace(
                technologies=t.technologies | {technology}, scientists=t.scientists - 1
            )
            if "printing press" in after.technologies - t.used:
                after = gains(after._replace(used=t.used | {"printing press"}), "vp", 1)
            yield after


# From a position


NAMES = [(int(space[:-1]), space[-1]) for space in rules.SPACES]


@cache
def spaces_of(land: int) -> frozenset[Space]:
    return frozenset(space for n, space in enumerate(NAMES) if land >> n & 1)


@cache
def technologies_of(who: int, owners: tuple[int, ...]) -> frozenset[str]:
    return frozenset(name for name, owner in zip(rules.TECHNOLOGIES, owners, strict=True) if owner == who)


def ends_of(positions: Any, who: int) -> Iterator[End]:
    """As `end_of`, of positions in which a seat has just ended its turn."""
    last = rules.last_town(positions[0])
    columns = [
        positions[name].tolist()
        for name in ("lisbon", "ships", "land", "wealth", "vp", "reserve", "speed", "technologies", "face_up")
    ]
    for lisbon, ships, land, wealth, vp, reserve, speed, owners, face_up in zip(*columns, strict=True):
        seas, technologies = tuple(ships[who][:last]), technologies_of(who, tuple(owners))
        yield (
            lisbon[who],
            seas,
            spaces_of(land[who]),
            wealth[who],
            vp[who],
            reserve[who],
            speed[who],
            technologies,
            face_up,
        )


def read(p: Position, box: Box, card: int) -> tuple[Turn, Coast]:
    """A position as this model has it; `card` is the town that would be discovered now."""
    who = int(p.turn)
    cards = [int(x) for x in p.row[: p.face_up]]
    last = rules.last_town(p)
    lands = [spaces_of(int(land)) for land in p.land]
    owners = tuple(map(int, p.technologies))
    used = {
        "banking": p.banked,
        "geography": p.geography == rules.USED,
        "printing press": p.printed,
        "architecture": p.built,
    }
    historians = [FRESH] * bankers(int(p.vp[who]))
    if p.chronicler:
        historians[-1] = SAILED
    stage = {"turn": "free", "landfall": "landing"}.get(rules.PHASES[p.phase], rules.PHASES[p.phase])
    if stage == "converting" and rules.is_due(p):
        stage = "charted"
    turn = Turn(
        stage=stage,
        gains=tuple(
            (kind, int(n), kind == "vp" or p.vp_due == 0)
            for kind, n in (("wealth", p.wealth_due), ("vp", p.vp_due))
            if n
        ),
        points=int(p.points),
        lisbon=(int(p.lisbon[who]) - int(p.home), int(p.home), 0),
        seas=tuple((int(n) - int(m), int(m), 0) for n, m in zip(p.ships[who, :last], p.sailed, strict=False)),
        land=lands[who],
        wealth=int(p.wealth[who]),
        vp=int(p.vp[who]),
        historians=tuple(historians),
        reserve=int(p.reserve[who]),
        speed=int(p.speed[who]),
        scientists=int(p.scientists[who]),
        technologies=technologies_of(who, owners),
        face_up=int(p.face_up),
        discovered=bool(p.discovered),
        moved=bool(p.voyage),
        departed=int(p.departed),
        sold=frozenset(good for n, good in enumerate(rules.GOODS) if int(p.sold) >> n & 1),
        used=frozenset(name for name, done in used.items() if done),
    )
    coast = Coast(
        cards=(*cards, card),
        last=last,
        taken=frozenset().union(*lands[:who], *lands[who + 1 : p.players]),
        owned=frozenset(rules.TECHNOLOGIES) - technologies_of(who, owners) - technologies_of(-1, owners),
        goods=box.towns_goods.tolist(),
        buildings=box.towns_buildings.tolist(),
        costs=dict(zip(rules.TECHNOLOGIES, map(int, box.technologies_cost), strict=True)),
    )
    return turn, coast
