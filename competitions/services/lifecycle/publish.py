"""Publish a draft after checking its settings. Its period keeps the board's rules of that moment."""

from datetime import datetime, timedelta

from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import ValidationError
from django.db import transaction

from competitions.core.windows import longest_window
from competitions.errors import BadCompetition, CompetitionOver
from competitions.models import ChangeKind, Competition, Joining
from competitions.services.change_log import record_change
from competitions.services.locks import get_or_open_period, lock_competition
from competitions.services.participants.team_settings import check_teams
from foundation.messages import Message
from leaderboards.core.packing.layout import choose_layout
from leaderboards.core.periods import FIRST_YEAR, LAST_YEAR, Calendar, PeriodKind, Window
from leaderboards.core.ranking.rules import Rules
from leaderboards.errors import BadBoard
from leaderboards.models import Storage

DAY_SECONDS = 86_400


def publish(competition: Competition, at: datetime, by: AbstractBaseUser | None) -> Competition:
    """Publish a draft. Idempotent. Raises ``BadCompetition`` or ``CompetitionOver``."""
    with transaction.atomic():
        locked = lock_competition(competition)
        if locked.cancelled_at is not None:
            raise CompetitionOver(Message("The competition was cancelled."))
        if locked.published_at is None:
            check(locked, at)
            locked.published_at = at
            locked.save(update_fields=["published_at"])
            record_change(locked, ChangeKind.PUBLISHED, at, by)
    get_or_open_period(locked)
    return locked


def check(competition: Competition, at: datetime) -> None:
    """Raise ``BadCompetition``, with the invalid field, if the settings cannot work."""
    check_times(competition, at)
    check_freeze(competition)
    _check_board(competition)
    check_joining(competition, at)
    check_teams(competition)
    try:
        Calendar(PeriodKind.EVENT, competition.timezone)
        competition.full_clean(exclude=["picture"])
    except BadBoard as error:
        raise BadCompetition(error.detail, error.field) from error
    except ValidationError as error:
        field, messages = next(iter(error.message_dict.items()))
        raise BadCompetition(messages[0], field) from error


def check_window(rules: Rules, window: Window) -> None:
    """Raise ``BadCompetition`` if scores of these rules cannot be packed for the window."""
    try:
        choose_layout(rules, window)
    except BadBoard as error:
        longest = longest_window(rules, window)
        if longest is None:
            raise BadCompetition(error.detail, "board") from error
        days = int(longest.total_seconds() * 10 / DAY_SECONDS) / 10
        raise BadCompetition(
            Message(
                "On this board a competition lasts at most %(days)s days, so that the time left fits its "
                "scores. %(why)s",
                days=days,
                why=error.detail,
            ),
            "ends_at",
        ) from error


def check_year(moment: datetime, field: str) -> None:
    """Raise ``BadCompetition`` for years outside the range of boards, which some time zones cannot show."""
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise BadCompetition(
            Message("Competitions lie in the years %(first)s to %(last)s.", first=FIRST_YEAR, last=LAST_YEAR), field
        )


def check_times(competition: Competition, at: datetime) -> None:
    """Raise ``BadCompetition`` if it ends before it starts, has ended, or is outside the years of boards."""
    check_year(competition.starts_at, "starts_at")
    check_year(competition.ends_at, "ends_at")
    if competition.ends_at <= competition.starts_at:
        raise BadCompetition(Message("A competition must end after it starts: move its end."), "ends_at")
    if competition.ends_at <= at:
        raise BadCompetition(Message("The end lies in the past: move it."), "ends_at")


def check_freeze(competition: Competition) -> None:
    """Raise ``BadCompetition`` if the freeze is longer than the competition.

    A freeze of the whole length, rounded up to minutes, hides the standings from the start until the reveal.
    """
    minutes, length = competition.freeze_minutes, competition.ends_at - competition.starts_at
    whole_minutes = -(-length // timedelta(minutes=1))
    if minutes is not None and minutes > whole_minutes:
        raise BadCompetition(
            Message(
                "The freeze is longer than the competition, which lasts %(whole)s minutes: take that many to "
                "hide its standings from the start, or fewer.",
                whole=whole_minutes,
            ),
            "freeze_minutes",
        )


def _check_board(competition: Competition) -> None:
    board = competition.board
    if not board.is_event:
        raise BadCompetition(
            Message("A competition needs a board of period `event`; this one has its own calendar."), "board"
        )
    if board.retired_at is not None:
        raise BadCompetition(Message("The board is retired: take another."), "board")
    if competition.attempts is not None and board.storage == Storage.REDIS:
        raise BadCompetition(
            Message(
                "Redis, which decides for this board, cannot count attempts: leave them open, or take another board."
            ),
            "attempts",
        )
    check_window(board.rules, competition.window)


def check_joining(competition: Competition, at: datetime) -> None:
    """Raise ``BadCompetition`` if nobody could join with these settings."""
    if competition.joining == Joining.CODE and not competition.join_code.strip():
        raise BadCompetition(Message("Joining by code needs a code."), "join_code")
    until = competition.join_until
    if until is not None and not at < until <= competition.ends_at:
        raise BadCompetition(Message("Joining must be possible for a while, and only until the end."), "join_until")
