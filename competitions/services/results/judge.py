"""What a jury does to scores: voiding and restoring one, while the competition runs and after its closing, and
accepting a late one.

Each act leaves a row of the record with its reason, in the transaction that changes standings; on a final result it
makes the next revision. The trap: an act that the public may not see yet must not precede the copy of the freeze.
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
from leaderboards.core.input.entries import Entry, read_value
from leaderboards.errors import PeriodClosed, SubmissionsDropped, UnknownCompetition
from leaderboards.models import Period, Player, PurgedSubmission, Submission
from leaderboards.services.moderation.correct_closed import LateEntry, add_to_closed, unvoid_in_closed, void_in_closed
from leaderboards.services.moderation.unvoid import unvoid_submission
from leaderboards.services.moderation.void import void_submission
from leaderboards.services.submit.resolve import JOINED_TOLERANCE
from leaderboards.stores.sql.writes import state_of

JURY = "jury"  # the service by which a late score is kept


@dataclass(frozen=True, slots=True)
class LateScore:
    """A score that came too late: ``points``, or ``fields`` on a board of criteria, and when it happened.

    ``token`` is of one sending, up to 64 characters: the same score that is sent again with it counts once. Empty is
    none, and then each call counts.
    """

    player: Player
    happened_at: datetime
    points: Decimal | int | None = None
    fields: Mapping[str, int] | None = None
    token: str = ""


def void(
    competition: Competition, submission: Submission, reason: str, at: datetime, by: AbstractBaseUser | None
) -> Change | None:
    """Let a submission not count; None if the jury voided it before, which changes nothing.

    One that is void because its player has gone is void for good by this: it does not come back with them.

    Raises ``BadCompetition`` (the reason), ``UnknownCompetition``, ``UnknownPlayer`` (erased meanwhile),
    ``CompetitionOver``, ``NotClosed`` while it is being closed, ``SubmissionsDropped``,
    or ``Unavailable`` where the copy of a freeze cannot be made now.
    """
    reason = clean_reason(reason)
    _refuse_another(competition, submission)
    freeze_if_due(competition, at)
    with transaction.atomic():
        locked = lock_competition(competition)
        _refuse_cancelled(locked)
        if _is_judged(locked, submission):
            return None
        lock_participant(locked, submission.player)  # the record must not name who is erased meanwhile
        change = record_change(
            locked, ChangeKind.VOIDED, at, by, reason, **_about(submission), submission=submission.pk
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


def unvoid(  # noqa: PLR0913 (one part of the act each, the purge by name)
    competition: Competition,
    submission: Submission,
    reason: str,
    at: datetime,
    by: AbstractBaseUser | None,
    *,
    purge: int | None = None,
) -> Change | None:
    """Let a voided submission count again, as if it had never been voided; None if it was restored before, which
    changes nothing. With a ``purge`` (its number) None too where that has it void no more: it was judged anew since.

    Raises what ``void`` does, ``NotVoided`` for what never was, ``NotAParticipant`` where the player has left, or
    ``BadCompetition`` for what they scored before they joined again.
    """
    reason = clean_reason(reason)
    _refuse_another(competition, submission)
    freeze_if_due(competition, at)
    with transaction.atomic():
        locked = lock_competition(competition)
        _refuse_cancelled(locked)
        if purge is not None and not PurgedSubmission.objects.filter(purge=purge, submission=submission.pk).exists():
            return None  # asked behind the lock: who judges by hand holds it too
        found = Submission.objects.select_related("period", "player").filter(pk=submission.pk).first()
        if found is None:
            raise SubmissionsDropped("The submission was not kept: it can not be restored any more.")
        if found.voided_at is None:
            _refuse_never_voided(locked, found)
            return None
        _refuse_gone(locked, submission)
        change = record_change(locked, ChangeKind.RESTORED, at, by, reason, **_about(found), submission=found.pk)
        if locked.closed_at is None:
            with refuse_while_closing():
                unvoid_submission(found, at)
        else:
            unvoid_in_closed(found.period_id, found.player_id, [found.pk], at)
            revise_if_final(locked, at, change)
        notify_player(change, found.player)
        failpoint("judge.before_commit")
    return change


def accept_late(
    competition: Competition, late: LateScore, reason: str, at: datetime, by: AbstractBaseUser | None
) -> Change:
    """Take a score after the closing, as if it had come in time; attempts are not counted, the jury's word is enough.
    Sent again with its token it changes nothing, and the first change is the answer.

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
            raise NotClosed("It is not closed yet: a late score can be accepted once it is.")
        participant = lock_participant(locked, late.player)
        period = get_or_open_period(locked)
        value = read_value(period.rules, _entry(locked, late))
        _refuse_impossible(locked, period, late, participant, at)
        about = _about_late(period, late, value)
        if (before := _sent_before(locked, late.token, about)) is not None:
            return before
        add_to_closed(period, LateEntry(late.player.external_id, value, late.happened_at), JURY, at)
        sent = {"token": late.token} if late.token else {}
        change = record_change(locked, ChangeKind.ACCEPTED, at, by, reason, **about, **sent)
        revise_if_final(locked, at, change)
        notify_player(change, late.player)
        failpoint("judge.before_commit")
    return change


def check_late_score(competition: Competition, late: LateScore, at: datetime) -> None:
    """Look, before somebody says yes, whether a late score can be accepted: nothing is held, and nothing is written.

    Raises ``NotAParticipant``, ``Disqualified`` or ``BadCompetition`` (the time), as ``accept_late`` does.
    """
    found = Participant.objects.filter(competition=competition, player=late.player).select_related("player").first()
    _refuse_impossible(competition, get_or_open_period(competition), late, found, at)


