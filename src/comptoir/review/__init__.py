"""Reviewing a finished match: what each decision promised and cost, everyone's chances, luck apart from
choice, and where the match turned.

  thinking.py   how a decision and a position are judged
  making.py     a review as it is made, action by action
  figures.py    what a review comes to: losses, accuracy, luck, turning points
  file.py       the text form of a review
  telling.py    a review in words
  picture.py    the curve of chances
  page.py       a review as a page that stands alone

    >>> from comptoir.review import review
    >>> made = review(comptoir.load("game.match"))      # doctest: +SKIP
    >>> made.accuracy(0), made.turning_points()[0]      # doctest: +SKIP
"""

from comptoir.review.builder import ReviewBuilder, review
from comptoir.review.model import Review

__all__ = ["Review", "ReviewBuilder", "review"]
