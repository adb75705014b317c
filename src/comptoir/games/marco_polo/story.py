"""The game in words: what happened, what is awaited and what a choice would do, from what a seat may know and
from nothing else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field

from comptoir.engine.actions import Action
from comptoir.engine.choice import Choice
from comptoir.engine.counts import how_many
from comptoir.engine.recap import Moment, Step
from comptoir.engine.rule import Position
from comptoir.engine.scene import Scene
from comptoir.engine.words import Words
from comptoir.games.marco_polo.rules import (
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
    kinds = dict.fromkeys(action.kind for action in scene.choices)
    if list(kinds) == ["pass"]:
        return words.say("prompt.pass", name=name)
    # the two camels are one way on, and so are the cards that end a turn
    ways = dict.fromkeys(_way(scene, kind, kinds) for kind in kinds)
    return words.say("prompt.turn", name=name, ways=_either(list(ways), words))


def _way(scene: Scene, kind: str, kinds: Container[str]) -> str:
    """One thing that may be done; `kinds`: all of them."""
    words = scene.words
    match kind:
        case "lay":
            return words.say("prompt.lay", **_demand(scene))
        case "lighten":
            return words.say("prompt.lighten" if "lay" in kinds else "prompt.lighten_only", **_demand(scene))
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


def effect(scene: Scene, action: Action) -> str:
    """What a choice would do, in a few words."""
    return _EFFECTS[action.kind](scene, action)


def _effect_by_name(scene: Scene, action: Action) -> str:
    return scene.words.say(f"does.{action.kind}")


def _effect_of_lay(scene: Scene, action: Action) -> str:
    p = scene.record
    return scene.words.say("does.lay", n=how_many(p.hand[p.turn], action.offset))


def _effect_of_lightening(scene: Scene, action: Action) -> str:
    p, end = scene.record, placed(scene, "to", _reached(scene))
    return scene.words.say("does.lighten", end=end, gold=int(p.gold[p.turn]))


def _effect_of_camel(scene: Scene, action: Action) -> str:
    p, camel = scene.record, camel_of(action)
    space = next_space(p, scene.box, camel)
    return scene.words.say("does.camel", n=int(p.camels[p.turn, camel]), next=space)


_EFFECTS: dict[str, Callable[[Scene, Action], str]] = {
    "lay": _effect_of_lay,
    "lighten": _effect_of_lightening,
    "first camel": _effect_of_camel,
    "second camel": _effect_of_camel,
    "take": _effect_by_name,
    "draw": _effect_by_name,
    "pass": _effect_by_name,
}


def camel_of(action: Action) -> int:
    """The camel that an action chooses."""
    return action.index - CHOOSE


# The same as a person reads it on a button


def offer(scene: Scene, action: Action) -> Choice:
    """A choice in plain words: what to do, and what comes of it. A card ends the turn and turns up another, if
    there is one: then it cannot be taken back.
    """
    return _OFFERED[action.kind](scene, action)


def _offer_lay(scene: Scene, action: Action) -> Choice:
    label = scene.words.say("offer.lay", card=cards(action.operand, 1, scene.words))
    return Choice(label, _paid_by(scene), "move")


def _offer_lightening(scene: Scene, action: Action) -> Choice:
    return Choice(scene.words.say("offer.lighten"), _step(scene), "move")


def _offer_take(scene: Scene, action: Action) -> Choice:
    words = scene.words
    label = words.say("offer.take", card=cards(action.operand, 1, words))
    return Choice(label, words.say("offer.ends_turn"), "card", final=bool(pile_left(scene.record)))


def _offer_end(scene: Scene, action: Action) -> Choice:
    words = scene.words
    return Choice(words.say(f"offer.{action.kind}"), words.say("offer.ends_turn"), "card", final=True)


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


def _offer_camel(scene: Scene, action: Action) -> Choice:
    """M40: where it is, and what its next space demands."""
    p, words, camel = scene.record, scene.words, camel_of(action)
    space = next_space(p, scene.box, camel)
    return Choice(
        words.say("offer.camel", n=camel + 1, place=placed(scene, "at", int(p.camels[p.turn, camel]))),
        words.say(
            "offer.demands",
            end=placed(scene, "to", space),
            demand=words.say(f"brief.{DEMANDS[scene.box.track_demands[space]]}"),
        ),
        "camel",
    )


_OFFERED: dict[str, Callable[[Scene, Action], Choice]] = {
    "lay": _offer_lay,
    "lighten": _offer_lightening,
    "first camel": _offer_camel,
    "second camel": _offer_camel,
    "take": _offer_take,
    "draw": _offer_end,
    "pass": _offer_end,
}


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


def tell(before: Scene, action: Action, after: Scene) -> list[str]:
    """The lines of the log for one action."""
    words, lines = after.words, _TOLD[action.kind](Step(before, action, after))
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


def _doer(step: Step) -> str:
    return step.after.names[int(step.before.record.turn)]


def _tell_lay(step: Step) -> list[str]:
    words = step.after.words
    laid = words.say("log.lay", name=_doer(step), card=cards(step.action.operand, 1, words))
    return [laid, *_arrival(step.before, step.after)]


def _tell_lightening(step: Step) -> list[str]:
    return [step.after.words.say("log.lighten", name=_doer(step)), *_arrival(step.before, step.after)]


def _tell_take(step: Step) -> list[str]:
    words, card = step.after.words, step.action.operand
    taken = words.say("log.take", name=_doer(step), card=cards(card, 1, words))
    return [taken, *_refill(step.before, step.after, card)]


def _tell_draw(step: Step) -> list[str]:
    words, name, card = step.after.words, _doer(step), _drawn(step.before, step.after)
    if card:
        said = words.say("log.draw_seen", name=name, card=cards(card, 1, words))
    else:
        said = words.say("log.draw", name=name)
    return [said, *_refill(step.before, step.after)]


def _tell_pass(step: Step) -> list[str]:
    return [step.after.words.say("log.pass", name=_doer(step))]


def _tell_camel(step: Step) -> list[str]:
    p = step.before.record
    space = int(p.camels[p.turn, camel_of(step.action)])
    return [step.after.words.say("log.camel", name=_doer(step), n=space)]


_TOLD: dict[str, Callable[[Step], list[str]]] = {
    "lay": _tell_lay,
    "lighten": _tell_lightening,
    "first camel": _tell_camel,
    "second camel": _tell_camel,
    "take": _tell_take,
    "draw": _tell_draw,
    "pass": _tell_pass,
}


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
        if step.action.kind not in ("lay", "lighten"):
            continue
        seat, camel = int(step.before.record.turn), int(step.before.record.moving)
        space = int(step.before.record.camels[seat, camel])
        way = ways.setdefault(camel, _Way(space, space))
        way.end = int(step.after.record.camels[seat, camel])
        if step.action.kind == "lay":
            way.cards[step.action.operand] += 1
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
    match last.action.kind:
        case "take":
            return [words.say("recap.take", card=cards(last.action.operand, 1, words))]
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
