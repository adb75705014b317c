"""The story in words: what an action did, what a turn did, what is awaited, and what a choice would do.

All of it is told from a seat's scenes and from nothing else; what a rule says is asked of the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from comptoir.art.shapes import short
from comptoir.engine.actions import Action
from comptoir.engine.choice import Choice
from comptoir.engine.recap import Moment, Step
from comptoir.engine.rule import Position
from comptoir.engine.scene import Scene
from comptoir.engine.seats import next_seat
from comptoir.engine.words import Words
from comptoir.games.batavia.rules import (
    AUCTION,
    COMPANIES,
    ENDINGS,
    GOODS,
    LAYING,
    MOVE,
    OVER,
    PHASES,
    bidders_left,
    cannon,
    cards_to_draw,
    crates_at,
    ends_turn,
    good_on,
    is_last_round,
    is_new_pile,
    next_shop,
    seal_after,
    set_size,
    sunk_between,
)
from comptoir.games.batavia.why import why_no_play


def cards(counts: Iterable[int], words: Words, key: str = "cards") -> str:
    """Ship cards in words: 2 English cards and 1 Swedish."""
    some = [(company, int(n)) for company, n in zip(COMPANIES, counts, strict=True) if n]
    return words.listed(
        [words.say(f"{'more_' * bool(nth)}{key}.{company}", n=n) for nth, (company, n) in enumerate(some)]
    )


def ships(counts: Iterable[int], words: Words) -> str:
    """The same once they are laid: 2 English ships and 1 Swedish."""
    return cards(counts, words, "ships")


def _doer(before: Scene) -> str:
    """The name of who decides."""
    return before.names[int(before.record.turn)]


# The log


def open(scene: Scene) -> list[str]:
    """B3, B8, B10, B11: the shops that lie open, who auctions first and what, and who opens the bidding."""
    p, words, names = scene.record, scene.words, scene.names
    return [
        words.say("log.shops", n=int(p.face_up)),
        words.say("log.first", name=names[p.first]),
        _round(scene, [int(n) for n in p.lot]),
        words.say("log.opens", name=names[next_seat(p, int(p.first))]),
    ]


def tell(before: Scene, action: Action, after: Scene) -> list[str]:
    """The lines of the log for one action."""
    lines = _TOLD.get(action.kind, _tell_by_name)(Step(before, action, after))
    if ends_turn(before.record, after.record):
        lines += (
            _after_auction(before, after) if before.record.phase == AUCTION else _after_move(before, after)
        )
    return lines


def _tell_by_name(step: Step) -> list[str]:
    """What needs no more than the name of whoever did it."""
    return [step.after.words.say(f"log.{step.action.kind}", name=_doer(step.before))]


def _tell_bid(step: Step) -> list[str]:
    return [step.after.words.say("log.bid", name=_doer(step.before), n=step.action.operand)]


def _after_auction(before: Scene, after: Scene) -> list[str]:
    """B14, B16, B19: who has bought the lot, or that nobody has."""
    p, words = after.record, after.words
    lot, alone = cards(before.record.lot, words), "" if before.record.lot.any() else "_boat"
    key = f"log.won{alone}" if p.bidder >= 0 else f"log.all_pass{alone}"
    return [words.say(key, name=after.names[p.first], lot=lot, n=int(p.bid))]


def _tell_draw(step: Step) -> list[str]:
    """B17, B20: only who draws is told which cards; at the end they lie on the table at once, with all
    others.
    """
    words, name, number = step.after.words, _doer(step.before), cards_to_draw(step.before.record)
    if not number:
        return [words.say("log.draw_none", name=name)]
    seen = _cards_drawn(step.before, step.after)
    if seen:
        return [words.say("log.draw_seen", name=name, cards=seen)]
    return [words.say("log.draw", name=name, n=number)]


def _cards_drawn(before: Scene, after: Scene) -> str:
    """B17: the cards that a draw has brought, as far as the viewer knows them."""
    turn = before.record.turn
    known = after.seat == turn and after.record.phase != OVER
    return cards(after.record.hand[turn] - before.record.hand[turn], after.words) if known else ""


def _tell_lay(step: Step) -> list[str]:
    """B21, B23: a card, and what becomes of the seal."""
    words, company, nth = step.after.words, step.action.operand, step.action.offset
    holder, now = int(step.before.record.seals[nth]), int(step.after.record.seals[nth])
    key = "log.lay"
    if now != holder:
        key = "log.lay_tie" if now < 0 else "log.lay_seal" if holder < 0 else "log.lay_seal_from"
    laid, seal = words.say(f"ships.{company}", n=1), words.say(f"seals.{company}")
    name, other = _doer(step.before), step.after.names[holder]
    return [words.say(key, name=name, ships=laid, seal=seal, other=other)]


def _tell_advance(step: Step) -> list[str]:
    """B26, B27: the shop, the crate, and the shops that are turned up."""
    words, old, new = step.after.words, step.before.record, step.after.record
    space, good, crated = _shop_reached(step)
    shop = words.say(f"shops.{step.action.operand}")
    key = "log.advance" if crated else "log.advance_no_crate"
    lines = [words.say(key, name=_doer(step.before), shop=shop, n=space, good=good)]
    if new.face_up > old.face_up:
        lines.append(words.say("log.turned_up", first=int(old.face_up) + 1, last=int(new.face_up)))
    return lines


def _shop_reached(step: Step) -> tuple[int, str, bool]:
    """The space, the good, and whether a crate was placed for it."""
    old, new, turn = step.before.record, step.after.record, step.before.record.turn
    space = int(new.merchants[turn])
    return space, GOODS[good_on(old, step.action.offset, space)], bool(old.crates[turn] > new.crates[turn])


def _traded(step: Step) -> tuple[int, int]:
    """B28: how many tiles were handed in, and the gold for them."""
    old, new, turn = step.before.record, step.after.record, step.before.record.turn
    return int(set_size(old, turn)), int(new.gold[turn]) - int(old.gold[turn])


def _tell_trade(step: Step) -> list[str]:
    tiles, gold = _traded(step)
    return [step.after.words.say("log.trade_in", name=_doer(step.before), n=tiles, gold=gold)]


_TOLD: dict[str, Callable[[Step], list[str]]] = {
    "bid": _tell_bid,
    "draw": _tell_draw,
    "lay": _tell_lay,
    "advance": _tell_advance,
    "trade in": _tell_trade,
}


def _after_move(before: Scene, after: Scene) -> list[str]:
    """Pirates, a new pile, a new round, the end."""
    old, new, words = before.record, after.record, after.words
    lines = [words.say("log.pirates", **_sunk(before, after))] if sunk_between(old, before.box, new) else []
    if is_new_pile(old, before.box, new):
        lines.append(words.say("log.shuffled"))
    if new.phase == OVER:
        return [*lines, words.say(f"log.over_{ENDINGS[new.ending]}"), *_last_seals(before, after)]
    if new.round_number > old.round_number:
        lines.append(_round(after, [int(n) - int(left) for n, left in zip(new.lot, old.lot, strict=True)]))
    return lines


def _round(scene: Scene, turned_up: list[int]) -> str:
    """B10, B18, B19: what the auctioneer turns up, and with it the lot."""
    p, words = scene.record, scene.words
    if not any(turned_up):
        key = "log.round_left" if p.lot.any() else "log.round_boat"
    else:
        key = "log.round" if turned_up == p.lot.tolist() else "log.round_more"
    name, lot = scene.names[p.first], cards(p.lot, words)
    return words.say(key, n=int(p.round_number), name=name, cards=cards(turned_up, words), lot=lot)


def rolled(before: Scene | None, after: Scene) -> int:
    """B10: the face of the auctioneer's die, which all have seen; 0 where none was rolled.

    As many cards are turned up as it shows: if the pile and the discards gave out, nobody can tell from the
    table any more how many it would have been.
    """
    new = after.record
    old = before.record if before else None
    if new.phase != AUCTION or (old is not None and old.round_number == new.round_number):
        return 0
    left = int(old.lot.sum()) if old is not None else 0
    return int(new.lot.sum()) - left if new.pile_size or new.discards.any() else 0


def _sunk(before: Scene, after: Scene) -> dict[str, str]:
    """B30, B31: the fleets that pirates have sunk, and how many laid cards each seat has lost by it."""
    words, p = after.words, before.record
    companies = sunk_between(p, before.box, after.record)
    lost = [
        (name, int(sum(p.laid[seat, company] for company in companies)))
        for seat, name in enumerate(before.names)
    ]
    losses = [(name, n) for name, n in lost if n]
    return {
        "fleets": words.listed([words.say(f"fleets.{COMPANIES[company]}") for company in companies]),
        "losses": words.listed(
            [
                words.say("losses.more" if nth else "losses.first", name=x, n=n)
                for nth, (x, n) in enumerate(losses)
            ]
        ),
    }


def _last_seals(before: Scene, after: Scene) -> list[str]:
    """B43: the seals that change hands when everyone lays the cards in hand."""
    words, lines = after.words, []
    for nth, company in enumerate(COMPANIES):
        holder, now = int(before.record.seals[nth]), int(after.record.seals[nth])
        if now != holder:
            key = "log.last_seal" if now >= 0 else "log.no_last_seal"
            lines.append(words.say(key, seal=words.say(f"seals.{company}"), name=after.names[now]))
    return lines


# A turn in one sentence


def recap(steps: Sequence[Step]) -> tuple[str, list[Moment]]:
    """A finished turn: the auction of a round, or a seat's move."""
    auction = steps[0].before.record.phase == AUCTION
    return _auction_retold(steps) if auction else _move_retold(steps), _moments(steps[-1])


