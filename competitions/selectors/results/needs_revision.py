"""Final results that need a new revision: without one, or with outdated excluded players.

It takes a few statements, however many competitions there are.
"""

from collections import defaultdict
from datetime import datetime, timedelta

from django.db.models import CharField, Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Cast, Concat

from competitions.models import Competition, Participant, Revision
from leaderboards.models import FinalStanding, Player
from leaderboards.selectors.visibility.restrictions import active_restrictions

# Erasing a player bans them for a moment: that must not make a revision.
BANS_COUNT_AFTER = timedelta(seconds=10)
MOST = 1000


def finals_without_revision() -> list[int]:
    """Return up to ``MOST`` numbers of final competitions without a revision, oldest first."""
    final = Competition.objects.filter(final_at__isnull=False)
    without = final.filter(~Exists(Revision.objects.filter(competition=OuterRef("pk")).order_by()))
    return list(without.order_by("final_at", "pk").values_list("pk", flat=True)[:MOST])


def finals_with_changed_exclusions(banned_before: datetime) -> list[int]:
    """Return the numbers of final competitions whose excluded players differ from their latest revision.

    Only bans and restrictions from ``banned_before`` or earlier count.
    """
    revisions = _latest_revisions().exclude(excluded_players=[])
    published = dict(revisions.values_list("competition_id", "excluded_players"))
    present: dict[int, set[int]] = defaultdict(set)
    for number, player in _excluded(banned_before).values_list("competition_id", "player_id"):
        present[number].add(player)
    numbers = {*published, *present}
    return [number for number in numbers if set(published.get(number, ())) != present.get(number, set())]


def _latest_revisions() -> QuerySet[Revision]:
    later = Revision.objects.filter(competition=OuterRef("competition"), number__gt=OuterRef("number")).order_by()
    return Revision.objects.filter(~Exists(later)).order_by()


def _excluded(banned_before: datetime) -> QuerySet[Participant]:
    """Return participants of final competitions who have a final standing but are not shown."""
    standing = FinalStanding.objects.filter(
        period__board=OuterRef("competition__board"),
        period__label=Concat(Value("c"), Cast(OuterRef("competition"), CharField())),
        player=OuterRef("player"),
    )
    banned = Player.objects.filter(banned_at__lte=banned_before).values("pk")
    on_board = Q(board=None) | Q(board=OuterRef("competition__board"))
    restricted = Exists(active_restrictions().filter(on_board, player=OuterRef("player"), since__lte=banned_before))
    excluded = Participant.objects.filter(Q(disqualified_at__isnull=False) | Q(player__in=banned) | restricted)
    published = Exists(Revision.objects.filter(competition=OuterRef("competition")).order_by())
    return excluded.filter(published, Exists(standing), competition__final_at__isnull=False).order_by()
