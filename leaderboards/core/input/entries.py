"""Parse submitted entries strictly: an ``Entry``, or an error with field and reason.

Only ``read_value`` checks the rules of the board. The trap: texts go to SQL, Redis and pages, so characters that those
cannot store or show (lone surrogates, control characters) are refused here.
"""

import re
import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import NamedTuple

from foundation.messages import Message
from leaderboards.core.input.json_body import DuplicateKeys, read_json
from leaderboards.core.input.metadata import read_metadata
from leaderboards.core.input.points import points_number, points_text, read_points, scaled
from leaderboards.core.instants import EPOCH
from leaderboards.core.ranking.criteria import ACHIEVED_AT
from leaderboards.core.ranking.rules import Operator, Rules
from leaderboards.errors import BadEntry, BadId, BadPlayer, BadPoints, BadTime, OutOfRange

__all__ = [
    "Entry",
    "points_number",
    "points_text",
    "quote_untrusted",
    "read_entry",
    "read_json",
    "read_player",
    "read_points",
    "read_time",
    "read_value",
]

MAX_PLAYER_LENGTH, MAX_ID_LENGTH = 64, 128
FIELDS = ("board", "competition", "player", "points", "fields", "at", "id", "operator", "metadata")
_FIELDS = frozenset(FIELDS)
_OPERATORS = frozenset(Operator)

_UNPRINTED = frozenset({"Cc", "Cs", "Zl", "Zp"})  # control, lone surrogate, line and paragraph separator
# Bidirectional controls change the direction of the text around them: one name could look like another.
_BIDI_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt](?:[01][0-9]|2[0-3]):[0-9]{2}:([0-9]{2})(?:\.[0-9]+)?"
    r"(?:[Zz]|[+-][0-9]{2}:[0-9]{2})"
)


class Entry(NamedTuple):
    """A well-formed entry. Absent parts are None; ``metadata`` is JSON as text.

    ``received_at`` is set if the entry is decided in a request that began after it was received.
    """

    position: int
    board: int | None
    competition: int | None
    player: str
    points: Decimal | int | None
    fields: tuple[tuple[str, int], ...] | None
    at: datetime | None
    external_id: str | None
    received_at: datetime | None = None
    operator: Operator | None = None
    metadata: str | None = None


def read_entry(raw: object, position: int) -> Entry:
    """Parse an entry. Raises ``BadEntry``, ``BadPlayer``, ``BadPoints``, ``OutOfRange``, ``BadTime`` or ``BadId``."""
    if not isinstance(raw, dict):
        raise BadEntry(
            Message("An entry is an object with `board` or `competition`, `player`, and `points` or `fields`.")
        )
    if isinstance(raw, DuplicateKeys):
        raise BadEntry(Message("A name stands twice in the entry: send each field once."))
    if not raw.keys() <= _FIELDS:
        unknown = next(key for key in raw if key not in _FIELDS)
        raise BadEntry(
            Message(
                "An entry has no field %(field)s; it may have %(fields)s.",
                field=quote_untrusted(unknown),
                fields=", ".join(FIELDS),
            )
        )
    target = _one_of(raw, "board", "competition")
    kind = _one_of(raw, "points", "fields")
    if "player" not in raw:
        raise BadEntry(Message("`player` is missing: the game's own id of the player."))
    number = _read_number(raw[target], target)
    return Entry(
        position=position,
        board=number if target == "board" else None,
        competition=number if target == "competition" else None,
        player=read_player(raw["player"]),
        points=read_points(raw["points"]) if kind == "points" else None,
        fields=_read_fields(raw["fields"]) if kind == "fields" else None,
        at=read_time(raw["at"]) if "at" in raw else None,
        external_id=_read_id(raw["id"]) if "id" in raw else None,
        operator=_read_operator(raw["operator"]) if "operator" in raw else None,
        metadata=read_metadata(raw["metadata"]) if "metadata" in raw else None,
    )