def _auction_retold(steps: Sequence[Step]) -> str:
    """B14, B15, B16, B19: who has bought what for how much, or what stays."""
    p, words = steps[-1].after.record, steps[-1].after.words
    lot, name = steps[0].before.record.lot, steps[-1].after.names[p.first]
    alone = "" if lot.any() else "_boat"
    if p.bidder >= 0:
        return words.say(f"recap.won{alone}", name=name, lot=cards(lot, words), n=int(p.bid))
    return words.say(f"recap.all_pass{alone}", name=name, lot=cards(lot, words), n=int(lot.sum()))


def _move_retold(steps: Sequence[Step]) -> str:
    """B20 to B28, B40: what was drawn; or what was laid, the seals won and lost by it, the shop, the gold."""
    words = steps[-1].after.words
    lays = [step for step in steps if step.action.kind == "lay"]
    clauses = _laying_retold(lays, words) if lays else []
    for step in steps:
        if step.action.kind in _RETOLD:
            clauses += _RETOLD[step.action.kind](step)
    done = clauses or [words.say("recap.keeps")]
    return words.say("recap.move", name=_doer(steps[0].before), done=words.listed(done))


def _laying_retold(lays: Sequence[Step], words: Words) -> list[str]:
    """B21, B23: the cards laid, and the seals that have changed hands by them all together."""
    before, after, turn = lays[0].before, lays[-1].after, lays[0].before.record.turn
    old, new = before.record, after.record
    won: dict[int, list[str]] = {}  # by whose they were
    tied = []
    for nth, company in enumerate(COMPANIES):
        seal, holder, now = words.say(f"seals.{company}"), int(old.seals[nth]), int(new.seals[nth])
        if now == turn != holder:
            won.setdefault(holder, []).append(seal)
        elif now != holder:
            tied.append(seal)
    clauses = [words.say("recap.lays", ships=ships(new.laid[turn] - old.laid[turn], words))]
    for holder, seals in sorted(won.items()):
        key, name = ("recap.takes", "") if holder < 0 else ("recap.wins", before.names[holder])
        clauses.append(words.say(key, seals=words.listed(seals), name=name))
    return clauses + ([words.say("recap.ties", seals=words.listed(tied))] if tied else [])


