"""The game in words: what happened, what is awaited and what a choice would do, from what a seat may know and
from nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field

from comptoir.engine.counts import how_many
from comptoir.engine.offer import Offer
from comptoir.engine.recap import Moment, Step
from comptoir.engine.rule import Position
from comptoir.engine.scene import Scene
from comptoir.engine.words import Words
from comptoir.games.marco_polo.rules import (
    ACTIONS,
    CARDS,
    CHOOSE,
    DEMANDS,
    ENDINGS,
    FACES,
    OVER,
    STILL_ROUNDS,
    enter,
    last_gold,
    next_space,
    pile_left,
    size_of,
)

MOST_KINDS = 5  # of cards that a sentence lists one by one

# What is awaited


def prompt(scene: Scene) -> str:
    """What the seat that decides may do now, in a sentence."""
    p, words = scene.record, scene.words
    name = scene.names[p.turn]
    if p.paid:
        return words.say("prompt.paying", name=name, **_demand(scene))
    verbs = dict.fromkeys(words.split(action)[0] for action in scene.actions)
    if list(verbs) == ["pass"]:
        return words.say("prompt.pass", name=name)
    # the two camels are one way on, and so are the cards that end a turn
    ways = dict.fromkeys(_way(scene, verb, verbs) for verb in verbs)
    return words.say("prompt.turn", name=name, ways=_either(list(ways), words))


def _way(scene: Scene, verb: str, verbs: Container[str]) -> str:
    """One thing that may be done; `verbs`: all of them."""
    words = scene.words
    match verb:
        case "lay":
            return words.say("prompt.lay", **_demand(scene))
        case "lighten":
            return words.say("prompt.lighten" if "lay" in verbs else "prompt.lighten_only", **_demand(scene))
        case "first camel" | "second camel":
            return words.say("prompt.camel" if scene.record.moving < 0 else "prompt.other_camel")
        case "pass":
            return words.say("prompt.or_pass")
    return words.say("prompt.card")


def _demand(scene: Scene) -> dict[str, int | str]:
    """The next space of the camel that moves, and what it demands."""
    space = next_space(scene.record, scene.box, int(scene.record.moving))
    return {"n": space, "demand": DEMANDS[scene.box.track_demands[space]]}


def _either(ways: Sequence[str], words: Words) -> str:
    return ", ".join(ways[:-1]) + words.say("prompt.or") + ways[-1] if len(ways) > 1 else ways[0]


def effect(scene: Scene, action: str) -> str:
    """What a choice would do, in a few words."""
    p, words = scene.record, scene.words
    verb, operand = words.split(action)
    match verb:
        case "lay":
            return words.say("does.lay", n=how_many(p.hand[p.turn], CARDS.index(operand)))
        case "lighten":
            return words.say(
                "does.lighten", end=placed(scene, "to", _reached(scene)), gold=int(p.gold[p.turn])
            )
        case "first camel" | "second camel":
            camel = camel_of(action)
            return words.say(
                "does.camel", n=int(p.camels[p.turn, camel]), next=next_space(p, scene.box, camel)
            )
    return words.say(f"does.{verb}")


def camel_of(action: str) -> int:
    """The camel that an action chooses."""
    return ACTIONS.index(action) - CHOOSE


# The same as a person reads it on a button


def offer(scene: Scene, action: str) -> Offer:
    """A choice in plain words: what to do, and what comes of it. A card ends the turn and turns up another, if
    there is one: then it cannot be taken back.
    """
    words = scene.words
    verb, operand = words.split(action)
    match verb:
        case "lay":
            return Offer(words.say("offer.lay", card=cards(operand, 1, words)), _paid_by(scene), "move")
        case "lighten":
            return Offer(words.say("offer.lighten"), _step(scene), "move")
        case "take":
            card = cards(operand, 1, words)
            final = bool(pile_left(scene.record))
            return Offer(
                words.say("offer.take", card=card), words.say("offer.ends_turn"), "card", final=final
            )
        case "draw" | "pass":
            return Offer(words.say(f"offer.{verb}"), words.say("offer.ends_turn"), "card", final=True)
    return _offer_camel(scene, camel_of(action))


def _paid_by(scene: Scene) -> str:
    """M11: which of the demanded cards the next one is; the last of them takes the camel on."""
    p = scene.record
    space = next_space(p, scene.box, int(p.moving))
    nth, of = (
        1 + sum(how_many(p.paid, kind) for kind in range(len(CARDS))),
        size_of(int(scene.box.track_demands[space])),
    )
    return _step(scene) if nth == of else scene.words.say("offer.part", n=nth, of=of, space=space)


def _after_step(scene: Scene) -> Position:
    """The position once the camel that moves has entered its next space."""
    then: Position = deepcopy(scene.record)
    enter(then, scene.box, next_space(then, scene.box, int(then.moving)))
    return then


def _reached(scene: Scene) -> int:
    """M23: the space that the camel gets to, which need not be the one that it enters."""
    p = scene.record
    return int(_after_step(scene).camels[p.turn, p.moving])


def _step(scene: Scene) -> str:
    """M12, M14, M20, M23, M30: where the camel that moves would get to, as the rules have it, and the gold
    that it would find.
    """
    words, seat, then = scene.words, int(scene.record.turn), _after_step(scene)
    gold = int(then.chests[seat]) - int(scene.record.chests[seat])
    end = placed(scene, "to", _reached(scene))
    if then.phase == OVER:
        return words.say("offer.step_over", end=end)
    return words.say("offer.step_chest" if gold else "offer.step", end=end, n=gold)


def _offer_camel(scene: Scene, camel: int) -> Offer:
    """M40: where it is, and what its next space demands."""
    p, words = scene.record, scene.words
    space = next_space(p, scene.box, camel)
    return Offer(
        words.say("offer.camel", n=camel + 1, place=placed(scene, "at", int(p.camels[p.turn, camel]))),
        words.say(
            "offer.demands",
            end=placed(scene, "to", space),
            demand=words.say(f"brief.{DEMANDS[scene.box.track_demands[space]]}"),
        ),
        "camel",
    )


# What happened, action by action


def open(scene: Scene) -> list[str]:
    """How the match began: who starts, where the camels stand, which cards lie open."""
    p, words = scene.record, scene.words
    camels = sorted((int(space), seat) for seat in range(p.players) for space in p.camels[seat] if space >= 0)
    stand = words.listed([f"{scene.names[seat]} {placed(scene, 'at', space)}" for space, seat in camels])
    lines = [words.say("log.starts", name=scene.names[p.turn]), words.say("log.line_up", camels=stand)]
    return lines + (
        [words.say("log.open_cards", cards=card_list(scene.position["row"], words))] if p.row_size else []
    )


def tell(before: Scene, action: str, after: Scene) -> list[str]:
    """The lines of the log for one action."""
    words, seat = after.words, int(before.record.turn)
    name = after.names[seat]
    verb, operand = words.split(action)
    match verb:
        case "lay":
            lines = [
                words.say("log.lay", name=name, card=cards(operand, 1, words)),
                *_arrival(before, after),
            ]
        case "lighten":
            lines = [words.say("log.lighten", name=name), *_arrival(before, after)]
        case "take":
            lines = [
                words.say("log.take", name=name, card=cards(operand, 1, words)),
                *_refill(before, after, operand),
            ]
        case "draw":
            card = _drawn(before, after)
            said = (
                words.say("log.draw_seen", name=name, card=cards(card, 1, words))
                if card
                else words.say("log.draw", name=name)
            )
            lines = [said, *_refill(before, after)]
        case "pass":
            lines = [words.say("log.pass", name=name)]
        case _:
            lines = [words.say("log.camel", name=name, n=int(before.record.camels[seat, camel_of(action)]))]
    if _scored_now(before, after):
        lines += [words.say("log.scoring", gains=_gains(_first_gold(after), after)), words.say("log.gather")]
    if after.record.phase == OVER:
        lines.append(
            words.say(
                f"log.over_{ENDINGS[after.record.ending]}",
                n=STILL_ROUNDS,
                gains=_gains(_last_gold(after), after),
            )
        )
    return lines


def card_list(counts: Mapping[str, int], words: Words) -> str:
    """Cards in words: a blue oil and 2 red silk."""
    return words.listed([cards(card, n, words) for card, n in counts.items()])


def cards(card: str, n: int, words: Words) -> str:
    return words.say(f"cards.{card}", n=n)


def _arrival(before: Scene, after: Scene) -> list[str]:
    """Where the camel has got to, if the action has completed a step."""
    words, box, seat, camel = after.words, after.box, int(before.record.turn), int(before.record.moving)
    name, space = after.names[seat], int(after.record.camels[seat, camel])
    if space == before.record.camels[seat, camel]:
        return []
    if space == box.cities_dadu:
        lines = [words.say("log.enter_dadu", name=name)]
    elif space == box.cities_ganzhou:
        lines = [words.say("log.catch_up" if before.record.scored else "log.enter_ganzhou", name=name)]
    else:
        lines = [words.say("log.enter", name=name, n=space)]
    chest = _chest(before, after)
    return [*lines, words.say("log.chest", name=name, n=chest)] if chest else lines


def _chest(before: Scene, after: Scene) -> int:
    """The gold of a chest that the action has won."""
    seat = int(before.record.turn)
    return int(after.record.chests[seat]) - int(before.record.chests[seat])


def _drawn(before: Scene, after: Scene) -> str:
    """The card drawn from the pile, for its owner; nothing for the others."""
    seat = int(before.record.turn)
    if before.seat != seat:
        return ""
    old, new = int(before.record.hand[seat]), int(after.record.hand[seat])
    return next(card for kind, card in enumerate(CARDS) if how_many(new, kind) > how_many(old, kind))


def _refill(before: Scene, after: Scene, taken: str = "") -> list[str]:
    """The pile shuffled, and the row filled up."""
    words, old, new = after.words, before.position, after.position
    lines = [words.say("log.shuffled")] if old["discards"] and not new["discards"] else []
    left = Counter[str](old["row"])
    left.subtract([taken] if taken else [])
    turned_up = Counter[str](new["row"]) - left
    if turned_up:
        lines.append(words.say("log.turned_up", cards=card_list(turned_up, words)))
    return lines


def _scored_now(before: Scene, after: Scene) -> bool:
    return bool(after.record.scored and not before.record.scored)


def _first_gold(scene: Scene) -> list[int]:
    """What each seat got at the first scoring."""
    return [int(gold) for gold in scene.record.ganzhou[: scene.record.players]]


def _last_gold(scene: Scene) -> list[int]:
    """What each seat's camels get at the end."""
    return [last_gold(scene.record, scene.box, seat) for seat in range(scene.record.players)]


