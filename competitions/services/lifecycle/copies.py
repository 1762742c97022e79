"""Make drafts from a competition: all its settings, its divisions, teams, list and rewards, and nothing of its results.

All copies are made, or none. The trap: a form may be sent twice, so each copy keeps the form's token in its record.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction

from competitions.core.rhythm import moved
from competitions.errors import BadCompetition
from competitions.models import Change, ChangeKind, Competition, Division, Invitation, RewardTier, Team
from competitions.services.change_log import record_change
from competitions.services.lifecycle.publish import check
from competitions.services.locks import lock_competition
from foundation.messages import Message

COPIED = (
    *("description", "picture", "picture_hash", "board", "timezone", "joining", "join_code", "most_participants"),
    *("attempts", "snapshot_minutes", "alert_hours", "alerts", "review_hours", "vacated_places"),
    *("team_score", "team_counts", "team_size", "team_founding", "team_entry"),
)
_TIMES = ("starts_at", "ends_at", "join_until", "freeze_minutes")  # these move with the start
_MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A copy that somebody wants: its name and start."""

    name: str
    starts_at: datetime


def draft_of(original: Competition, wanted: Wanted) -> Competition:
    """Return an unsaved draft with the settings of ``original``, with all of its times moved to the new start."""
    zone, start = ZoneInfo(original.timezone), wanted.starts_at.astimezone(UTC)
    draft = Competition(name=wanted.name, starts_at=start, **{name: getattr(original, name) for name in COPIED})
    draft.ends_at = moved(original.ends_at, original.starts_at, start, zone)
    if original.join_until is not None:
        until = moved(original.join_until, original.starts_at, start, zone)
        draft.join_until = draft.ends_at if original.join_until == original.ends_at else until
    draft.freeze_minutes = original.freeze_minutes
    if original.timeline.hides_from_the_start and draft.freeze_minutes is not None:
        draft.freeze_minutes = -(-(draft.ends_at - start) // _MINUTE)  # in a week in which the clock changes too
    return draft


def check_drafts(drafts: Sequence[Competition], at: datetime) -> None:
    """Raise ``BadCompetition``, which names the draft, if one of them cannot work."""
    for draft in drafts:
        if draft.starts_at <= at:
            raise BadCompetition(
                Message("“%(name)s” would start in the past: take a later start.", name=draft.name), "starts_at"
            )
        try:
            check(draft, at)
        except BadCompetition as error:
            raise BadCompetition(
                Message("“%(name)s”: %(why)s", name=draft.name, why=error.detail), error.field
            ) from error


@transaction.atomic
def make_copies(  # noqa: PLR0913 - the parts of the action, each passed by name
    original: Competition,
    wanted: Sequence[Wanted],
    token: str,
    at: datetime,
    by: AbstractBaseUser | None,
    *,
    with_rewards: bool = True,
) -> list[Competition]:
    """Make a draft for each of ``wanted``, all or none; if the form with this ``token`` made some, return these.

    Raises ``BadCompetition``, which names the draft that cannot work.
    """
    locked = lock_competition(original)
    made = list(_made_before(locked, token))
    if made:
        return made
    drafts = [draft_of(locked, each) for each in wanted]
    check_drafts(drafts, at)
    for draft in drafts:
        draft.save()
        _copy_rows(locked, draft, with_rewards=with_rewards)
        record_change(draft, ChangeKind.COPIED, at, by, source=locked.pk, token=token)
    return drafts


def _made_before(original: Competition, token: str) -> list[Competition]:
    changes = Change.objects.filter(kind=ChangeKind.COPIED, details__source=original.pk, details__token=token)
    return [each.competition for each in changes.order_by("pk").select_related("competition__board")]


def _copy_rows(original: Competition, draft: Competition, *, with_rewards: bool) -> None:
    """Copy the list, the divisions, the rewards, and the teams that the organizers made, without members."""
    Invitation.objects.bulk_create(
        Invitation(competition=draft, external_id=each)
        for each in original.invitations.order_by("pk").values_list("external_id", flat=True)
    )
    Division.objects.bulk_create(
        Division(competition=draft, name=each.name, key=each.key, position=each.position)
        for each in original.divisions.all()
    )
    if not original.team_founding:
        Team.objects.bulk_create(
            Team(competition=draft, name=each.name, key=each.key) for each in original.teams.filter(founder=None)
        )
    if with_rewards:
        RewardTier.objects.bulk_create(
            RewardTier(
                competition=draft,
                name=each.name,
                code=each.code,
                kind=each.kind,
                from_rank=each.from_rank,
                limit=each.limit,
            )
            for each in original.reward_tiers.all()
        )
