"""A turn in one sentence, with its big moments: what was done is summed up, and what goes without saying is
left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from comptoir.engine.game import get_game
from comptoir.engine.recap import Moment, Step
from comptoir.engine.scene import Scene
from comptoir.engine.words import Words
from comptoir.games.sail_to_india.rules import (
    EMPTY_RESERVES,
    OVER,
    ROUND_200,
    discovery_vp,
    in_last_turns,
    kinds_sold,
    last_keeps,
    last_town,
    market_goods,
    port_vp,
    price,
    sale_wealth,
)
from comptoir.games.sail_to_india.things import amounts, due, goods_in, offers, on, some, town_of, vp_of


def recap(steps: Sequence[Step]) -> tuple[str, list[Moment]]:
    """A finished turn in one sentence, and what nobody should miss of it."""
    turn, before = Turn(), steps[0].before
    for step in steps:
        turn.add(step)
    words = before.words
    deeds = [said(deed, words) for deed in turn.deeds] or [words.say("recap.nothing")]
    sentence = words.say("recap.turn", name=before.names[before.record.turn], deeds=words.listed(deeds))
    found = [moment for step in steps for moment in moments(step)]
    # S70: the last turns begin once this turn is over, after whatever else it brings
    return sentence, sorted(found, key=lambda moment: moment.kind in ("last_turns", "over", "over_guard"))


@dataclass
class Deed:
    """A part of a turn that is said in one go: how much of what, in which town, and what it brought or
    cost.
    """

    kind: str
    things: Counter[tuple[str, int]] = field(default_factory=Counter)  # of ships: whence, and where to
    wealth: int = 0
    vp: int = 0
    markets: list[str] = field(default_factory=list)  # the goods that own markets add to a sale


class Turn:
    """The deeds of a turn, in the order in which they began."""

    def __init__(self) -> None:
        self.deeds: list[Deed] = []
        self._fleet: Deed | None = None  # the ships of the move action that is on
        # those that an earlier one had brought where they are
        self._moored: Counter[tuple[str, int]] = Counter()

    def add(self, step: Step) -> None:
        """One action more."""
        before, p = step.before, step.before.record
        kind, operand = step.action.kind, step.action.operand
        match kind:
            case "activate":
                self._deed(kind).things[kind, 0] += 1
            case "speed up":
                self._deed(kind).things[kind, 0] = int(step.after.record.speed[p.turn])
            case "sail":
                self._sail(*operand)
            case "anchor":
                self._anchor(before)
            case "chart":
                self._deed("discover").vp += 1
            case "convert" | "refloat":
                self._deed(kind).things[on(before, operand), town_of(operand)] += 1
            case "build":
                self._deed(kind).things[on(before, operand.space), town_of(operand.space)] += 1
            case "sell":
                self._deed(kind, another=not p.sold).things[on(before, operand), 0] += 1
            case "close sale":
                self._close_sale(before)
            case "acquire":
                self._acquire(step)
            case "bank":
                self._deed(kind).wealth += int(before.box.cost_banking)
            case "return":
                self._return(step)
            case "decline":
                self._decline(before)
        if step.after.record.face_up > p.face_up:
            self._discover(step.after)

    def _deed(self, kind: str, another: bool = False) -> Deed:
        """The latest deed of a kind; a new one if there is none, or another is meant."""
        deed = None if another else next((deed for deed in reversed(self.deeds) if deed.kind == kind), None)
        if deed is None:
            deed = Deed(kind)
            self.deeds.append(deed)
        return deed

    def _sail(self, start: int, end: int) -> None:
        """A ship that sails on in the next move action, with nothing done in between, is told where it has
        got to in the end.
        """
        if self._fleet is None:
            goes_on = bool(self.deeds and self.deeds[-1].kind == "sail")
            self._fleet = self._deed("sail", another=not goes_on)
            self._moored = Counter(self._fleet.things)
        ship = next((ship for ship, n in self._moored.items() if ship[1] == start and n), None)
        if ship is not None:
            self._moored[ship] -= 1
            self._fleet.things[ship] -= 1
        self._fleet.things[ship[0] if ship else str(start), end] += 1

    def _anchor(self, before: Scene) -> None:
        self._fleet = None
        if port_vp(before.record):
            self._deed("port").vp += port_vp(before.record)

    def _discover(self, after: Scene) -> None:
        """A town that all ships have just gone to is `it`."""
        town = int(after.record.face_up)
        fleet = self.deeds[-1] if self.deeds and self.deeds[-1].kind == "sail" else Deed("sail")
        alone = {at for (_, at), n in fleet.things.items() if n} == {town}
        how = "india" if town == last_town(after.record) else "discover_it" if alone else "discover"
        deed = self._deed("discover", another=True)
        deed.things[how, town], deed.vp = 1, discovery_vp(after.record, town - 1)

    def _close_sale(self, before: Scene) -> None:
        p, box, deed = before.record, before.box, self._deed("sell")
        kinds = kinds_sold(p, box)
        deed.wealth, deed.vp = sale_wealth(p, box, kinds), int(box.sale_vp[kinds])
        deed.markets = goods_in(market_goods(p, box, p.turn) & ~int(p.sold))

    def _acquire(self, step: Step) -> None:
        deed, p = self._deed("acquire"), step.before.record
        deed.things[step.action.operand, 0] += 1
        deed.wealth += price(p, step.before.box, step.action.offset)
        deed.vp += int(step.after.record.printed and not p.printed)

    def _decline(self, before: Scene) -> None:
        """S15: a gain is given up, of free will or because no marker is left on Lisbon."""
        kind, left = due(before)
        deed = self._deed("give_up" if before.record.lisbon[before.record.turn] else "lose")
        if kind == "vp":
            deed.vp += left
        else:
            deed.wealth += left

    def _return(self, step: Step) -> None:
        """S31, S43: what a keeper kept is lost, and so are the VP of a building."""
        deed, p = self._deed("return"), step.before.record
        deed.things["marker", 0] += 1
        deed.vp += vp_of(step.before)[p.turn] - vp_of(step.after)[p.turn]
        if step.action.operand == "banker":
            deed.wealth += last_keeps(p.wealth[p.turn])


def said(deed: Deed, words: Words) -> str:
    """A deed as a part of a sentence."""
    n, wealth, vp, kind = deed.things.total(), deed.wealth, deed.vp, deed.kind
    match kind:
        case "sail":
            return _sailed(deed, words)
        case "discover":
            ((how, town),) = deed.things
            return words.say(f"recap.{how}", town=town, n=vp)
        case "convert":
            return words.say("recap.convert", n=n, what=", ".join(_by_town(deed, words)))
        case "build":
            return words.say("recap.build", what=words.listed(_by_town(deed, words)))
        case "sell":
            values = {
                "goods": some(words, [good for good, _ in deed.things]),
                "gain": amounts(words, wealth, vp),
            }
            if not deed.markets:
                return words.say("recap.sell", **values)
            return words.say(
                "recap.sell_markets", n=len(deed.markets), more=some(words, deed.markets), **values
            )
        case "acquire":
            technologies = some(words, [technology for technology, _ in deed.things])
            key = f"acquire{'' if wealth else '_free'}{'_printed' if vp else ''}"
            return words.say(f"recap.{key}", what=technologies, n=wealth, vp=vp)
        case "return" if wealth or vp:
            return words.say("recap.return_losing", n=n, lost=amounts(words, wealth, vp))
        case "give_up" | "lose":
            return words.say(f"recap.{kind}", lost=amounts(words, wealth, vp))
    return words.say(f"recap.{kind}", n=n or wealth or vp)


def _sailed(deed: Deed, words: Words) -> str:
    """How many ships have got to each town, the nearest first; those that are back where they were only if
    there are no others.
    """
    fleets: Counter[int] = Counter()
    for (start, town), n in deed.things.items():
        fleets[town] += n if start != str(town) else 0
    if not fleets.total():
        return words.say("recap.sail_back", n=deed.things.total())
    sailed = sorted((town, n) for town, n in fleets.items() if n)
    if len(sailed) == 1:
        return words.say("recap.sail", n=sailed[0][1], town=sailed[0][0])
    where = ", ".join(words.say("recap.sail_part", n=n, town=town) for town, n in sailed)
    return words.say("recap.sail_apart", n=fleets.total(), where=where)


def _by_town(deed: Deed, words: Words) -> list[str]:
    """What there is in each town, the nearest first."""
    things: dict[int, list[str]] = {}
    for what, town in deed.things:
        things.setdefault(town, []).append(what)
    return [words.say("recap.in_town", n=town, what=some(words, things[town])) for town in sorted(things)]


def moments(step: Step) -> list[Moment]:
    """Discoveries, India, the last turns, the end."""
    old, new, after = step.before.record, step.after.record, step.after
    found: list[Moment] = []

    def tell(kind: str, **values: object) -> None:
        found.append(Moment(kind, after.words.say(f"moments.{kind}", **values)))

    if new.face_up > old.face_up:
        town = int(new.face_up)
        tell(
            "india" if town == last_town(new) else "discovered",
            name=after.names[old.turn],
            n=town,
            **offers(after, town),
        )
    if new.closing == EMPTY_RESERVES and not old.closing:
        tell("reserves")
    if in_last_turns(new) and not in_last_turns(old):
        tell("last_turns")
    if new.phase == OVER:
        tell("over_guard" if new.ending == ROUND_200 else "over", **_won(after))
    return found


def _won(scene: Scene) -> dict[str, object]:
    """S72: who has won, and with how many VP."""
    sheet = get_game("sail_to_india").score_sheet(scene.compiled, scene.components.box)
    names = scene.words.listed([scene.names[seat] for seat in sheet.winners])
    return {"name": names, "n": len(sheet.winners), "vp": max(sheet.totals)}
