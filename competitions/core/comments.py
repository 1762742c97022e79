"""The text of a comment: how it is normalized, what is refused, and when commenting closes.

Text is normalized to NFC, line ends to line feeds and tabs to blanks, because browsers differ in these. Nothing else is
rewritten. Characters that SQL or a page cannot hold, and bidirectional controls, are refused.
"""

import unicodedata
from datetime import datetime, timedelta
from hashlib import blake2b

from competitions.errors import BadComment
from foundation.messages import Message
from leaderboards.core.input.names import has_bidi_control, is_printable

LONGEST = 2000
MOST_LINES = 20
OPEN_AFTER_THE_END = timedelta(days=30)

_INVISIBLE = frozenset({"Cf", "Mn", "Me", "Zs"})  # categories that show nothing by themselves


def read_text(raw: str) -> str:
    """Return the normalized text. Raises ``BadComment``. A line end counts as one character."""
    text = raw.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ")
    text = unicodedata.normalize("NFC", text).strip()
    categories = {unicodedata.category(each) for each in text if each != "\n"}
    if categories <= _INVISIBLE:
        raise BadComment("empty", Message("Write something: the comment is empty."))
    if len(text) > LONGEST:
        raise BadComment(
            "long",
            Message(
                "The comment has %(number)s characters; up to %(most)s are allowed.", number=len(text), most=LONGEST
            ),
        )
    if text.count("\n") >= MOST_LINES:
        raise BadComment(
            "lines",
            Message(
                "The comment has %(number)s lines; up to %(most)s are allowed.",
                number=text.count(chr(10)) + 1,
                most=MOST_LINES,
            ),
        )
    if not is_printable(text, lines=True):
        raise BadComment("unprinted", Message("The comment contains a control character."))
    if has_bidi_control(text):
        raise BadComment(
            "turning", Message("The comment contains a mark that turns the direction of the text around it.")
        )
    return text


def digest(form: str, text: str) -> str:
    """Return 24 hexadecimal digits that identify a form and its text: a form posted twice has the same digest."""
    return blake2b(f"{form}\n{text}".encode(errors="surrogatepass"), digest_size=12).hexdigest()


def closes_at(ends_at: datetime, cancelled_at: datetime | None) -> datetime:
    """Return when commenting closes. It depends on public times only, so it reveals nothing about a freeze."""
    return (cancelled_at or ends_at) + OPEN_AFTER_THE_END
