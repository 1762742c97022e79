"""The jury's actions on scores: void and restore one, during the competition and after its closing, and accept a late
one.

Each action records a change with its reason, in the transaction that changes standings; on a final result it makes the
next revision. The trap: if a freeze is due, its copy must be made first, or the public would see the action.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import QuerySet

from competitions.errors import BadCompetition, CompetitionOver, Disqualified, NotAParticipant, NotClosed, NotVoided
from competitions.models import Change, ChangeKind, Competition, Participant
from competitions.services.change_log import clean_reason, record_change
from competitions.services.lifecycle.confirm import revise_if_final
from competitions.services.lifecycle.freeze import freeze_if_due
from competitions.services.locks import get_or_open_period, lock_competition, lock_participant
from competitions.services.notices.notices import notify_player
from foundation.failpoints import failpoint
from foundation.messages import Message
from leaderboards.core.input.entries import Entry, read_value
from leaderboards.core.ranking.rules import Operator
from leaderboards.errors import PeriodClosed, SubmissionsDropped, UnknownCompetition
from leaderboards.models import Period, Player, PurgedSubmission, Submission
from leaderboards.services.moderation.correct_closed import LateEntry, add_to_closed, unvoid_in_closed, void_in_closed
from leaderboards.services.moderation.unvoid import unvoid_submission
from leaderboards.services.moderation.void import void_submission
from leaderboards.services.submit.resolve import JOINED_TOLERANCE
from leaderboards.stores.sql.writes import state_of

JURY = "jury"  # the service name of late scores


@dataclass(frozen=True, slots=True)
class LateScore:
    """A score that came too late: ``points``, or ``fields`` on a board of criteria, and when it happened.

    ``token`` is an idempotency key of up to 64 characters: a score that is sent twice with it counts once. Without a
    token (empty), each call counts. ``operator`` and ``metadata`` (JSON as text) are those of an entry.
    """

    player: Player
    happened_at: datetime
    points: Decimal | int | None = None
    fields: Mapping[str, int] | None = None
    token: str = ""
    operator: Operator | None = None
    metadata: str | None = None


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
    freeze_if_due(competition, at)
    with transaction.atomic():
        locked = lock_competition(competition)
        _refuse_cancelled(locked)
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
    freeze_if_due(competition, at)
    with transaction.atomic():
        locked = lock_competition(competition)
        _refuse_cancelled(locked)
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


def accept_late(
    competition: Competition, late: LateScore, reason: str, at: datetime, by: AbstractBaseUser | None
) -> Change:
    """Accept a score after the closing, as if it had come in time; the limit of attempts does not apply.

    If it is sent again with the same token, nothing changes and the first change is returned.

    Raises ``BadCompetition`` (the reason, the time, a token that another score had), ``CompetitionOver``,
    ``NotClosed``, ``NotAParticipant``, ``UnknownPlayer``, ``Disqualified``, ``Banned``, ``BadEntry``, ``BadPoints``,
    ``OutOfRange``, or ``Unavailable`` as ``void`` does.
    """
    reason = clean_reason(reason)
    freeze_if_due(competition, at)
    with transaction.atomic():
        locked = lock_competition(competition)
        _refuse_cancelled(locked)
        if locked.closed_at is None:
            raise NotClosed(Message("It is not closed yet: a late score can be accepted once it is."))
        participant = lock_participant(locked, late.player)
        period = get_or_open_period(locked)
        value = read_value(period.rules, _entry(locked, late))
        _refuse_impossible(locked, period, late, participant, at)
        details = _late_details(period, late, value)
        if (earlier := _change_by_token(locked, late.token, details)) is not None:
            return earlier
        entry = LateEntry(late.player.external_id, value, late.happened_at, late.operator, late.metadata)
        add_to_closed(period, entry, JURY, at)
        token = {"token": late.token} if late.token else {}
        change = record_change(locked, ChangeKind.ACCEPTED, at, by, reason, **details, **token)
        revise_if_final(locked, at, change)
        notify_player(change, late.player)
        failpoint("judge.before_commit")
    return change


def check_late_score(competition: Competition, late: LateScore, at: datetime) -> None:
    """Check, for a preview, whether a late score can be accepted. Nothing is locked or written.

    Raises ``NotAParticipant``, ``Disqualified`` or ``BadCompetition`` (the time), as ``accept_late`` does.
    """
    rows = Participant.objects.filter(competition=competition, player=late.player).select_related("player")
    _refuse_impossible(competition, get_or_open_period(competition), late, rows.first(), at)


def was_accepted(competition: Competition, period: Period, late: LateScore, value: tuple[int, ...]) -> bool:
    """Whether a late score of this player, value and time was accepted before. ``value`` is scaled by the rules."""
    return _accepted(competition, _late_details(period, late, value)).exists()


def was_sent(competition: Competition, token: str) -> bool:
    """Whether a late score was accepted with this token before."""
    return token != "" and _accepted(competition, {"token": token}).exists()


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
    _refuse_before_joining(competition, participant, submission.sent_at or submission.created_at)


def _score_details(submission: Submission) -> dict[str, str]:
    value = state_of(submission.points, submission.fields, submission.at).value
    return {"player": submission.player.external_id, "score": score_text(submission.period, value)}


def _refuse_cancelled(competition: Competition) -> None:
    if competition.cancelled_at is not None:
        raise CompetitionOver(Message("The competition was cancelled; its record stays."))


def _late_details(period: Period, late: LateScore, value: tuple[int, ...]) -> dict[str, str]:
    happened = late.happened_at.astimezone(UTC).isoformat()
    return {"player": late.player.external_id, "score": score_text(period, value), "happened_at": happened}


def _accepted(competition: Competition, details: Mapping[str, str]) -> QuerySet[Change]:
    conditions = {f"details__{name}": text for name, text in details.items()}
    return Change.objects.filter(competition=competition, kind=ChangeKind.ACCEPTED, **conditions)


def _change_by_token(competition: Competition, token: str, details: Mapping[str, str]) -> Change | None:
    """Return the change that was made with this token. The locked competition serializes concurrent requests."""
    change = _accepted(competition, {"token": token}).first() if token else None
    if change is not None and any(change.details.get(name) != text for name, text in details.items()):
        raise BadCompetition(Message("This form has been used for another score: open it anew."))
    return change


def _refuse_impossible(
    competition: Competition, period: Period, late: LateScore, participant: Participant | None, at: datetime
) -> None:
    """Refuse a player who does not take part, and a time at which they did not."""
    name = late.player.external_id
    if participant is None or participant.left_at is not None:
        raise NotAParticipant(Message("%(player)s does not take part in this competition.", player=name))
    if participant.disqualified_at is not None:
        raise Disqualified(Message("%(player)s is disqualified: reinstate them first.", player=name))
    _refuse_outside(competition, period, late.happened_at, at)
    _refuse_before_joining(competition, participant, late.happened_at)


def _refuse_before_joining(competition: Competition, participant: Participant, happened_at: datetime) -> None:
    """Refuse a score from before the player joined, as for scores in time."""
    since = participant.joined_at
    if happened_at < since - JOINED_TOLERANCE:
        player, moment = participant.player.external_id, _clock(since, competition)
        raise BadCompetition(
            Message(
                "%(player)s takes part since %(since)s (%(zone)s): what happened before does not count.",
                player=player,
                since=moment,
                zone=competition.timezone,
            ),
            "happened_at",
        )


def _refuse_outside(competition: Competition, period: Period, happened_at: datetime, at: datetime) -> None:
    """Refuse a time outside the competition or its period, which may end later than the competition."""
    if happened_at > at or not all(each.contains(happened_at) for each in (competition.window, period.window)):
        start, end = (_clock(each, competition) for each in (competition.starts_at, competition.ends_at))
        raise BadCompetition(
            Message(
                "The score must have happened in the competition: from %(start)s to before %(end)s (%(zone)s).",
                start=start,
                end=end,
                zone=competition.timezone,
            ),
            "happened_at",
        )


def _clock(at: datetime, competition: Competition) -> str:
    """Format a time in the competition's time zone."""
    return f"{at.astimezone(ZoneInfo(competition.timezone)):%Y-%m-%d %H:%M:%S}"


def _entry(competition: Competition, late: LateScore) -> Entry:
    fields = None if late.fields is None else tuple(late.fields.items())
    name = late.player.external_id
    return Entry(0, None, competition.pk, name, late.points, fields, late.happened_at, None, operator=late.operator)