def _gains(gold: list[int], scene: Scene) -> str:
    """Who gets how much, the most first."""
    words = scene.words
    ranked = sorted(enumerate(gold), key=lambda one: -one[1])
    gains = [
        words.say("score.gain", name=scene.names[seat], gold=words.say("score.points", n=n))
        for seat, n in ranked
        if n
    ]
    return words.listed(gains) if gains else words.say("score.no_gain")


# A whole turn


@dataclass
class _Way:
    """How far a camel has come in a turn, and what was paid for it."""

    start: int
    end: int
    cards: Counter[str] = field(default_factory=Counter)
    gold: int = 0


def recap(steps: Sequence[Step]) -> tuple[str, list[Moment]]:
    """A finished turn in a sentence: how far the camels have come, for what, the chests won, and the card
    that ended it.
    """
    before, last = steps[0].before, steps[-1]
    words, name = last.after.words, before.names[before.record.turn]
    chests = [gold for step in steps if (gold := _chest(step.before, step.after))]
    clauses = [_on_its_way(way, last.after) for way in _ways(steps)]
    if chests:
        clauses.append(words.say("recap.chest", n=len(chests), gold=words.say("score.points", n=sum(chests))))
    clauses += _last_card(last, moved=bool(clauses))
    return words.say("recap.turn", name=name, what=words.listed(clauses)), _moments(last, name)


