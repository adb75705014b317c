"""What a lesson says to who learns: the step they are at, or that they have strayed, or that it is over."""

from __future__ import annotations

from dataclasses import dataclass

from comptoir.engine.words import Words
from comptoir.web.domain.lesson import LEARNER, LessonPage
from comptoir.web.domain.state import Table
from comptoir.web.view.table_view import TableView


@dataclass(frozen=True)
class GuidePage:
    """A page of the guide, in the reader's language: one is shown at a time."""

    ask: str
    why: str
    spots: str


@dataclass(frozen=True)
class Guide:
    """`kind`: step, others, astray or over. `action` is lit next to the last page."""

    kind: str
    title: str
    pages: tuple[GuidePage, ...]
    ply: int
    action: str = ""


def guide(seen: TableView, table: Table) -> Guide | None:
    """What the lesson says now; nothing to others than the learner, or once they play on without it."""
    lesson, words = table.lesson, seen.words
    if (
        lesson is None
        or seen.viewer.seat != LEARNER
        or (seen.at > len(lesson.actions) and not table.off_script)
    ):
        return None
    if table.off_script:
        said = words.say("lesson.astray", action=_label(table, words))
        return Guide("astray", words.say("lesson.astray_title"), (GuidePage("", said, ""),), seen.at)
    step = lesson.steps.get(seen.at)
    if table.scripted_action is None:
        pages = (*_pages(lesson.closing, table, words), GuidePage("", words.say("lesson.play_on"), ""))
        return Guide("over", words.say("lesson.over"), pages, seen.at)
    reached = sum(ply < seen.at for ply in lesson.steps) if step is None else step.number
    title = words.say("lesson.step", n=max(reached, 1), m=len(lesson.steps))
    if not seen.yours:
        return Guide("others", title, (GuidePage("", seen.sentence, ""),), seen.at)
    if step is None:
        forced = words.say("lesson.forced", action=_label(table, words))
        return Guide("step", title, (GuidePage("", forced, ""),), seen.at, table.scripted_action)
    return Guide("step", title, _pages(step.pages, table, words), seen.at, step.action)


def _label(table: Table, words: Words) -> str:
    """The lesson's next action, as the dock calls it."""
    assert table.lesson is not None
    assert table.match is not None
    scene = table.match.scene_at(table.plies_followed, LEARNER, words)
    action = table.lesson.actions[table.plies_followed]
    label: str = table.game.story.choice(scene, table.game.decode(action)).label
    return label


def _pages(pages: tuple[LessonPage, ...], table: Table, words: Words) -> tuple[GuidePage, ...]:
    """The texts name others by their seats: `{1}`."""
    names = [held.name for held in table.seats]

    def said(text: dict[str, str] | None) -> str:
        return text[words.lang].format(*names) if text else ""

    return tuple(GuidePage(said(page.ask), said(page.why), " ".join(page.spots)) for page in pages)
