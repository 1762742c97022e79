"""The jury's actions on scores: void and restore one, during the competition and after its closing.

Each action records a change with its reason, in the transaction that changes standings; on a final result it makes the
next revision. The trap: if a freeze is due, its copy must be made first, or the public would see the action.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from zoneinfo import ZoneInfo

from django.contrib.auth.models import AbstractBaseUser

from competitions.errors import BadCompetition, CompetitionOver, NotAParticipant, NotClosed, NotVoided
from competitions.models import Change, ChangeKind, Competition, Participant
from competitions.services.change_log import clean_reason, record_change
from competitions.services.lifecycle.confirm import revise_if_final
from competitions.services.lifecycle.freeze import lock_after_freeze
from competitions.services.locks import lock_participant
from competitions.services.notices.notices import notify_player
from foundation.failpoints import failpoint
from foundation.messages import Message
from leaderboards.errors import PeriodClosed, SubmissionsDropped, UnknownCompetition
from leaderboards.models import Period, PurgedSubmission, Submission
from leaderboards.services.moderation.correct_closed import unvoid_in_closed, void_in_closed
from leaderboards.services.moderation.unvoid import unvoid_submission
from leaderboards.services.moderation.void import void_submission
from leaderboards.services.submit.resolve import JOINED_TOLERANCE
from leaderboards.stores.sql.writes import state_of


def void(
    competition: Competition, submission: Submission, reason: str, at: datetime, by: AbstractBaseUser | None
) -> Change | None:
    """Void a submission, so that it does not count; None if the jury voided it before, which changes nothing.

    A submission that is void because its player left becomes void by the jury: it is not restored if they come back.

    Raises ``BadCompetition`` (the reason), ``UnknownCompetition``, ``UnknownPlayer`` (erased meanwhile),
    ``CompetitionOver``, ``NotClosed`` while it is being closed, ``SubmissionsDropped``, or ``Unavailable`` if the
    frozen copy cannot be made now.
    """
    reason = clean_reason(reason)
    _refuse_other_competition(competition, submission)
    with locked_to_judge(competition, at) as locked:
        if _is_judged(locked, submission):
            return None
        lock_participant(locked, submission.player)  # the change must not name a player who is erased meanwhile
        change = record_change(
            locked, ChangeKind.VOIDED, at, by, reason, **_score_details(submission), submission=submission.pk
        )
        if locked.closed_at is None:
            with refuse_while_closing():
                void_submission(submission, at)
        else:
            void_in_closed(submission, at)
            revise_if_final(locked, at, change)
        notify_player(change, submission.player)
        failpoint("judge.before_commit")
    return change


def unvoid(  # noqa: PLR0913 - the parts of the action, each passed by name
    competition: Competition,
    submission: Submission,
    reason: str,
    at: datetime,
    by: AbstractBaseUser | None,
    *,
    purge: int | None = None,
) -> Change | None:
    """Restore a voided submission, as if it had never been voided; None if it was restored before.

    With the number of a ``purge``, also None if that purge is not what voids it any more. Raises what ``void`` does,
    ``NotVoided`` if it never was void, ``NotAParticipant`` if the player has left, or ``BadCompetition`` if it was
    scored before the player joined again.
    """
    reason = clean_reason(reason)
    _refuse_other_competition(competition, submission)
    with locked_to_judge(competition, at) as locked:
        if purge is not None and not PurgedSubmission.objects.filter(purge=purge, submission=submission.pk).exists():
            return None  # checked under the lock, which actions by hand take too
        present = Submission.objects.select_related("period", "player").filter(pk=submission.pk).first()
        if present is None:
            raise SubmissionsDropped(Message("The submission was not kept: it can not be restored any more."))
        if present.voided_at is None:
            _refuse_never_voided(locked, present)
            return None
        _refuse_withdrawn(locked, submission)
        details = _score_details(present)
        change = record_change(locked, ChangeKind.RESTORED, at, by, reason, **details, submission=present.pk)
        if locked.closed_at is None:
            with refuse_while_closing():
                unvoid_submission(present, at)
        else:
            unvoid_in_closed(present.period_id, present.player_id, [present.pk], at)
            revise_if_final(locked, at, change)
        notify_player(change, present.player)
        failpoint("judge.before_commit")
    return change


@contextmanager
def locked_to_judge(competition: Competition, at: datetime) -> Iterator[Competition]:
    """Lock a competition after its freeze. Raises ``CompetitionOver`` if it was cancelled, or ``Unavailable``."""
    with lock_after_freeze(competition, at) as locked:
        if locked.cancelled_at is not None:
            raise CompetitionOver(Message("The competition was cancelled; its record stays."))
        yield locked


def score_text(period: Period, value: tuple[int, ...]) -> str:
    """Format a value for people: 12.50, or kills 3, deaths 1."""
    points, fields = period.rules.shown(value)
    return str(points) if fields is None else ", ".join(f"{name} {number}" for name, number in fields.items())


@contextmanager
def refuse_while_closing() -> Iterator[None]:
    """Turn ``PeriodClosed`` in the block, which changes an open period, into ``NotClosed``: it is being closed."""
    try:
        yield
    except PeriodClosed as error:
        raise NotClosed(Message("It is being closed: try again in a moment.")) from error


def _refuse_other_competition(competition: Competition, submission: Submission) -> None:
    if submission.competition != competition.pk:
        raise UnknownCompetition(Message("The score is not one of competition %(number)s.", number=competition.pk))


def _is_judged(competition: Competition, submission: Submission) -> bool:
    """Whether it is void by the jury's decision, not only because its player left."""
    if not Submission.objects.filter(pk=submission.pk, voided_at__isnull=False).exists():
        return False
    changes = Change.objects.filter(competition=competition, kind__in=(ChangeKind.VOIDED, ChangeKind.RESTORED))
    kinds = changes.filter(details__submission=submission.pk).order_by("-pk").values_list("kind", flat=True)
    return kinds.first() == ChangeKind.VOIDED