def read_player(raw: object) -> str:
    """Check a player's id and return it unchanged. Raises ``BadPlayer``."""
    if not isinstance(raw, str):
        raise BadPlayer(Message("`player` must be a text."))
    if not 1 <= len(raw) <= MAX_PLAYER_LENGTH:
        raise BadPlayer(
            Message(
                "`player` has %(number)s characters; 1 to %(most)s are allowed.",
                number=len(raw),
                most=MAX_PLAYER_LENGTH,
            )
        )
    if not raw.isprintable() and any(
        unicodedata.category(each) in _UNPRINTED or each in _BIDI_CONTROLS for each in raw
    ):
        raise BadPlayer(
            Message("`player` contains a control character, a line break or a mark that turns the writing round.")
        )
    if raw != raw.strip():
        raise BadPlayer(Message("`player` begins or ends with a blank."))
    if "/" in raw or "," in raw:
        raise BadPlayer(Message("`player` contains `/` or `,`, which have a meaning in addresses."))
    if raw in {".", ".."}:
        raise BadPlayer(Message("`player` may not be `.` or `..`, which have a meaning in addresses."))
    if not unicodedata.is_normalized("NFC", raw):
        raise BadPlayer(Message("`player` is not in Unicode's composed form (NFC): normalise it before sending."))
    return raw


