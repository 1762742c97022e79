"""What a participant gets back when they are brought back: the scores that were removed with them, and their team."""

from competitions.models import Change, ChangeKind, Competition, Participant, Team
from leaderboards.models import Period, Submission

TEAM_NUMBER = "team_number"  # in the details of the change: team names may be reused


def scores_gone_with(participant: Participant, period: Period) -> list[int]:
    """Return the numbers of the submissions that were voided because they left: voided since they joined, but not by
    the jury."""
    own = Submission.objects.filter(period=period, player=participant.player_id, voided_at__gt=participant.joined_at)
    return list(own.exclude(pk__in=_voided_by_jury(participant)).values_list("pk", flat=True))


def team_before(competition: Competition, participant: Participant) -> Team | None:
    """Return the team on the participant's row or, if they were removed before the start, in the record of that
    removal; None if the team does not exist any more."""
    if participant.team is not None or participant.left_at is None:
        return participant.team
    removals = Change.objects.filter(competition=competition, kind=ChangeKind.REMOVED, at=participant.left_at)
    removal = removals.filter(details__player=participant.player.external_id).order_by("-pk").first()
    number = None if removal is None else removal.details.get(TEAM_NUMBER)
    return None if number is None else competition.teams.filter(pk=number).first()


def _voided_by_jury(participant: Participant) -> list[int]:
    """Return their submissions that the jury has voided and not restored since: these stay void."""
    kinds = (ChangeKind.VOIDED, ChangeKind.RESTORED)
    changes = Change.objects.filter(competition=participant.competition_id, kind__in=kinds)
    of_player = changes.filter(details__player=participant.player.external_id).order_by("pk")
    last_kinds = dict(of_player.values_list("details__submission", "kind"))
    return [number for number, kind in last_kinds.items() if kind == ChangeKind.VOIDED]
