"""Scores that came too late: the jury accepts one after the closing, as if it had come in time.

The change with its reason is recorded in the transaction that changes standings; on a final result it makes the next
revision. A score that is sent twice with one token counts once.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet

from competitions.errors import BadCompetition, Disqualified, NotAParticipant, NotClosed
from competitions.models import Change, ChangeKind, Competition, Participant
from competitions.services.change_log import clean_reason, record_change
from competitions.services.lifecycle.confirm import revise_if_final
from competitions.services.locks import get_or_open_period, lock_participant
from competitions.services.notices.notices import notify_player
from competitions.services.results.judge import local_time, locked_to_judge, refuse_before_joining, score_text
from foundation.failpoints import failpoint
from foundation.messages import Message
from leaderboards.core.input.entries import Entry, read_value
from leaderboards.core.ranking.rules import Operator
from leaderboards.models import Period, Player
from leaderboards.services.moderation.correct_closed import LateEntry, add_to_closed

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
    with locked_to_judge(competition, at) as locked:
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
    refuse_before_joining(competition, participant, late.happened_at)


def _refuse_outside(competition: Competition, period: Period, happened_at: datetime, at: datetime) -> None:
    """Refuse a time outside the competition or its period, which may end later than the competition."""
    if happened_at > at or not all(each.contains(happened_at) for each in (competition.window, period.window)):
        start, end = (local_time(each, competition) for each in (competition.starts_at, competition.ends_at))
        raise BadCompetition(
            Message(
                "The score must have happened in the competition: from %(start)s to before %(end)s (%(zone)s).",
                start=start,
                end=end,
                zone=competition.timezone,
            ),
            "happened_at",
        )


def _entry(competition: Competition, late: LateScore) -> Entry:
    fields = None if late.fields is None else tuple(late.fields.items())
    name = late.player.external_id
    return Entry(0, None, competition.pk, name, late.points, fields, late.happened_at, None, operator=late.operator)