def _ways(steps: Sequence[Step]) -> list[_Way]:
    """The way of each camel that has moved, in the order in which they set out."""
    ways: dict[int, _Way] = {}
    for step in steps:
        verb, operand = step.after.words.split(step.action)
        if verb not in ("lay", "lighten"):
            continue
        seat, camel = int(step.before.record.turn), int(step.before.record.moving)
        space = int(step.before.record.camels[seat, camel])
        way = ways.setdefault(camel, _Way(space, space))
        way.end = int(step.after.record.camels[seat, camel])
        if verb == "lay":
            way.cards[operand] += 1
        else:
            way.gold += 1
    return list(ways.values())


def _on_its_way(way: _Way, scene: Scene) -> str:
    words = scene.words
    gold = [words.say("score.points", n=way.gold)] if way.gold else []
    paid = [cards(card, n, words) for card, n in _summed_up(way.cards).items()] + gold
    if way.start == way.end:  # what a hint expects may break off before the step is paid
        return words.say("recap.lays_first", paid=words.listed(paid))
    key = "lays" if not gold else "pays" if way.cards else "lightens"
    return words.say(
        f"recap.{key}",
        paid=words.listed(paid),
        start=placed(scene, "from", way.start),
        end=placed(scene, "to", way.end),
    )


def _summed_up(cards: Counter[str]) -> Counter[str]:
    """The cards of a way, by what they show: in their colours too, unless that makes too long a list."""
    kinds = Counter({card: cards[card] for card in CARDS if cards[card]})
    if len(kinds) <= MOST_KINDS:
        return kinds
    return Counter(
        {face: n for face in FACES if (n := sum(cards[card] for card in cards if card.endswith(face)))}
    )


def placed(scene: Scene, how: str, space: int) -> str:
    """A space as a sentence has it: from space 5, to Ganzhou."""
    cities = {0: "ormuz", int(scene.box.cities_ganzhou): "ganzhou", int(scene.box.cities_dadu): "dadu"}
    return scene.words.say(f"place.{how}_{cities.get(space, 'space')}", n=space)


def _last_card(last: Step, moved: bool) -> list[str]:
    """The card that ended the turn. That there was none is told of those who have not moved either."""
    words = last.after.words
    verb, operand = words.split(last.action)
    match verb:
        case "take":
            return [words.say("recap.take", card=cards(operand, 1, words))]
        case "draw":
            card = _drawn(last.before, last.after)
            return [
                words.say("recap.draw", card=cards(card, 1, words) if card else words.say("recap.some_card"))
            ]
        case "pass" if not moved:
            return [words.say("recap.pass")]
    return []


def _moments(last: Step, name: str) -> list[Moment]:
    """The first scoring, and the end."""
    words, after = last.after.words, last.after
    moments = []
    if _scored_now(last.before, after):
        moments.append(
            Moment(
                "ganzhou", words.say("moments.ganzhou", name=name, gains=_gains(_first_gold(after), after))
            )
        )
    if after.record.phase == OVER:
        ending = ENDINGS[after.record.ending]
        gains = _gains(_last_gold(after), after)
        moments.append(Moment(ending, words.say(f"moments.{ending}", name=name, n=STILL_ROUNDS, gains=gains)))
    return moments
