"""The lag of likes for ``/metrics``: counting, the mirror, and kinds that Redis lacks."""

from collections.abc import Iterator

from django.db.models import Count, Min

from foundation import clock
from foundation.monitoring.own_readings import overdue
from foundation.monitoring.readings import Reading
from likes import registry
from likes.core.kinds import Storage
from likes.models import LikeChange, LikeKind
from likes.selectors.lag import mirror_age


def lag_readings() -> Iterator[Reading]:
    """The numbers behind the sentences of /readyz."""
    at = clock.now()
    uncounted = LikeChange.objects.aggregate(count=Count("pk"), first=Min("at"))
    yield Reading("sunwi_likes_uncounted", "Likes that no count has yet.", uncounted["count"])
    description = "Since when the first of them waits."
    yield Reading("sunwi_likes_uncounted_seconds", description, overdue(uncounted["first"], at))
    if any(each.storage is Storage.REDIS for each in registry.all_kinds()):
        age = mirror_age()
        description = "Since when SQL may lack likes of kinds on redis; -1 where nothing was ever copied."
        yield Reading("sunwi_likes_mirror_lag_seconds", description, -1 if age is None else age.total_seconds())
    stale = LikeKind.objects.filter(stale_since__isnull=False).aggregate(count=Count("pk"), first=Min("stale_since"))
    yield Reading("sunwi_stale", "Parts that Redis lacks something of.", stale["count"], ("part", "likes"))
    description = "Since when the part that has been stale longest is."
    yield Reading("sunwi_stale_seconds", description, overdue(stale["first"], at), ("part", "likes"))