# What an action adds to its turn's sentence; cards laid are told all together.


def _retell_draw(step: Step) -> list[str]:
    words, number = step.after.words, cards_to_draw(step.before.record)
    seen = _cards_drawn(step.before, step.after)
    if not number:
        return [words.say("recap.draws_none")]
    return [words.say("recap.draws_seen", cards=seen) if seen else words.say("recap.draws", n=number)]


def _retell_advance(step: Step) -> list[str]:
    words, (space, good, crated) = step.after.words, _shop_reached(step)
    goes = words.say("recap.advances", shop=words.say(f"shops.{step.action.operand}"), n=space)
    return [goes, words.say("recap.stores", good=good) if crated else words.say("recap.no_crate")]


def _retell_trade(step: Step) -> list[str]:
    tiles, gold = _traded(step)
    return [step.after.words.say("recap.trades_in", n=tiles, gold=gold)]


def _retell_arrival(step: Step) -> list[str]:
    return [step.after.words.say("recap.arrives")]


_RETOLD: dict[str, Callable[[Step], list[str]]] = {
    "draw": _retell_draw,
    "advance": _retell_advance,
    "trade in": _retell_trade,
    "arrive": _retell_arrival,
}


def _moments(last: Step) -> list[Moment]:
    """B30, B35, B42, B43: the arrival tile, pirates, the end."""
    before, after, words = last.before, last.after, last.after.words
    found = []
    if is_last_round(after.record) and not is_last_round(before.record):
        found.append(Moment("arrival", words.say("moments.arrival", name=_doer(before))))
    if sunk_between(before.record, before.box, after.record):
        found.append(Moment("pirates", words.say("moments.pirates", **_sunk(before, after))))
    if after.record.phase == OVER:
        kind = "over" if is_last_round(after.record) else "stillness"
        found.append(Moment(kind, words.say(f"moments.{kind}")))
    return found


