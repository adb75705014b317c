"""The story in words: what an action did, what a turn did, what is awaited, and what a choice would do.

All of it is told from a seat's scenes and from nothing else; what a rule says is asked of the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from comptoir.art.parts import short
from comptoir.engine.offer import Offer
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


def tell(before: Scene, action: str, after: Scene) -> list[str]:
    """The lines of the log for one action."""
    words, name = after.words, _doer(before)
    verb, operand = words.split(action)
    match verb:
        case "bid":
            lines = [words.say("log.bid", name=name, n=int(operand))]
        case "draw":
            lines = [_draw(before, after)]
        case "lay":
            lines = [_lay(before, operand, after)]
        case "advance":
            lines = _advance(before, operand, after)
        case "trade in":
            tiles, gold = _traded(before, after)
            lines = [words.say("log.trade_in", name=name, n=tiles, gold=gold)]
        case _:
            lines = [words.say(f"log.{verb}", name=name)]
    if ends_turn(before.record, after.record):
        lines += (
            _after_auction(before, after) if before.record.phase == AUCTION else _after_move(before, after)
        )
    return lines


def _after_auction(before: Scene, after: Scene) -> list[str]:
    """B14, B16, B19: who has bought the lot, or that nobody has."""
    p, words = after.record, after.words
    lot, alone = cards(before.record.lot, words), "" if before.record.lot.any() else "_boat"
    key = f"log.won{alone}" if p.bidder >= 0 else f"log.all_pass{alone}"
    return [words.say(key, name=after.names[p.first], lot=lot, n=int(p.bid))]


def _draw(before: Scene, after: Scene) -> str:
    """B17, B20: only who draws is told which cards; at the end they lie on the table at once, with all
    others.
    """
    words, name, number = after.words, _doer(before), cards_to_draw(before.record)
    if not number:
        return words.say("log.draw_none", name=name)
    seen = _cards_drawn(before, after)
    return (
        words.say("log.draw_seen", name=name, cards=seen)
        if seen
        else words.say("log.draw", name=name, n=number)
    )


def _cards_drawn(before: Scene, after: Scene) -> str:
    """B17: the cards that a draw has brought, as far as the viewer knows them."""
    turn = before.record.turn
    known = after.seat == turn and after.record.phase != OVER
    return cards(after.record.hand[turn] - before.record.hand[turn], after.words) if known else ""


def _lay(before: Scene, company: str, after: Scene) -> str:
    """B21, B23: a card, and what becomes of the seal."""
    words, nth = after.words, COMPANIES.index(company)
    holder, now = int(before.record.seals[nth]), int(after.record.seals[nth])
    key = "log.lay"
    if now != holder:
        key = "log.lay_tie" if now < 0 else "log.lay_seal" if holder < 0 else "log.lay_seal_from"
    laid, seal = words.say(f"ships.{company}", n=1), words.say(f"seals.{company}")
    return words.say(key, name=_doer(before), ships=laid, seal=seal, other=after.names[holder])


def _advance(before: Scene, company: str, after: Scene) -> list[str]:
    """B26, B27: the shop, the crate, and the shops that are turned up."""
    words, old, new = after.words, before.record, after.record
    space, good, crated = _shop_reached(before, company, after)
    shop = words.say(f"shops.{company}")
    key = "log.advance" if crated else "log.advance_no_crate"
    lines = [words.say(key, name=_doer(before), shop=shop, n=space, good=good)]
    if new.face_up > old.face_up:
        lines.append(words.say("log.turned_up", first=int(old.face_up) + 1, last=int(new.face_up)))
    return lines


def _shop_reached(before: Scene, company: str, after: Scene) -> tuple[int, str, bool]:
    """The space, the good, and whether a crate was placed for it."""
    old, turn, nth = before.record, before.record.turn, COMPANIES.index(company)
    space = int(after.record.merchants[turn])
    return space, GOODS[good_on(old, nth, space)], bool(old.crates[turn] > after.record.crates[turn])


def _traded(before: Scene, after: Scene) -> tuple[int, int]:
    """B28: how many tiles were handed in, and the gold for them."""
    turn = before.record.turn
    return int(set_size(before.record, turn)), int(after.record.gold[turn]) - int(before.record.gold[turn])


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
    lays = [step for step in steps if words.split(step.action)[0] == "lay"]
    clauses = _laying_retold(lays, words) if lays else []
    for step in steps:
        clauses += _clauses(step)
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


def _clauses(step: Step) -> list[str]:
    """What an action adds to its turn's sentence; cards laid are told all together."""
    before, after, words = step.before, step.after, step.after.words
    verb, operand = words.split(step.action)
    match verb:
        case "draw":
            number, seen = cards_to_draw(before.record), _cards_drawn(before, after)
            if not number:
                return [words.say("recap.draws_none")]
            return [words.say("recap.draws_seen", cards=seen) if seen else words.say("recap.draws", n=number)]
        case "advance":
            space, good, crated = _shop_reached(before, operand, after)
            goes = words.say("recap.advances", shop=words.say(f"shops.{operand}"), n=space)
            return [goes, words.say("recap.stores", good=good) if crated else words.say("recap.no_crate")]
        case "trade in":
            tiles, gold = _traded(before, after)
            return [words.say("recap.trades_in", n=tiles, gold=gold)]
        case "arrive":
            return [words.say("recap.arrives")]
    return []


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


