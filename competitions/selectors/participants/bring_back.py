"""What somebody who has gone gets back when they are brought back: the scores that went with them, and their team."""

from competitions.models import Change, ChangeKind, Competition, Participant, Team
from leaderboards.models import Period, Submission

TEAM_NUMBER = "team_number"  # in the record of who gave up a team: names may be given anew


def scores_gone_with(participant: Participant, period: Period) -> list[int]:
    """The numbers of their submissions that went with them: what is void since they joined and was not judged,
    whatever clock said when."""
    own = Submission.objects.filter(period=period, player=participant.player_id, voided_at__gt=participant.joined_at)
    return list(own.exclude(pk__in=_judged(participant)).values_list("pk", flat=True))


def team_before(competition: Competition, participant: Participant) -> Team | None:
    """The team that their row remembers or, for who was removed before the start, the record of that; None where there
    is none any more."""
    if participant.team is not None or participant.left_at is None:
        return participant.team
    removals = Change.objects.filter(competition=competition, kind=ChangeKind.REMOVED, at=participant.left_at)
    removal = removals.filter(details__player=participant.player.external_id).order_by("-pk").first()
    number = None if removal is None else removal.details.get(TEAM_NUMBER)
    return None if number is None else competition.teams.filter(pk=number).first()


def _judged(participant: Participant) -> list[int]:
    """The scores of theirs that the jury has voided, and not restored since: those stay void."""
    kinds = (ChangeKind.VOIDED, ChangeKind.RESTORED)
    acts = Change.objects.filter(competition=participant.competition_id, kind__in=kinds)
    of_player = acts.filter(details__player=participant.player.external_id).order_by("pk")
    last = dict(of_player.values_list("details__submission", "kind"))
    return [number for number, kind in last.items() if kind == ChangeKind.VOIDED]
