"""Names of players, from whatever source: forms, programs, match files. One place says what a name is.

What is shown may hold no character that moves the cursor, turns the text around or cannot be seen; and two
names at one table may not look the same.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

from comptoir.errors import OptionError

MAX_NAME_LENGTH = 24
MAX_NUMBERED_NAME_LENGTH = MAX_NAME_LENGTH + len(
    " 22"
)  # older tables numbered equal names without cutting them
NAMES = ("Anne", "Bruno", "Chloé", "David", "Emma", "Farid", "Gaëlle", "Hugo")
JOINERS = "\u200c\u200d"  # invisible, but some scripts and emoji are not written without them
_BLANKS = "\u115f\u1160\u2800\u3164\uffa0\U0001d159"  # letters or symbols to Unicode, blank on the screen

# Default_Ignorable_Code_Point of Unicode 16.0, from DerivedCoreProperties.txt of the Unicode Character
# Database; `unicodedata` does not have this property. All of these are drawn as nothing.
_IGNORABLE = (
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFF8),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
_IGNORED = dict.fromkeys(n for first, last in _IGNORABLE for n in range(first, last + 1))


def clean_name(text: str, longest: int = MAX_NAME_LENGTH) -> str:
    """A name as it is shown: 1 to 24 characters, none of which can disturb the text around it."""
    if "#" in text:
        raise OptionError("name: # starts a comment in match files; leave it out")
    return clean_text(text, longest, "name")


def clean_text(text: str, longest: int, what: str = "text") -> str:
    """A text of one line as it is shown, of characters none of which can disturb what is around it."""
    clean = " ".join(unicodedata.normalize("NFC", text).split())
    for letter in clean:
        if not _can_be_shown(letter):
            raise OptionError(f"{what}: the character U+{ord(letter):04X} cannot be shown; leave it out")
    if not any(unicodedata.category(letter)[0] in "LNPS" for letter in clean):
        raise OptionError(f"{what}: expected at least one letter, digit or sign")
    if len(clean) > longest:
        raise OptionError(f"{what}: expected at most {longest} characters, found {len(clean)}")
    return clean


def _can_be_shown(letter: str) -> bool:
    """Not so: control characters, marks of direction, what is unassigned, half a pair, or blank."""
    return letter in JOINERS or (unicodedata.category(letter)[0] != "C" and letter not in _BLANKS)


def skeleton(name: str) -> str:
    """What two names have in common that look the same: compare names by this, and never show it.

    Letter case, compatible forms, all kinds of spaces and characters that are drawn as nothing do not count.
    (Unicode's NFKC_Casefold; letters of different scripts that look alike are not folded.)
    """
    folded = unicodedata.normalize("NFD", name.translate(_IGNORED))
    for _ in range(2):  # what is folded may have to be composed again, and then folded once more
        folded = unicodedata.normalize("NFKC", folded.casefold()).translate(_IGNORED)
    return " ".join(folded.split())


def free_name(name: str, taken: Iterable[str]) -> str:
    """The name, or `name 2` and so on, that looks like none of those: in no more letters than names have."""
    known = {skeleton(one) for one in taken}
    if skeleton(name) not in known:
        return name
    marks = (f" {n}" for n in range(2, len(known) + 3))
    numbered = (name[: MAX_NAME_LENGTH - len(mark)].rstrip() + mark for mark in marks)
    return next(one for one in numbered if skeleton(one) not in known)


def clean_names(names: Sequence[str]) -> list[str]:
    """Names for the seats of a match. Raises OptionError for what is none, or looks like another's."""
    clean = []
    for name in names:
        try:
            clean.append(clean_name(name, MAX_NUMBERED_NAME_LENGTH))
        except OptionError as error:
            raise OptionError(f"names: {name!r} cannot be used: {error}") from None
    if len(set(map(skeleton, clean))) != len(clean):
        raise OptionError(f"names: expected different names, found {', '.join(map(repr, clean))}")
    return clean


def repaired_names(names: Sequence[str]) -> list[str]:
    """The same from a file or a stored table: what cannot be shown is left out, of names that look equal
    the later ones get a number, and where nothing is left a seat has its usual name. Good names stay.
    """
    repaired: list[str] = []
    for name, usual in zip(names, default_names(len(names)), strict=True):
        repaired.append(free_name(_repaired(name) or usual, repaired))
    return repaired


def _repaired(name: str) -> str:
    shown = (
        letter for letter in unicodedata.normalize("NFC", name) if letter.isspace() or _can_be_shown(letter)
    )
    text = " ".join("".join(shown).replace("#", " ").split())[:MAX_NUMBERED_NAME_LENGTH].rstrip()
    try:
        return clean_name(text, MAX_NUMBERED_NAME_LENGTH)
    except OptionError:
        return ""


def default_names(players: int) -> list[str]:
    """Names for seats whose players gave none: `Anne`, and so on, then `Anne 2`."""
    return [
        NAMES[n % len(NAMES)] + (f" {n // len(NAMES) + 1}" if n >= len(NAMES) else "") for n in range(players)
    ]


def without_invisible(text: str) -> str:
    """A text for a terminal: without what moves its cursor, turns it around or is drawn as nothing. Line ends
    and tabs stay.
    """
    if text.isascii() and text.isprintable():
        return text
    plain = text.translate(_IGNORED)
    return "".join(
        letter for letter in plain if letter in "\n\t" or unicodedata.category(letter) not in _UNSAFE
    )


_UNSAFE = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
