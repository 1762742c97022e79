"""The errors of boards; ``code`` is part of the API's contract."""

from datetime import datetime

from foundation.errors import Conflict, Forbidden, Invalid, InvalidField, NotFound, Unavailable
from foundation.messages import Message


class BadBoard(InvalidField):
    """Settings of a board that cannot work; ``field`` is the setting to change."""

    code = "bad_board"


class BadEntry(Invalid):
    """A field of an entry is unknown, missing, of the wrong type or contradicts another."""

    code = "bad_entry"


class BadPoints(Invalid):
    """Points or fields that are no exact number in the board's precision."""

    code = "bad_points"


class BadPlayer(Invalid):
    """A player's id that is not well-formed."""

    code = "bad_player"


class BadTime(Invalid):
    """A time that is not RFC 3339 with an offset, or lies before 1970."""

    code = "bad_time"


class BadId(Invalid):
    """An entry's own id that is not a text of 1 to 128 characters."""

    code = "bad_id"


class BadCursor(Invalid):
    """A cursor that names no place of the list."""

    code = "bad_cursor"


class BadLabel(NotFound):
    """A label of no window of the board."""

    code = "unknown_period"


class OutOfRange(Invalid):
    """A value, or the resulting total, outside the board's limits."""

    code = "out_of_range"


class UnknownBoard(NotFound):
    """No board has this number."""

    code = "unknown_board"


class UnknownCompetition(NotFound):
    """No competition has this number."""

    code = "unknown_competition"


class UnknownPlayer(NotFound):
    """No player has this id."""

    code = "unknown_player"


class UnknownPeriod(NotFound):
    """The board has no such period, or it has not begun."""

    code = "unknown_period"


class OwnPlayer(Invalid):
    """A user cannot follow their own player."""

    code = "own_player"


class TooManyFollowed(Conflict):
    """A user follows as many players as one may."""

    code = "too_many_followed"


class NotRanked(NotFound):
    """The player has no standing in this period."""

    code = "not_ranked"


class PeriodClosed(Conflict):
    """The entry's period takes no more submissions."""

    code = "period_closed"


class NotHideable(Conflict):
    """The standing belongs to a competition, where participants are disqualified instead of hidden."""

    code = "not_hideable"


class PeriodOpen(Conflict):
    """The action is only for closed periods, and this one is open."""

    code = "period_open"


class SubmissionsDropped(Conflict):
    """The period's submissions are, or may be, deleted by retention."""

    code = "submissions_dropped"


class NotOpen(Conflict):
    """No window of the board's schedule was open at the entry's time; ``opens_at`` is when the next one starts."""

    code = "not_open"

    def __init__(self, detail: str, opens_at: datetime | None = None) -> None:
        super().__init__(detail)
        self.opens_at = opens_at


class NotStarted(Conflict):
    """The entry happened before its competition started."""

    code = "not_started"


class NotJoined(Forbidden):
    """The player does not take part in the competition."""

    code = "not_joined"


class TooManyAttempts(Conflict):
    """The player has used all attempts of the competition."""

    code = "too_many_attempts"


class StandingChanged(Conflict):
    """The standing is no longer what the caller saw."""

    code = "standing_moved"


class TimeInFuture(Invalid):
    """The entry's time is later than now."""

    code = "in_the_future"


class Banned(Forbidden):
    """The player may not score."""

    code = "banned"


class BadPurge(InvalidField):
    """A range of submissions that cannot be purged; ``field`` is the part to change."""

    code = "bad_purge"


class NotEditable(Conflict):
    """What is to be edited has no single value that could be changed."""

    code = "not_editable"


class NewerEditExists(Conflict):
    """The edit to undo is followed by a later one."""

    code = "edited_since"


class StillRanked(Conflict):
    """The player to anonymise has scores in periods that are not final."""

    code = "still_ranked"


class IdReused(Conflict):
    """The entry's id was used before with other content."""

    code = "id_reused"


class BoardForbidden(Forbidden):
    """The key may not write to this board."""

    code = "forbidden"


class BoardReserved(Forbidden):
    """The board's standings are computed by an app, which alone writes to it."""

    code = "board_reserved"


class StorageUnavailable(Unavailable):
    """The storage that decides for this board is unavailable."""

    code = "unavailable"


class RulesChanged(StorageUnavailable):
    """The period, which had not begun, got other rules after the entry was read."""

    def __init__(self) -> None:
        super().__init__(Message("The rules of this period were changed a moment ago; try again."))


class RequestExpired(StorageUnavailable):
    """The process was delayed for so long that others may take the request for ended."""


class OutcomeUnknown(Unavailable):
    """The store did not answer in time. An entry with an ``id`` can be repeated safely."""

    code = "outcome_unknown"


class ExportsBusy(Unavailable):
    """Too many exports run at once."""

    code = "exports_busy"
    retry_after = 5


class PicturesBusy(Unavailable):
    """Too many pictures are drawn at once."""

    code = "pictures_busy"
    retry_after = 5


class BadLinkCode(Invalid):
    """A link code that is unknown, used or expired."""

    code = "bad_link_code"


class AlreadyLinked(Conflict):
    """The user has another player, or the player another user."""

    code = "already_linked"


class Implausible(Conflict):
    """The entry broke the plausibility limit ``rule``: it is not ranked until staff accepts it."""

    code = "implausible"

    def __init__(self, rule: str, detail: str) -> None:
        super().__init__(detail)
        self.rule = rule


class QuarantineDecided(Conflict):
    """The quarantined entry has been decided, or is being decided."""

    code = "quarantine_decided"


class QuarantineOutcomeUnknown(Conflict):
    """It cannot be found out any more whether a quarantined entry was applied before."""

    code = "quarantine_unsure"


class QuarantineRefused(Conflict):
    """A quarantined entry is refused like any entry; ``detail`` says why."""

    code = "quarantine_refused"


class UnknownEntry(NotFound):
    """The quarantined entry does not exist any more."""

    code = "unknown_entry"
