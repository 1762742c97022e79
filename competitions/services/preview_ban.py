"""What a ban or a restriction, or the end of one, comes to in competitions, before it is done; nothing is written.

The rewards of final results are computed as they will follow the revision that the schedule makes of it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable

from django.db.models import CharField, Exists, OuterRef, QuerySet, Value
from django.db.models.functions import Cast, Concat

from competitions.models import Competition, Participant, Revision, RewardRun
from competitions.selectors.results.revisions import latest_revision
from competitions.selectors.rewards.earners import result_of
from competitions.selectors.rewards.grant_changes import GrantChanges, grant_changes_for, passed_over_in
from leaderboards.models import FinalStanding
from leaderboards.services.events import BanPreview


def if_banned(players: Collection[int], *, banned: bool, board: int | None = None) -> BanPreview:
    """How many competitions hide these players (by internal number), or show them again; which results change. Of one
    board, by its number, or of all.

    Rewards that were never granted, as of results that are hidden or provisional, are not counted: nobody loses them.
    """
    here = Competition.objects.all() if board is None else Competition.objects.filter(board=board)
    lives = here.filter(published_at__isnull=False, cancelled_at=None)
    taking_part = Participant.objects.filter(Participant.TAKING_PART, player__in=players)
    live = lives.filter(final_at=None, pk__in=taking_part.values("competition"))
    changed = [after for after in _revisions(here, players, banned=banned) if after is not None]
    own, others = 0, set[int]()
    for after in changed:
        follows = _rewards(after)
        own += sum(grant.player_id in players for grant in (follows.lost if banned else follows.new))
        others |= {grant.player_id for grant in (*follows.lost, *follows.new)} - set(players)
    return BanPreview(live.count(), len(changed), own, len(others))


def _revisions(here: QuerySet[Competition], players: Collection[int], *, banned: bool) -> Iterable[Revision | None]:
    """The next revision of each final result that changes, as far as rewards ask for it; None where none does."""
    standing = FinalStanding.objects.filter(
        period__board=OuterRef("competition__board"),
        period__label=Concat(Value("c"), Cast(OuterRef("competition"), CharField())),
        player=OuterRef("player"),
    )
    rows = Participant.objects.filter(Exists(standing), player__in=players, disqualified_at=None)
    rows = rows.filter(competition__final_at__isnull=False, competition__cancelled_at=None).order_by()
    who: dict[int, set[int]] = defaultdict(set)
    for number, player in rows.values_list("competition_id", "player_id"):
        who[number].add(player)
    for competition in here.filter(pk__in=who).defer("picture").order_by("pk"):
        last = latest_revision(competition)
        yield None if last is None else _after(last, who[competition.pk], banned=banned)


def _after(last: Revision, players: set[int], *, banned: bool) -> Revision | None:
    before = set(last.excluded_players)
    excluded_players = before | players if banned else before - players
    if excluded_players == before:
        return None
    total = last.total + len(before) - len(excluded_players)
    return Revision(
        competition=last.competition, number=last.number + 1, excluded_players=sorted(excluded_players), total=total
    )


def _rewards(after: Revision) -> GrantChanges:
    """Which rewards are revoked and which are granted once they follow the revision."""
    run = RewardRun.objects.select_related("period__board").filter(competition=after.competition).first()
    if run is None:
        return GrantChanges()
    return grant_changes_for(result_of(run.period, after), run, passed_over_in(run).keys())
