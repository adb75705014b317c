"""What has changed in a part: the page makes of the old HTML exactly the new."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from comptoir.web.view.patches import SHORT, Text, apply, patch

tags = st.lists(
    st.sampled_from(("<g>", "</g>", '<circle r="1"/>', '<circle r="2"/>', "text", "é", "<", "")), max_size=60
).map("".join)


# a busy machine makes slow inputs of short lists
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(tags, tags)
def test_the_old_becomes_the_new(old: str, new: str) -> None:
    old, new = old + "<b>" + "x" * SHORT, new + "<b>" + "x" * SHORT
    cuts = patch(old, new)
    assert cuts is None or apply(old, cuts) == new


parts = st.lists(st.sampled_from(("<g>", "<p>", "text", "é", "", "<g>" * 200, "<g>x" * 200)), max_size=20)


# a busy machine makes slow inputs of short lists
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(parts, parts)
def test_the_old_becomes_the_new_by_its_parts(old: list[str], new: list[str]) -> None:
    before, after = Text.of((*old, "x" * SHORT)), Text.of((*new, "x" * SHORT))
    cuts = patch(before, after)
    assert cuts is None or apply(before, cuts) == after


def test_a_part_that_is_new_leaves_the_others_alone() -> None:
    old = [f'<g id="piece-{n}"/>' + "-" * n for n in range(200)]
    cuts = patch(Text.of(old), Text.of((*old[:50], "<p>new</p>", *old[50:])))
    assert cuts is not None
    assert sum(len(text) for _, _, text in cuts) < 100


def test_in_a_long_part_only_what_changes_is_sent() -> None:
    long = "".join(f'<g id="piece-{n}" transform="translate({n} 5)"/>' for n in range(200))
    cuts = patch(Text.of(("<p/>", long, "<p/>")), Text.of(("<p/>", long.replace("(7 5)", "(9 5)"), "<p/>")))
    assert cuts is not None
    assert sum(len(text) for _, _, text in cuts) < 100


def test_a_small_change_is_a_small_patch() -> None:
    old = "".join(f'<g id="piece-{n}" transform="translate({n} 5)"><circle r="4"/></g>' for n in range(200))
    cuts = patch(old, old.replace("translate(7 5)", "translate(9 5)"))
    assert cuts is not None
    assert sum(len(text) for _, _, text in cuts) < 100


def test_new_pieces_and_gone_pieces_leave_the_rest_alone() -> None:
    old = "".join(f'<g id="piece-{n}"/>' for n in range(200))
    more = old.replace('<g id="piece-50"/>', '<g id="piece-50"/><g id="new"/>')
    for before, after in ((old, more), (more, old)):
        cuts = patch(before, after)
        assert cuts is not None
        assert apply(before, cuts) == after
        assert sum(len(text) for _, _, text in cuts) < 100


def test_where_javascript_counts_otherwise_the_whole_is_sent() -> None:
    """A character beyond the first plane is two in JavaScript, so places would be wrong."""
    old = "<b>\N{ROCKET}</b>" + "<i>x</i>" * 200
    assert patch(old, old.replace("<i>x</i>", "<i>y</i>", 1)) is None


def test_what_came_as_a_change_is_counted_as_javascript_does() -> None:
    """That there is such a character is known from the change that brought it."""
    plain = Text("<i>x</i>" * 500)
    rocket = Text(plain.replace("x", "\N{ROCKET}", 1))
    assert patch(plain, rocket) is not None
    assert patch(rocket, plain) is None
    assert patch(plain, Text(plain.replace("x", "y", 1))) is not None


def test_a_long_change_is_sent_without_what_stays() -> None:
    old = "<g>" + "<g>".join(str(n) * 400 for n in range(100)) + "<p>" + "x" * SHORT
    new = old.replace("50" * 400, "50" * 200 + "<g>" + "50" * 200)
    cuts = patch(old, new)
    assert cuts is not None
    assert apply(old, cuts) == new
    assert sum(len(text) for _, _, text in cuts) < 100
