"""Final results whose published revision is missing, or leaves out others than it should: a few statements, however
many competitions there are.
"""

from collections import defaultdict
from datetime import datetime, timedelta

from django.db.models import CharField, Exists, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Cast, Concat

from competitions.models import Competition, Participant, Revision
from leaderboards.models import FinalStanding, Player
from leaderboards.selectors.visibility.restrictions import active_restrictions

# Erasing a player begins with a ban and ends with lifting it, within moments: no result changes for that.
BANS_COUNT_AFTER = timedelta(seconds=10)
MOST = 1000


def finals_without_revision() -> list[int]:
    """The numbers of final competitions that have no revision, those final for longest; up to ``MOST``."""
    final = Competition.objects.filter(final_at__isnull=False)
    without = final.filter(~Exists(Revision.objects.filter(competition=OuterRef("pk")).order_by()))
    return list(without.order_by("final_at", "pk").values_list("pk", flat=True)[:MOST])


def finals_with_changed_exclusions(banned_before: datetime) -> list[int]:
    """The numbers of final competitions where others are left out now than in their latest revision.

    Bans and restrictions count that were there ``banned_before``.
    """
    known = dict(_latest().exclude(excluded_players=[]).values_list("competition_id", "excluded_players"))
    present: dict[int, set[int]] = defaultdict(set)
    for number, player in _left_out(banned_before).values_list("competition_id", "player_id"):
        present[number].add(player)
    return [number for number in {*known, *present} if set(known.get(number, ())) != present.get(number, set())]


def _latest() -> QuerySet[Revision]:
    later = Revision.objects.filter(competition=OuterRef("competition"), number__gt=OuterRef("number")).order_by()
    return Revision.objects.filter(~Exists(later)).order_by()


def _left_out(banned_before: datetime) -> QuerySet[Participant]:
    """Those of final competitions who have a final standing and are not shown."""
    standing = FinalStanding.objects.filter(
        period__board=OuterRef("competition__board"),
        period__label=Concat(Value("c"), Cast(OuterRef("competition"), CharField())),
        player=OuterRef("player"),
    )
    banned = Player.objects.filter(banned_at__lte=banned_before).values("pk")
    on_board = Q(board=None) | Q(board=OuterRef("competition__board"))
    restricted = Exists(active_restrictions().filter(on_board, player=OuterRef("player"), since__lte=banned_before))
    out = Participant.objects.filter(Q(disqualified_at__isnull=False) | Q(player__in=banned) | restricted)
    published = Exists(Revision.objects.filter(competition=OuterRef("competition")).order_by())
    return out.filter(published, Exists(standing), competition__final_at__isnull=False).order_by()
