"""What a loss is called and how it is written agree with the legend."""

from __future__ import annotations

import re

import pytest

from comptoir.engine.match import Match
from comptoir.engine.words import words_of
from comptoir.review.builder import blank_review
from comptoir.review.mistake_kinds import MISTAKE_THRESHOLDS, mistake_kind
from comptoir.review.texts import ReviewNarrator
from tests.review.sample_matches import QUICK


def teller(lang: str) -> ReviewNarrator:
    match = Match("batavia", seed=1)
    return ReviewNarrator(
        match, blank_review(match, QUICK), words_of("batavia", lang, packages=("bots", "review"))
    )


@pytest.mark.parametrize(
    ("loss", "kind", "written"),
    [
        (0.076, "inaccuracy", "−7.6"),
        (0.0799, "inaccuracy", "−7.9"),
        (0.08, "mistake", "−8"),
        (0.084, "mistake", "−8"),
        (0.149, "mistake", "−14.9"),
        (0.15, "blunder", "−15"),
        (0.0395, "", "−3.9"),
        (0.05, "inaccuracy", "−5"),
        (0.001, "", "0"),
    ],
)
def test_a_loss_is_named_unrounded_and_written_so(loss: float, kind: str, written: str) -> None:
    assert mistake_kind(loss) == kind
    assert teller("en").lost(loss) == written
    assert teller("fr").lost(loss) == written.replace(".", ",")


def test_no_figure_belongs_to_another_name() -> None:
    """For any loss: what is written, read back, has the same name."""
    tell = teller("en")
    for n in range(1, 3000):
        loss = n / 10_000
        written = float(re.sub("[^0-9.]", "", tell.lost(loss)))
        assert mistake_kind(written / 100) == mistake_kind(loss)
    assert set(MISTAKE_THRESHOLDS) == {mistake_kind(n / 100) for n in range(30)} - {""}