def was_accepted(competition: Competition, period: Period, late: LateScore, value: tuple[int, ...]) -> bool:
    """Whether a late score of this player, value and moment was accepted before. ``value`` is as the rules scale it."""
    return _accepted(competition, _about_late(period, late, value)).exists()


def was_sent(competition: Competition, token: str) -> bool:
    """Whether a late score was accepted by this sending before."""
    return token != "" and _accepted(competition, {"token": token}).exists()


def score_text(period: Period, value: tuple[int, ...]) -> str:
    """A value as people write it: 12.50, or kills 3, deaths 1."""
    points, fields = period.rules.shown(value)
    return str(points) if fields is None else ", ".join(f"{name} {number}" for name, number in fields.items())


@contextmanager
def refuse_while_closing() -> Iterator[None]:
    """What is done to the open period of a competition in the block; ``NotClosed`` while that is being closed."""
    try:
        yield
    except PeriodClosed as error:
        raise NotClosed("It is being closed: try again in a moment.") from error


def _refuse_another(competition: Competition, submission: Submission) -> None:
    if submission.competition != competition.pk:
        raise UnknownCompetition(f"The score is not one of competition {competition.pk}.")


def _is_judged(competition: Competition, submission: Submission) -> bool:
    """Whether it is void by the jury's word, not only because its player has gone."""
    if not Submission.objects.filter(pk=submission.pk, voided_at__isnull=False).exists():
        return False
    acts = Change.objects.filter(competition=competition, kind__in=(ChangeKind.VOIDED, ChangeKind.RESTORED))
    kinds = acts.filter(details__submission=submission.pk).order_by("-pk").values_list("kind", flat=True)
    return kinds.first() == ChangeKind.VOIDED


def _refuse_never_voided(competition: Competition, submission: Submission) -> None:
    restored = Change.objects.filter(competition=competition, kind=ChangeKind.RESTORED)
    if not restored.filter(details__submission=submission.pk).exists():
        raise NotVoided("This score is not void: it counts as it is.")


def _refuse_gone(competition: Competition, submission: Submission) -> None:
    """Who left took their scores along; who joined again begins anew. The participant's row is held from here on."""
    name = submission.player.external_id
    participant = lock_participant(competition, submission.player)
    if participant is None or participant.left_at is not None:
        raise NotAParticipant(f"{name} does not take part any more: bring them back first.")
    _refuse_before_joining(competition, participant, submission.sent_at or submission.created_at)


def _about(submission: Submission) -> dict[str, str]:
    value = state_of(submission.points, submission.fields, submission.at).value
    return {"player": submission.player.external_id, "score": score_text(submission.period, value)}


def _refuse_cancelled(competition: Competition) -> None:
    if competition.cancelled_at is not None:
        raise CompetitionOver("The competition was cancelled; its record stays.")


def _about_late(period: Period, late: LateScore, value: tuple[int, ...]) -> dict[str, str]:
    happened = late.happened_at.astimezone(UTC).isoformat()
    return {"player": late.player.external_id, "score": score_text(period, value), "happened_at": happened}


def _accepted(competition: Competition, details: Mapping[str, str]) -> QuerySet[Change]:
    wanted = {f"details__{name}": text for name, text in details.items()}
    return Change.objects.filter(competition=competition, kind=ChangeKind.ACCEPTED, **wanted)


def _sent_before(competition: Competition, token: str, about: Mapping[str, str]) -> Change | None:
    """What this sending did before. The competition's row is held, so that two at once are one after the other."""
    before = _accepted(competition, {"token": token}).first() if token else None
    if before is not None and any(before.details.get(name) != text for name, text in about.items()):
        raise BadCompetition("This form has been used for another score: open it anew.")
    return before


def _refuse_impossible(
    competition: Competition, period: Period, late: LateScore, participant: Participant | None, at: datetime
) -> None:
    """Who does not take part, and what did not happen while they did."""
    name = late.player.external_id
    if participant is None or participant.left_at is not None:
        raise NotAParticipant(f"{name} does not take part in this competition.")
    if participant.disqualified_at is not None:
        raise Disqualified(f"{name} is disqualified: reinstate them first.")
    _refuse_outside(competition, period, late.happened_at, at)
    _refuse_before_joining(competition, participant, late.happened_at)


def _refuse_before_joining(competition: Competition, participant: Participant, happened_at: datetime) -> None:
    """The same rule as for scores in time."""
    since = participant.joined_at
    if happened_at < since - JOINED_TOLERANCE:
        player, moment = participant.player.external_id, _clock(since, competition)
        raise BadCompetition(
            f"{player} takes part since {moment} ({competition.timezone}): what happened before does not count.",
            "happened_at",
        )


def _refuse_outside(competition: Competition, period: Period, happened_at: datetime, at: datetime) -> None:
    """The period may end later than its competition, where an end was moved forward; both must hold the time."""
    if happened_at > at or not all(each.contains(happened_at) for each in (competition.window, period.window)):
        start, end = (_clock(each, competition) for each in (competition.starts_at, competition.ends_at))
        raise BadCompetition(
            f"The score must have happened in the competition: from {start} to before {end} ({competition.timezone}).",
            "happened_at",
        )


def _clock(at: datetime, competition: Competition) -> str:
    """What the competition's clock showed."""
    return f"{at.astimezone(ZoneInfo(competition.timezone)):%Y-%m-%d %H:%M:%S}"


def _entry(competition: Competition, late: LateScore) -> Entry:
    fields = None if late.fields is None else tuple(late.fields.items())
    name = late.player.external_id
    return Entry(0, None, competition.pk, name, late.points, fields, late.happened_at, None)
