"""A turn in one sentence, with its big moments: what was done is summed up, and what goes without saying is
left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from comptoir.engine.game import get_game
from comptoir.engine.recap import ActionStep, Highlight
from comptoir.engine.words import Words
from comptoir.games.sail_to_india.naming import amounts, due, goods_in, offers, on, some, town_of, vp_of
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

if TYPE_CHECKING:
    from comptoir.games.sail_to_india.records import Scene


def recap(steps: Sequence[ActionStep[Scene]]) -> tuple[str, list[Highlight]]:
    """A finished turn in one sentence, and what nobody should miss of it."""
    turn, before = TurnRecap(), steps[0].before
    for step in steps:
        turn.add(step)
    words = before.words
    clauses = [clause_text(clause, words) for clause in turn.clauses] or [words.say("recap.nothing")]
    sentence = words.say("recap.turn", name=before.names[before.record.turn], deeds=words.join(clauses))
    found = [moment for step in steps for moment in highlights(step)]
    # S70: the last turns begin once this turn is over, after whatever else it brings
    return sentence, sorted(found, key=lambda moment: moment.kind in ("last_turns", "over", "over_guard"))


@dataclass
class TurnClause:
    """A part of a turn that is said in one go: how much of what, in which town, and what it brought or
    cost.
    """

    kind: str
    things: Counter[tuple[str, int]] = field(default_factory=Counter)  # of ships: whence, and where to
    wealth: int = 0
    vp: int = 0
    markets: list[str] = field(default_factory=list)  # the goods that own markets add to a sale


class TurnRecap:
    """The clauses of a turn, in the order in which they began."""

    def __init__(self) -> None:
        self.clauses: list[TurnClause] = []
        self._fleet: TurnClause | None = None  # the ships of the move action that is on
        # those that an earlier one had brought where they are
        self._moored: Counter[tuple[str, int]] = Counter()

    def add(self, step: ActionStep[Scene]) -> None:
        """One action more."""
        before, p = step.before, step.before.record
        kind, operand = step.action.kind, step.action.operand
        match kind:
            case "activate":
                self._clause(kind).things[kind, 0] += 1
            case "speed up":
                self._clause(kind).things[kind, 0] = int(step.after.record.speed[p.turn])
            case "sail":
                self._sail(*operand)
            case "anchor":
                self._anchor(before)
            case "chart":
                self._clause("discover").vp += 1
            case "convert" | "refloat":
                self._clause(kind).things[on(before, operand), town_of(operand)] += 1
            case "build":
                self._clause(kind).things[on(before, operand.space), town_of(operand.space)] += 1
            case "sell":
                self._clause(kind, another=not p.sold).things[on(before, operand), 0] += 1
            case "close sale":
                self._close_sale(before)
            case "acquire":
                self._acquire(step)
            case "bank":
                self._clause(kind).wealth += int(before.box.cost_banking)
            case "return":
                self._return(step)
            case "decline":
                self._decline(before)
        if step.after.record.face_up > p.face_up:
            self._discover(step.after)

    def _clause(self, kind: str, another: bool = False) -> TurnClause:
        """The latest clause of a kind; a new one if there is none, or another is meant."""
        clause = (
            None
            if another
            else next((clause for clause in reversed(self.clauses) if clause.kind == kind), None)
        )
        if clause is None:
            clause = TurnClause(kind)
            self.clauses.append(clause)
        return clause

    def _sail(self, start: int, end: int) -> None:
        """A ship that sails on in the next move action, with nothing done in between, is told where it has
        got to in the end.
        """
        if self._fleet is None:
            goes_on = bool(self.clauses and self.clauses[-1].kind == "sail")
            self._fleet = self._clause("sail", another=not goes_on)
            self._moored = Counter(self._fleet.things)
        ship = next((ship for ship, n in self._moored.items() if ship[1] == start and n), None)
        if ship is not None:
            self._moored[ship] -= 1
            self._fleet.things[ship] -= 1
        self._fleet.things[ship[0] if ship else str(start), end] += 1

    def _anchor(self, before: Scene) -> None:
        self._fleet = None
        if port_vp(before.record):
            self._clause("port").vp += port_vp(before.record)

    def _discover(self, after: Scene) -> None:
        """A town that all ships have just gone to is `it`."""
        town = int(after.record.face_up)
        fleet = self.clauses[-1] if self.clauses and self.clauses[-1].kind == "sail" else TurnClause("sail")
        alone = {at for (_, at), n in fleet.things.items() if n} == {town}
        how = "india" if town == last_town(after.record) else "discover_it" if alone else "discover"
        clause = self._clause("discover", another=True)
        clause.things[how, town], clause.vp = 1, discovery_vp(after.record, town - 1)

    def _close_sale(self, before: Scene) -> None:
        p, box, clause = before.record, before.box, self._clause("sell")
        kinds = kinds_sold(p, box)
        clause.wealth, clause.vp = sale_wealth(p, box, kinds), int(box.sale_vp[kinds])
        clause.markets = goods_in(market_goods(p, box, p.turn) & ~int(p.sold))

    def _acquire(self, step: ActionStep[Scene]) -> None:
        clause, p = self._clause("acquire"), step.before.record
        clause.things[step.action.operand, 0] += 1
        clause.wealth += price(p, step.before.box, step.action.offset)
        clause.vp += int(step.after.record.printed and not p.printed)

    def _decline(self, before: Scene) -> None:
        """S15: a gain is given up, of free will or because no marker is left on Lisbon."""
        kind, left = due(before)
        clause = self._clause("give_up" if before.record.lisbon[before.record.turn] else "lose")
        if kind == "vp":
            clause.vp += left
        else:
            clause.wealth += left

    def _return(self, step: ActionStep[Scene]) -> None:
        """S31, S43: what a keeper kept is lost, and so are the VP of a building."""
        clause, p = self._clause("return"), step.before.record
        clause.things["marker", 0] += 1
        clause.vp += step.before.computed(vp_of)[p.turn] - step.after.computed(vp_of)[p.turn]
        if step.action.operand == "banker":
            clause.wealth += last_keeps(p.wealth[p.turn])


def clause_text(clause: TurnClause, words: Words) -> str:
    """A clause as a part of a sentence."""
    n, wealth, vp, kind = clause.things.total(), clause.wealth, clause.vp, clause.kind
    match kind:
        case "sail":
            return _sailed(clause, words)
        case "discover":
            ((how, town),) = clause.things
            return words.say(f"recap.{how}", town=town, n=vp)
        case "convert":
            return words.say("recap.convert", n=n, what=", ".join(_by_town(clause, words)))
        case "build":
            return words.say("recap.build", what=words.join(_by_town(clause, words)))
        case "sell":
            values = {
                "goods": some(words, [good for good, _ in clause.things]),
                "gain": amounts(words, wealth, vp),
            }
            if not clause.markets:
                return words.say("recap.sell", **values)
            return words.say(
                "recap.sell_markets", n=len(clause.markets), more=some(words, clause.markets), **values
            )
        case "acquire":
            technologies = some(words, [technology for technology, _ in clause.things])
            key = f"acquire{'' if wealth else '_free'}{'_printed' if vp else ''}"
            return words.say(f"recap.{key}", what=technologies, n=wealth, vp=vp)
        case "return" if wealth or vp:
            return words.say("recap.return_losing", n=n, lost=amounts(words, wealth, vp))
        case "give_up" | "lose":
            return words.say(f"recap.{kind}", lost=amounts(words, wealth, vp))
    return words.say(f"recap.{kind}", n=n or wealth or vp)


def _sailed(clause: TurnClause, words: Words) -> str:
    """How many ships have got to each town, the nearest first; those that are back where they were only if
    there are no others.
    """
    fleets: Counter[int] = Counter()
    for (start, town), n in clause.things.items():
        fleets[town] += n if start != str(town) else 0
    if not fleets.total():
        return words.say("recap.sail_back", n=clause.things.total())
    sailed = sorted((town, n) for town, n in fleets.items() if n)
    if len(sailed) == 1:
        return words.say("recap.sail", n=sailed[0][1], town=sailed[0][0])
    where = ", ".join(words.say("recap.sail_part", n=n, town=town) for town, n in sailed)
    return words.say("recap.sail_apart", n=fleets.total(), where=where)


def _by_town(clause: TurnClause, words: Words) -> list[str]:
    """What there is in each town, the nearest first."""
    things: dict[int, list[str]] = {}
    for what, town in clause.things:
        things.setdefault(town, []).append(what)
    return [words.say("recap.in_town", n=town, what=some(words, things[town])) for town in sorted(things)]


def highlights(step: ActionStep[Scene]) -> list[Highlight]:
    """Discoveries, India, the last turns, the end."""
    old, new, after = step.before.record, step.after.record, step.after
    found: list[Highlight] = []

    def add(kind: str, **values: object) -> None:
        found.append(Highlight(kind, after.words.say(f"moments.{kind}", **values)))

    if new.face_up > old.face_up:
        town = int(new.face_up)
        add(
            "india" if town == last_town(new) else "discovered",
            name=after.names[old.turn],
            n=town,
            **offers(after, town),
        )
    if new.closing == EMPTY_RESERVES and not old.closing:
        add("reserves")
    if in_last_turns(new) and not in_last_turns(old):
        add("last_turns")
    if new.phase == OVER:
        add("over_guard" if new.ending == ROUND_200 else "over", **_won(after))
    return found


def _won(scene: Scene) -> dict[str, object]:
    """S72: who has won, and with how many VP."""
    sheet = get_game("sail_to_india").score_sheet(scene.raw_record, scene.components.box)
    names = scene.words.join([scene.names[seat] for seat in sheet.winners])
    return {"name": names, "n": len(sheet.winners), "vp": max(sheet.totals)}