def _refuse_never_voided(competition: Competition, submission: Submission) -> None:
    restored = Change.objects.filter(competition=competition, kind=ChangeKind.RESTORED)
    if not restored.filter(details__submission=submission.pk).exists():
        raise NotVoided(Message("This score is not void: it counts as it is."))


def _refuse_withdrawn(competition: Competition, submission: Submission) -> None:
    """Refuse a score whose player has left, or that is older than their last joining. Locks the participant."""
    name = submission.player.external_id
    participant = lock_participant(competition, submission.player)
    if participant is None or participant.left_at is not None:
        raise NotAParticipant(Message("%(player)s does not take part any more: bring them back first.", player=name))
    refuse_before_joining(competition, participant, submission.sent_at or submission.created_at)


def _score_details(submission: Submission) -> dict[str, str]:
    value = state_of(submission.points, submission.fields, submission.at).value
    return {"player": submission.player.external_id, "score": score_text(submission.period, value)}


def refuse_before_joining(competition: Competition, participant: Participant, happened_at: datetime) -> None:
    """Raise ``BadCompetition`` if the score is from before the player joined, as for scores in time."""
    since = participant.joined_at
    if happened_at < since - JOINED_TOLERANCE:
        player, moment = participant.player.external_id, local_time(since, competition)
        raise BadCompetition(
            Message(
                "%(player)s takes part since %(since)s (%(zone)s): what happened before does not count.",
                player=player,
                since=moment,
                zone=competition.timezone,
            ),
            "happened_at",
        )


def local_time(at: datetime, competition: Competition) -> str:
    """Format a time in the competition's time zone."""
    return f"{at.astimezone(ZoneInfo(competition.timezone)):%Y-%m-%d %H:%M:%S}"
