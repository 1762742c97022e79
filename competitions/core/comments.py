"""What a comment may say, and until when: plain text that SQL, pages and programs can hold.

Texts are put into Unicode's composed form, and their line ends and tabs are made the same: browsers differ in both.
Nothing else is rewritten; what cannot be kept, or would turn the words of others round, is refused.
"""

import unicodedata
from datetime import datetime, timedelta
from hashlib import blake2b

from competitions.errors import BadComment
from leaderboards.core.input.names import has_bidi_control, is_printable

LONGEST = 2000
MOST_LINES = 20
OPEN_AFTER_THE_END = timedelta(days=30)

_UNSEEN = frozenset({"Cf", "Mn", "Me", "Zs"})  # marks and blanks that show nothing by themselves


def read_text(raw: str) -> str:
    """The text as it is kept. Raises ``BadComment``; an end of line counts as one character."""
    text = raw.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ")
    text = unicodedata.normalize("NFC", text).strip()
    kinds = {unicodedata.category(each) for each in text if each != "\n"}
    if kinds <= _UNSEEN:
        raise BadComment("empty", "Write something: the comment is empty.")
    if len(text) > LONGEST:
        raise BadComment("long", f"The comment has {len(text)} characters; up to {LONGEST} are allowed.")
    if text.count("\n") >= MOST_LINES:
        raise BadComment("lines", f"The comment has {text.count(chr(10)) + 1} lines; up to {MOST_LINES} are allowed.")
    if not is_printable(text, lines=True):
        raise BadComment("unprinted", "The comment contains a control character.")
    if has_bidi_control(text):
        raise BadComment("turning", "The comment contains a mark that turns the direction of the text around it.")
    return text


def digest(form: str, text: str) -> str:
    """What two posts of one form with one text have in common, and no others: 24 hexadecimal digits."""
    return blake2b(f"{form}\n{text}".encode(errors="surrogatepass"), digest_size=12).hexdigest()


def closes_at(ends_at: datetime, cancelled_at: datetime | None) -> datetime:
    """Until when people may comment. It hangs on what the public knows, so that it tells nothing of a freeze."""
    return (cancelled_at or ends_at) + OPEN_AFTER_THE_END