# What is awaited, and what a choice would do


def choices_are_public(p: Position) -> bool:
    """B17: what a seat may bid is known to those whom its bills are shown."""
    return bool(p["phase"] != AUCTION or p["open_bills"])


def prompt(scene: Scene) -> str:
    """What is awaited, in a sentence."""
    p, words = scene.record, scene.words
    key = PHASES[p.phase]
    if p.phase == AUCTION:
        key = "only_pass" if scene.actions == ["pass"] else "auction" if p.lot.any() else "auction_boat"
    elif p.phase == MOVE:
        key = why_no_play(p) or ("move" if cards_to_draw(p) else "move_none")
    elif p.phase == LAYING:
        key = _laying(scene)
    return words.say(f"prompt.{key}", name=_doer(scene), n=cards_to_draw(p))


def _laying(scene: Scene) -> str:
    """B22, B25, B40, B42: what may come after the cards laid so far."""
    match sorted({action.kind for action in scene.choices}):
        case ["lay"]:
            return "laying_to_shop" if is_last_round(scene.record) else "laying_more"
        case ["advance"]:
            return "advance" if len(scene.actions) == 1 else "advance_which"
        case ["arrive"]:
            return "arrive"
        case ["arrive", "lay"]:
            return "laying_or_arrive"
    return "laying"


def offer(scene: Scene, action: Action) -> Choice:
    """A choice in plain words, with what comes of it."""
    return _OFFERED[action.kind](scene, action)


def _offer_bid(scene: Scene, action: Action) -> Choice:
    amount = action.operand
    return Choice(scene.words.say("choices.bid", n=amount), effect(scene, action), "bid", amount=amount)


def _offer_pass(scene: Scene, action: Action) -> Choice:
    return Choice(scene.words.say("choices.pass"), effect(scene, action), "pass", final=True)


def _offer_draw(scene: Scene, action: Action) -> Choice:
    words, number = scene.words, cards_to_draw(scene.record)
    label = words.say("choices.draw" if number else "choices.draw_none", n=number)
    return Choice(label, words.say("does.end"), "draw", final=True)


def _offer_lay(scene: Scene, action: Action) -> Choice:
    ship = scene.words.say(f"ships.{action.operand}", n=1)
    return Choice(scene.words.say("choices.lay", ship=ship), effect(scene, action), "lay")


def _offer_advance(scene: Scene, action: Action) -> Choice:
    words, (space, crate) = scene.words, _shop_ahead(scene, action)
    brings = words.say("does.of_company", company=words.name(action.operand), crate=crate)
    return Choice(words.say("choices.advance", n=space), brings, "advance")


def _offer_trade(scene: Scene, action: Action) -> Choice:
    label = scene.words.say("choices.trade in", n=int(set_size(scene.record, scene.record.turn)))
    return Choice(label, scene.words.say("score.points", n=_set_gold(scene)), "tiles")


def _offer_keep(scene: Scene, action: Action) -> Choice:
    return Choice(
        scene.words.say("choices.keep"), effect(scene, action), "tiles", final=_keeps_for_good(scene)
    )


def _offer_arrival(scene: Scene, action: Action) -> Choice:
    return Choice(scene.words.say("choices.arrive"), effect(scene, action), "advance")


_OFFERED: dict[str, Callable[[Scene, Action], Choice]] = {
    "bid": _offer_bid,
    "pass": _offer_pass,
    "draw": _offer_draw,
    "lay": _offer_lay,
    "advance": _offer_advance,
    "trade in": _offer_trade,
    "keep": _offer_keep,
    "arrive": _offer_arrival,
}


def effect(scene: Scene, action: Action) -> str:
    """What a choice would do, in a few words."""
    return _EFFECTS[action.kind](scene, action)


