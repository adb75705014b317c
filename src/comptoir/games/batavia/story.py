"""The log in words: what one action did, told from a seat's views before and after it and from nothing else."""

from __future__ import annotations

from typing import Any

from comptoir.engine.components import Components
from comptoir.engine.words import Words
from comptoir.games.batavia.rules import COMPANIES, GOODS

View = dict[str, Any]


def tell(before: View, action: str, after: View, words: Words, components: Components) -> list[str]:
    """The lines of the log for one action."""
    old, new, names = before["position"], after["position"], after["names"]
    name = names[old["turn"]]
    verb, operand = words.split(action)
    lines = {"bid": _bid, "pass": _pass, "draw": _draw, "lay": _lay, "advance": _advance}.get(verb, _other)(
        old, new, name, verb, operand, before["seat"], words
    )
    if old["phase"] == "auction" and new["phase"] != "auction":
        lines += _auction_end(old, new, operand, names, words)
    if old["phase"] != "auction" and new["phase"] not in ("laying", "trading"):
        lines += _after_move(old, new, verb, names, words, components)
    return lines


def cards(counts: dict[str, int], words: Words) -> str:
    """Ship cards in words: 2 England, 1 Sweden."""
    return ", ".join(f"{n} {words.name(company)}" for company, n in counts.items() if n) or words.say("log.nothing")


def _bid(old: View, new: View, name: str, verb: str, operand: str, seat: int | None, words: Words) -> list[str]:
    return [words.say("log.bid", name=name, n=int(operand))]


def _pass(old: View, new: View, name: str, verb: str, operand: str, seat: int | None, words: Words) -> list[str]:
    return [words.say("log.pass", name=name)]


def _auction_end(old: View, new: View, operand: str, names: list[str], words: Words) -> list[str]:
    if not any(new["lot"].values()) and (operand or old["bidder"] is not None):
        price = int(operand) if operand else old["bid"]
        return [words.say("log.won", name=names[new["first"]], lot=cards(old["lot"], words), n=price)]
    return [words.say("log.all_pass", name=names[new["first"]])]


def _draw(old: View, new: View, name: str, verb: str, operand: str, seat: int | None, words: Words) -> list[str]:
    turn, count = old["turn"], _cards_to_draw(old)
    if seat == turn and new["phase"] != "over" and count:
        drawn = {company: new["hand"][turn][company] - old["hand"][turn][company] for company in COMPANIES}
        return [words.say("log.draw_seen", name=name, cards=cards(drawn, words))]
    return [words.say("log.draw", name=name, n=count)]


def _cards_to_draw(old: View) -> int:
    return int(min(2, old["pile_size"] + sum(old["discards"].values())))


def _lay(old: View, new: View, name: str, verb: str, operand: str, seat: int | None, words: Words) -> list[str]:
    lines = [words.say("log.lay", name=name, company=operand)]
    holder = new["seals"][operand]
    if holder != old["seals"][operand]:
        lines.append(words.say("log.seal" if holder is not None else "log.seal_back", name=name, company=operand))
    return lines


def _advance(old: View, new: View, name: str, verb: str, operand: str, seat: int | None, words: Words) -> list[str]:
    space = new["merchants"][old["turn"]]
    good = next(good for good in GOODS if old["tiles"][operand][good] == f"space {space}")
    crated = new["tiles"][operand][good].startswith("crate")
    lines = [words.say("log.advance" if crated else "log.advance_no_crate", name=name, n=space, company=operand, good=good)]
    if new["face_up"] > old["face_up"]:
        lines.append(words.say("log.turned_up", first=old["face_up"] + 1, last=new["face_up"]))
    return lines


def _other(old: View, new: View, name: str, verb: str, operand: str, seat: int | None, words: Words) -> list[str]:
    turn = old["turn"]
    if verb == "trade in":
        tiles = sum(1 for count in old["held"][turn].values() if count)
        return [words.say("log.trade_in", name=name, n=tiles, gold=new["gold"][turn] - old["gold"][turn])]
    return [words.say(f"log.{verb}", name=name)]


def _after_move(old: View, new: View, verb: str, names: list[str], words: Words, components: Components) -> list[str]:
    """Pirates, a new pile, a new round, the end."""
    lines = []
    largest = max(old["markers"].values())
    if sum(old["markers"].values()) >= components.figures.pirates_at[old["players"]]:
        sunk = [company for company in COMPANIES if old["markers"][company] == largest]
        lines += [words.say("log.pirates", company=company, n=largest) for company in sunk]
    lot = {company: new["lot"][company] - old["lot"][company] for company in COMPANIES}
    if sum(lot.values()) + (_cards_to_draw(old) if verb == "draw" else 0) > old["pile_size"]:
        lines.append(words.say("log.shuffled"))
    if new["phase"] == "over":
        return [*lines, words.say(f"log.over_{new['ending']}")]
    if new["round_number"] > old["round_number"]:
        name = names[new["first"]]
        lines.append(words.say("log.round", n=new["round_number"], name=name, lot=cards(lot, words)))
    return lines
