"""The rules of a game as a page: the same text as `comptoir rules`, every rule a place to link to, with
pictures of our own boards.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from comptoir.engine.rulebook import rules_of, text_of
from comptoir.engine.words import typeset
from comptoir.web.page_words import page_words
from comptoir.web.view.pictures import Picture, picture_size, pictures_of

_MARKDOWN = MarkdownIt("commonmark").enable("table")
_ID = re.compile(r"\b([A-Z]+\d+)\b")
# what is typed in a terminal for a step: `(\`sail 2-4\`)`, `(\`lay CARD\`, one card at a time)`
_TYPED = re.compile(r"\s+\(`[^()`]*`([^()]*)\)")
_LINKS_OF_TYPED = re.compile(r"`[^`]*`|\b(?:then|or|puis|ou)\b|[\s,]+")
_DECISIONS = ("Ruling", "Décision")  # how the texts mark what this project had to decide


@dataclass(frozen=True)
class Section:
    """A heading of the rules, for the table of contents."""

    id: str
    title: str


@dataclass(frozen=True)
class RulesPage:
    """The rules as HTML, and what the page says about them."""

    article: str
    sections: list[Section]
    rules: int
    rulings: int


@cache
def rules_page(name: str, lang: str) -> RulesPage:
    known = rules_of(name, lang)
    parts: list[list[Token]] = [[]]  # the introduction, then the sections
    sections: list[Section] = []
    text = _TYPED.sub(_untyped, text_of(name, lang)) or page_words(name, lang).say("defaults.no_rules")
    tokens = _MARKDOWN.parse(typeset(text, lang))
    for at, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag == "h2":
            sections.append(Section(f"{name}-{len(sections) + 1}", tokens[at + 1].content))
            token.attrSet("id", sections[-1].id)
            parts.append([])
        elif token.type == "list_item_open":
            _name_rule(token, tokens[at + 2], set(known))
        elif token.type == "inline":
            token.children = list(_linked(token.children or [], set(known)))
            for mark in _decisions(token.children):
                mark.attrSet("class", "decision")
        parts[-1].append(token)
    article = "".join(_render(part) + _figures(name, after, lang) for after, part in enumerate(parts))
    numbered = [rule for rule in known.values() if not rule.is_example]
    return RulesPage(article, sections, len(numbered), sum(rule.is_ruling for rule in numbered))


def _untyped(found: re.Match[str]) -> str:
    """Players click: of what stands in brackets only what is more than a command is left."""
    words = _LINKS_OF_TYPED.sub(" ", found[1]).strip()
    return f" ({words})" if words else ""


def _render(tokens: Sequence[Token]) -> str:
    html: str = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})
    return html.replace("<table>", '<div class="wide-table"><table>').replace("</table>", "</table></div>")


def _name_rule(item: Token, text: Token, known: set[str]) -> None:
    """The item of a rule gets its number as its id, and its kind."""
    children = [child for child in text.children or [] if child.type != "text" or child.content]
    if len(children) < 3 or children[0].type != "strong_open" or children[1].content not in known:
        return
    id = children[1].content
    number, end = children[0], children[2]
    number.tag = end.tag = "a"
    number.attrs = {"class": "rule-id", "href": f"#{id}"}
    item.attrs = {
        "id": id,
        "class": "rule example" if "X" in id else "rule ruling" if _decisions(children) else "rule",
    }
    text.children = children


def _decisions(children: Sequence[Token]) -> list[Token]:
    """Where the text says that what follows is decided by us."""
    return [
        mark
        for mark, said in pairwise(children)
        if mark.type == "em_open" and said.content.startswith(_DECISIONS)
    ]


def _linked(children: Sequence[Token], known: set[str]) -> Iterator[Token]:
    """Where a rule speaks of another, its number leads there."""
    inside = 0  # the rule's own number is a link already
    for child in children:
        inside += child.nesting * (child.tag == "a")
        if child.type != "text" or inside:
            yield child
            continue
        for at, part in enumerate(_ID.split(child.content)):
            if at % 2 and part in known:
                yield Token("html_inline", "", 0, content=f'<a class="see" href="#{part}">{part}</a>')
            elif part:
                yield Token("text", "", 0, content=part)


def _figures(name: str, after: int, lang: str) -> str:
    return "".join(_figure(name, picture, lang) for picture in pictures_of(name) if picture.after == after)


def _figure(name: str, picture: Picture, lang: str) -> str:
    caption = escape(page_words(name, lang).say(f"pictures.{picture.name}"))
    width, height = picture_size(name, picture)
    if not height:
        return ""
    kind = "board" if picture.seat is None else "cards"
    source = f"/rules/{name}/{picture.name}.{lang}.svg"
    return (
        f'<figure class="{kind}">'
        f'<img src="{source}" width="{width:g}" height="{height:g}" loading="lazy" alt="">'
        f"<figcaption>{caption}</figcaption></figure>"
    )
