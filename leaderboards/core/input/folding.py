"""Fold names for search: without accents, case and width, so that "zoe" finds Zoë and "lukasz" finds ŁUKASZ.

Hangul stays in composed syllables. Marks that make a different letter, such as the voiced sound marks of kana, stay.
"""

import re
from collections.abc import Iterator
from unicodedata import category, combining, normalize

MAX_LENGTH = 100  # of a folded name: a sign may become as many as eighteen
_FIRST, _LAST = 0xAC00, 0xD7A3  # syllables of Hangul
_OF_INITIAL, _OF_VOWEL = 588, 28  # syllables that begin with the same consonant, and with the same vowel too

# Letters that Unicode does not decompose.
_PLAIN = str.maketrans({
    "ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "ƶ": "z", "ƀ": "b", "ɨ": "i", "ı": "i", "ŋ": "n",
    "æ": "ae", "œ": "oe", "þ": "th", "ĸ": "k", "ſ": "s", "ß": "ss", "ɫ": "l", "ȼ": "c", "ɇ": "e", "ǥ": "g", "ɉ": "j",
    "’": "'", "‘": "'", "ʼ": "'", "＇": "'", "‐": "-", "‑": "-", "–": "-", "—": "-",
})  # fmt: skip  # as a table
_MARKS_THAT_STAY = frozenset({7, 8, 9})  # classes of nukta, of the voice of kana, of virama
_DRAW_NOTHING = re.compile("[\u115f\u1160\u2800\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_INITIALS = "ᄀᄁᄂᄃᄄᄅᄆᄇᄈᄉᄊᄋᄌᄍᄎᄏᄐᄑᄒ"
_ASCII_PRINTED = re.compile("[ -~]*")


def fold(text: str) -> str:
    """Return ``text`` folded. Folding is idempotent."""
    if _ASCII_PRINTED.fullmatch(text):
        return " ".join(text.lower().split())
    folded = _fold_once(text)
    while (again := _fold_once(folded)) != folded:
        folded = again
    return folded


def folded_name(name: str) -> str | None:
    """Return the value of the column ``folded_name``; None for an empty name."""
    return fold(name)[:MAX_LENGTH].rstrip() if name else None


def _fold_once(text: str) -> str:
    decomposed = normalize("NFKD", normalize("NFKD", text).casefold())
    letters = "".join(_kept(decomposed)).translate(_PLAIN)
    return " ".join(normalize("NFC", _DRAW_NOTHING.sub("", letters)).split())


def _kept(letters: str) -> Iterator[str]:
    """Yield the letters without accents and without control and format characters."""
    for letter in letters:
        if letter.isspace():
            yield " "
        elif category(letter) not in {"Cc", "Cf", "Cs"}:
            mark = combining(letter)
            if mark == 0 or mark in _MARKS_THAT_STAY:
                yield letter


def is_searchable(folded: str) -> bool:
    """Return whether a prefix is long enough: two letters, or one of Hangul, kana or Chinese."""
    return len(folded) > 1 or any(_is_syllable(letter) for letter in folded)


def _is_syllable(letter: str) -> bool:
    number = ord(letter)
    return (
        letter in _INITIALS
        or 0x3041 <= number <= 0x30FF
        or 0x3400 <= number <= 0x9FFF
        or (_FIRST <= number <= _LAST or 0x20000 <= number <= 0x3FFFF)
    )


Ranges = tuple[tuple[str, str], ...]


def prefix_ranges(folded: str) -> Ranges:
    """Return the ranges (start included, end excluded, in byte order) of all texts that begin with a non-empty prefix.

    They are sorted and do not overlap. A last syllable of Hangul without a final consonant matches with any final
    consonant. A last initial consonant matches itself, as in ㅋㅋㅋ, and in a second range all its syllables, as it may
    still be in the middle of being typed.
    """
    stem, last = folded[:-1], ord(folded[-1])
    if folded[-1] in _INITIALS:
        first = _FIRST + _INITIALS.index(folded[-1]) * _OF_INITIAL
        return (folded, stem + chr(last + 1)), (stem + chr(first), stem + chr(first + _OF_INITIAL))
    if _FIRST <= last <= _LAST and (last - _FIRST) % _OF_VOWEL == 0:
        return ((folded, stem + chr(last + _OF_VOWEL)),)
    if last == 0x10FFFF:
        return ((folded, folded + chr(last)),)
    return ((folded, stem + chr(0xE000 if last == 0xD7FF else last + 1)),)


def begins_with(folded: str, ranges: Ranges) -> bool:
    """Return whether ``folded`` is in a range. Python compares text in the same order as its UTF-8 bytes."""
    return any(start <= folded < end for start, end in ranges)