def _bid_effect(scene: Scene, action: Action) -> str:
    p, words = scene.record, scene.words
    left = int(p.bills[p.turn]) - int(action.operand)
    if bidders_left(p) == 1:
        return words.say("does.bid_wins", n=left)
    return words.say("does.bid" if left else "does.bid_all", n=left)


def _pass_effect(scene: Scene, action: Action) -> str:
    """B13, B16: the last but one to pass leaves the lot to the best bidder, the last one to nobody."""
    p, words, left = scene.record, scene.words, bidders_left(scene.record)
    if left == 2 and p.bidder >= 0:
        return words.say("does.pass_sells", name=short(scene.names[p.bidder], 12), n=int(p.bid))
    return words.say("does.pass_unsold" if left == 1 else "does.pass")


def _draw_effect(scene: Scene, action: Action) -> str:
    number = cards_to_draw(scene.record)
    return scene.words.say("does.draw" if number else "does.draw_none", n=number)


def _advance_effect(scene: Scene, action: Action) -> str:
    space, crate = _shop_ahead(scene, action)
    return scene.words.say("does.advance", n=space, crate=crate)


def _shop_ahead(scene: Scene, action: Action) -> tuple[int, str]:
    """B25, B26: the space that an advance leads to, and what the shop there brings."""
    space = int(next_shop(scene.record, scene.record.turn, action.offset))
    return space, _crate(scene, action.offset, space)


def _crate(scene: Scene, company: int, space: int) -> str:
    """B26: what a shop brings."""
    p, good = scene.record, good_on(scene.record, company, space)
    there = int(crates_at(p, p.turn, good))
    key = "no_crate" if p.crates[p.turn] == 0 else "crate" if there else "first_crate"
    return scene.words.say(f"does.{key}", good=GOODS[good], n=there)


def _trade_effect(scene: Scene, action: Action) -> str:
    tiles = int(set_size(scene.record, scene.record.turn))
    return scene.words.say("does.trade in", n=tiles, gold=_set_gold(scene))


def _keep_effect(scene: Scene, action: Action) -> str:
    if _keeps_for_good(scene):
        return scene.words.say("does.keep_last" if is_last_round(scene.record) else "does.keep_full")
    return scene.words.say("does.keep", gold=_set_gold(scene, 1))


def _arrival_effect(scene: Scene, action: Action) -> str:
    return scene.words.say("does.arrive", gold=int(scene.box.gold_arrival))


def _set_gold(scene: Scene, more: int = 0) -> int:
    """B28: what the tiles of the seat that decides bring; or would, with some of other companies."""
    return int(scene.box.gold_set[set_size(scene.record, scene.record.turn) + more])


def _keeps_for_good(scene: Scene) -> bool:
    """B28, B43: tiles are worth nothing at the end, and whoever has all companies gets no new one."""
    p = scene.record
    return bool(is_last_round(p) or set_size(p, p.turn) == len(COMPANIES))


def _lay_effect(scene: Scene, action: Action) -> str:
    """B23, B25, B30: what laying one ship does to the seal, where that leads, and whether pirates come."""
    p, words, turn, company = scene.record, scene.words, scene.record.turn, action.offset
    holder, then = p.seals[company], seal_after(p, turn, company, 1)
    if then == turn:
        does = words.say("does.lay" if holder == turn else "does.lay_seal")
        space = int(next_shop(p, turn, company))
        if space:
            good = GOODS[good_on(p, company, space)]
            does = words.say("does.lay_shop", seal=does, n=space, good=good)
    elif then != holder:
        does = words.say("does.lay_tie", name=short(scene.names[holder], 12))
    else:
        does = _needed(scene, company)
    called = cannon(p) + 1 >= scene.box.pirates_at[p.players]
    return words.say("does.pirates", does=does) if called else does


def _needed(scene: Scene, company: int) -> str:
    """B23: how many ships it takes to win a seal."""
    p, turn = scene.record, scene.record.turn
    hand = int(p.hand[turn, company])
    needed = next((n for n in range(2, hand + 1) if seal_after(p, turn, company, n) == turn), 0)
    return scene.words.say("does.lay_short" if needed else "does.lay_far", n=needed, hand=hand)


_EFFECTS: dict[str, Callable[[Scene, Action], str]] = {
    "bid": _bid_effect,
    "pass": _pass_effect,
    "draw": _draw_effect,
    "lay": _lay_effect,
    "advance": _advance_effect,
    "trade in": _trade_effect,
    "keep": _keep_effect,
    "arrive": _arrival_effect,
}
