"""What a board can refuse, one class each; ``code`` is part of the API's contract."""

from foundation.errors import Conflict, Forbidden, Invalid, NotFound, Unavailable


class BadBoard(Invalid):
    """Settings of a board that cannot work; ``field`` names the setting to blame."""

    code = "bad_board"

    def __init__(self, detail: str, field: str = "") -> None:
        super().__init__(detail)
        self.field = field


class BadEntry(Invalid):
    """A field of an entry is unknown, missing, of the wrong type or contradicts another."""

    code = "bad_entry"


class BadPoints(Invalid):
    """Points or fields that are not an exact number of the board's precision."""

    code = "bad_points"


class BadPlayer(Invalid):
    """A player's id that breaks the rules of ids."""

    code = "bad_player"


class BadTime(Invalid):
    """A time that is not RFC 3339 with an offset, or lies before 1970."""

    code = "bad_time"


class BadId(Invalid):
    """An entry's own id that is not a text of 1 to 128 characters."""

    code = "bad_id"


class BadLabel(NotFound):
    """A period label that no window of the board bears."""

    code = "unknown_period"


class OutOfRange(Invalid):
    """A value, or the total it would make, outside what the board allows."""

    code = "out_of_range"


class UnknownBoard(NotFound):
    """No board has this number."""

    code = "unknown_board"


class UnknownCompetition(NotFound):
    """No competition has this number."""

    code = "unknown_competition"


class UnknownPlayer(NotFound):
    """Nobody has this id."""

    code = "unknown_player"


class UnknownPeriod(NotFound):
    """The board has no such period, or it has not begun."""

    code = "unknown_period"


class NotRanked(NotFound):
    """The player has no standing in this period."""

    code = "not_ranked"


class PeriodClosed(Conflict):
    """The period that the entry belongs to takes no more submissions."""

    code = "period_closed"


class NotHideable(Conflict):
    """The standing is one of a competition, where participants are disqualified instead."""

    code = "not_hideable"


class PeriodOpen(Conflict):
    """The period is not closed yet; what is asked for is done to closed ones."""

    code = "period_open"


class SubmissionsDropped(Conflict):
    """The period's submissions were kept long enough and are gone, or may be."""

    code = "submissions_dropped"


class NotStarted(Conflict):
    """The entry happened before its competition started."""

    code = "not_started"


class NotJoined(Forbidden):
    """The player does not take part in the competition."""

    code = "not_joined"


class TooManyAttempts(Conflict):
    """The player has used all attempts that the competition gives."""

    code = "too_many_attempts"


class StandingChanged(Conflict):
    """The standing is no longer what the caller saw."""

    code = "standing_moved"


class TimeInFuture(Invalid):
    """The entry says that it happens later than now."""

    code = "in_the_future"


class Banned(Forbidden):
    """The player may not score."""

    code = "banned"


class BadPurge(Invalid):
    """A range of submissions that cannot be purged; ``field`` names the part of it to blame."""

    code = "bad_purge"

    def __init__(self, detail: str, field: str = "") -> None:
        super().__init__(detail)
        self.field = field


class NotEditable(Conflict):
    """What is to be edited is kept in a way that has no single value to be changed."""

    code = "not_editable"


class NewerEditExists(Conflict):
    """An edit is to be undone, and there is a later one."""

    code = "edited_since"


class StillRanked(Conflict):
    """A player is to be anonymised with all scores, and has some in periods that are not final."""

    code = "still_ranked"


class IdReused(Conflict):
    """The entry's id was used before, for something else."""

    code = "id_reused"


class BoardForbidden(Forbidden):
    """The board lies outside those that the key may write."""

    code = "forbidden"


class BoardReserved(Forbidden):
    """The board's standings are worked out from elsewhere; nobody sends scores to it or takes players out."""

    code = "board_reserved"


class StorageUnavailable(Unavailable):
    """What decides for this board is away; try again."""

    code = "unavailable"


class RulesChanged(StorageUnavailable):
    """The entry was read by rules that a period which had not begun has taken over others for."""

    def __init__(self) -> None:
        super().__init__("The rules of this period were changed a moment ago; try again.")


class RequestExpired(StorageUnavailable):
    """The process that judges the entry was held up for so long that others count on the request being over."""


class OutcomeUnknown(Unavailable):
    """The store did not answer in time; safe to repeat with an ``id``."""

    code = "outcome_unknown"


class ExportsBusy(Unavailable):
    """As many long files are being made as may be at once."""

    code = "exports_busy"
    retry_after = 5


class BadLinkCode(Invalid):
    """A code that links no one: unknown, used or too old."""

    code = "bad_link_code"


class AlreadyLinked(Conflict):
    """The user has another player, or the player another user."""

    code = "already_linked"


class Implausible(Conflict):
    """The entry broke a limit of plausibility, ``rule``: it is not ranked until somebody accepts it."""

    code = "implausible"

    def __init__(self, rule: str, detail: str) -> None:
        super().__init__(detail)
        self.rule = rule


class QuarantineDecided(Conflict):
    """The quarantined entry has been decided already, or somebody is at it."""

    code = "quarantine_decided"


class QuarantineOutcomeUnknown(Conflict):
    """Whether a quarantined entry was applied before cannot be known any more."""

    code = "quarantine_unsure"


class QuarantineRefused(Conflict):
    """A quarantined entry cannot count, for what any entry is refused for; ``detail`` says what."""

    code = "quarantine_refused"


class UnknownEntry(NotFound):
    """There is no such quarantined entry any more."""

    code = "unknown_entry"


class BadTable(Invalid):
    """A file that is no table, or no list of boards, as a whole."""

    code = "bad_table"


class TooManyPendingImports(Conflict):
    """As many files of one account as may wait for a yes do so already."""

    code = "too_many_wait"


class MissingColumn(BadTable):
    """A table without the column that was named for ``part``: ``player``, ``points``, ``at`` or ``id``."""

    def __init__(self, detail: str, part: str) -> None:
        super().__init__(detail)
        self.part = part


class ImportNotReady(Conflict):
    """The import is not at the point at which this can be done, or was changed meanwhile."""

    code = "import_not_ready"


class ImportNotUndoable(Conflict):
    """The import, or a part of it, cannot be undone any more."""

    code = "import_stays"