def tells_choices(p: Position) -> bool:
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
    match sorted({scene.words.split(action)[0] for action in scene.actions}):
        case ["lay"]:
            return "laying_to_shop" if is_last_round(scene.record) else "laying_more"
        case ["advance"]:
            return "advance" if len(scene.actions) == 1 else "advance_which"
        case ["arrive"]:
            return "arrive"
        case ["arrive", "lay"]:
            return "laying_or_arrive"
    return "laying"


def offer(scene: Scene, action: str) -> Offer:
    """A choice in plain words, with what comes of it."""
    p, words, turn = scene.record, scene.words, scene.record.turn
    verb, operand = words.split(action)
    does = effect(scene, action)
    match verb:
        case "bid":
            return Offer(words.say("choices.bid", n=int(operand)), does, "bid", amount=int(operand))
        case "pass":
            return Offer(words.say("choices.pass"), does, "pass", final=True)
        case "draw":
            number = cards_to_draw(p)
            label = words.say("choices.draw" if number else "choices.draw_none", n=number)
            return Offer(label, words.say("does.end"), "draw", final=True)
        case "lay":
            return Offer(words.say("choices.lay", ship=words.say(f"ships.{operand}", n=1)), does, "lay")
        case "advance":
            company = COMPANIES.index(operand)
            space = int(next_shop(p, turn, company))
            brings = words.say(
                "does.of_company", company=words.name(operand), crate=_crate(scene, company, space)
            )
            return Offer(words.say("choices.advance", n=space), brings, "advance")
        case "trade in":
            label = words.say("choices.trade in", n=int(set_size(p, turn)))
            return Offer(label, words.say("score.points", n=_set_gold(scene)), "tiles")
        case "keep":
            return Offer(words.say("choices.keep"), does, "tiles", final=_keeps_for_good(scene))
    return Offer(words.say("choices.arrive"), does, "advance")


def effect(scene: Scene, action: str) -> str:
    """What a choice would do, in a few words."""
    p, words, turn = scene.record, scene.words, scene.record.turn
    verb, operand = words.split(action)
    match verb:
        case "pass":
            return _pass_effect(scene)
        case "draw":
            number = cards_to_draw(p)
            return words.say("does.draw" if number else "does.draw_none", n=number)
        case "lay":
            return _lay_effect(scene, COMPANIES.index(operand))
        case "advance":
            company = COMPANIES.index(operand)
            space = int(next_shop(p, turn, company))
            return words.say("does.advance", n=space, crate=_crate(scene, company, space))
        case "trade in":
            return words.say("does.trade in", n=int(set_size(p, turn)), gold=_set_gold(scene))
        case "keep":
            if _keeps_for_good(scene):
                return words.say("does.keep_last" if is_last_round(p) else "does.keep_full")
            return words.say("does.keep", gold=_set_gold(scene, 1))
        case "arrive":
            return words.say("does.arrive", gold=int(scene.box.gold_arrival))
    left = int(p.bills[turn]) - int(operand)
    if bidders_left(p) == 1:
        return words.say("does.bid_wins", n=left)
    return words.say("does.bid" if left else "does.bid_all", n=left)


def _pass_effect(scene: Scene) -> str:
    """B13, B16: the last but one to pass leaves the lot to the best bidder, the last one to nobody."""
    p, words, left = scene.record, scene.words, bidders_left(scene.record)
    if left == 2 and p.bidder >= 0:
        return words.say("does.pass_sells", name=short(scene.names[p.bidder], 12), n=int(p.bid))
    return words.say("does.pass_unsold" if left == 1 else "does.pass")


def _crate(scene: Scene, company: int, space: int) -> str:
    """B26: what a shop brings."""
    p, good = scene.record, good_on(scene.record, company, space)
    there = int(crates_at(p, p.turn, good))
    key = "no_crate" if p.crates[p.turn] == 0 else "crate" if there else "first_crate"
    return scene.words.say(f"does.{key}", good=GOODS[good], n=there)


def _set_gold(scene: Scene, more: int = 0) -> int:
    """B28: what the tiles of the seat that decides bring; or would, with some of other companies."""
    return int(scene.box.gold_set[set_size(scene.record, scene.record.turn) + more])


def _keeps_for_good(scene: Scene) -> bool:
    """B28, B43: tiles are worth nothing at the end, and whoever has all companies gets no new one."""
    p = scene.record
    return bool(is_last_round(p) or set_size(p, p.turn) == len(COMPANIES))


def _lay_effect(scene: Scene, company: int) -> str:
    """B23, B25, B30: what laying one ship does to the seal, where that leads, and whether pirates come."""
    p, words, turn = scene.record, scene.words, scene.record.turn
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