def read_time(raw: object) -> datetime:
    """Parse an RFC 3339 time with an offset; returns it in UTC. Raises ``BadTime``."""
    match = _TIME.fullmatch(raw) if isinstance(raw, str) else None
    if match is None or not isinstance(raw, str):
        raise BadTime(Message("`at` must be an RFC 3339 time with an offset, such as 2026-11-20T08:59:58Z."))
    if match[1] == "60":
        raise BadTime(Message("`at` names a leap second, which no clock here has: send second 59."))
    try:
        at = datetime.fromisoformat(raw.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadTime(Message("`at` %(time)s is no time that the calendar has.", time=repr(raw[:40]))) from None
    if at < EPOCH:
        raise BadTime(Message("`at` lies before 1970."))
    return at


def read_value(rules: Rules, entry: Entry) -> tuple[int, ...]:
    """Return the entry's value by the board's rules; that of a decrement is negative.

    Raises ``BadEntry``, ``BadPoints`` or ``OutOfRange``.
    """
    if entry.operator is not None:
        _refuse_operator(rules, entry.operator)
    if rules.of_points:
        if entry.points is None:
            raise BadEntry(Message("This board ranks `points`: send `points` instead of `fields`."))
        points = scaled(entry.points, rules.decimals)
        return (-_within_decrement(rules, points) if entry.operator is Operator.DECREMENT else _within(rules, points),)
    names = ", ".join(field.name for field in rules.fields)
    if entry.fields is None:
        raise BadEntry(
            Message("This board ranks by criteria: send `fields` with %(names)s instead of `points`.", names=names)
        )
    if entry.operator is not None and entry.operator.adds:
        added = _read_added(rules, dict(entry.fields), names)
        return tuple(-each for each in added) if entry.operator is Operator.DECREMENT else added
    return _read_criteria(rules, dict(entry.fields), names)


def quote_untrusted(text: object) -> str:
    """Quote an untrusted text for an error message: at most 40 characters, with escapes."""
    return repr(str(text)[:40])


def _one_of(raw: Mapping[object, object], one: str, other: str) -> str:
    if one in raw and other in raw:
        raise BadEntry(Message("An entry has `%(one)s` or `%(other)s`, not both.", one=one, other=other))
    if one not in raw and other not in raw:
        raise BadEntry(
            Message("`%(one)s` or `%(other)s` is missing: an entry has exactly one of them.", one=one, other=other)
        )
    return one if one in raw else other


def _read_number(raw: object, name: str) -> int:
    if type(raw) is not int or not 1 <= raw < 2**63:
        raise BadEntry(
            Message("`%(name)s` must be the %(name)s's number: a whole number from 1, not a text.", name=name)
        )
    return raw


def _read_id(raw: object) -> str:
    if not isinstance(raw, str) or not 1 <= len(raw) <= MAX_ID_LENGTH:
        raise BadId(Message("`id` must be a text of 1 to %(most)s characters.", most=MAX_ID_LENGTH))
    if not raw.isprintable() and any(unicodedata.category(each) in {"Cc", "Cs"} for each in raw):
        raise BadId(Message("`id` contains a control character."))
    return raw


def _read_operator(raw: object) -> Operator:
    if isinstance(raw, str) and raw in _OPERATORS:
        return Operator(raw)
    known = ", ".join(Operator)
    raise BadEntry(Message("`operator` is one of: %(known)s. Leave it out for the board's own policy.", known=known))


def _refuse_operator(rules: Rules, operator: Operator) -> None:
    if operator not in rules.operators:
        allowed = ", ".join(rules.operators) or Message("none")
        raise BadEntry(
            Message(
                "This board does not take the operator `%(operator)s`, it takes %(allowed)s: leave `operator` out, or "
                "allow it in the board's setting `operators`.",
                operator=operator,
                allowed=allowed,
            )
        )


def _read_fields(raw: object) -> tuple[tuple[str, int], ...]:
    if not isinstance(raw, dict):
        raise BadPoints(Message('`fields` must be an object of whole numbers, such as {"stage": 12, "members": 3}.'))
    if isinstance(raw, DuplicateKeys):
        raise BadEntry(Message("A name stands twice in `fields`: send each once."))
    return tuple((name, _read_field(name, number)) for name, number in raw.items())


def _read_field(name: str, raw: object) -> int:
    if isinstance(raw, bool) or not isinstance(raw, int | Decimal) or isinstance(raw, float):
        raise BadPoints(Message("The field %(name)s must be a whole number.", name=quote_untrusted(name)))
    try:
        return scaled(Decimal(raw), 0)
    except BadPoints:
        raise BadPoints(Message("The field %(name)s must be a whole number.", name=quote_untrusted(name))) from None
    except OutOfRange:
        raise OutOfRange(
            Message("The field %(field)s is far outside what any board allows.", field=quote_untrusted(name))
        ) from None


def _within(rules: Rules, points: int) -> int:
    if rules.minimum <= points <= rules.maximum:
        return points
    raise OutOfRange(
        Message(
            "`points` must be %(least)s to %(most)s on this board.",
            least=rules.text(rules.minimum),
            most=rules.text(rules.maximum),
        )
    )


def _within_decrement(rules: Rules, points: int) -> int:
    if 0 <= points <= rules.maximum:
        return points
    raise OutOfRange(
        Message("`points` of a decrement must be 0 to %(most)s on this board.", most=rules.text(rules.maximum))
    )


def _read_added(rules: Rules, sent: dict[str, int], names: str) -> tuple[int, ...]:
    """What is added to each field, or taken off: 0 of those that were not sent."""
    if not sent:
        raise BadEntry(Message("`fields` is empty: name at least one of %(names)s.", names=names))
    return _read_criteria(rules, {field.name: 0 for field in rules.fields} | sent, names)


def _read_criteria(rules: Rules, sent: dict[str, int], names: str) -> tuple[int, ...]:
    if ACHIEVED_AT in sent:
        raise BadEntry(Message("`%(name)s` is not sent in `fields`: it is the entry's `at`.", name=ACHIEVED_AT))
    expected = {field.name for field in rules.fields}
    missing, unknown = [*expected - sent.keys()], [*sent.keys() - expected]
    if missing:
        raise BadEntry(
            Message(
                "`fields` lacks %(field)s: this board needs %(names)s.",
                field=quote_untrusted(min(missing)),
                names=names,
            )
        )
    if unknown:
        raise BadEntry(
            Message(
                "`fields` has %(field)s, which this board does not know: it needs %(names)s.",
                field=quote_untrusted(min(unknown)),
                names=names,
            )
        )
    for field in rules.fields:
        if not 0 <= sent[field.name] <= field.maximum:
            raise OutOfRange(
                Message(
                    "The field `%(name)s` must be 0 to %(most)s on this board.", name=field.name, most=field.maximum
                )
            )
    return tuple(sent[field.name] for field in rules.fields)
