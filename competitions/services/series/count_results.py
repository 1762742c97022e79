"""Count a series: each place in its competitions earns points, and the totals are written to its board.

Both steps are started by the schedule and are safe to repeat or run concurrently. A competition is counted in one
transaction, which also stores the number of the counted revision. It must be final and public, and is counted again
when its result is revised or the series changes. Counting marks totals as due; ``services/series/totals.py`` writes
them. The trap: the competition's row is never locked here, because the jury would have to wait. Instead, the number of
the latest revision is read before and after the ranking; if it changed, the count is dropped and the next run repeats
it.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import partial

from django.db import transaction
from django.db.models import F, OuterRef, Subquery
from django.db.models.functions import Coalesce

from competitions.models import Competition, Revision, Series, SeriesEvent, SeriesResult, SeriesTotal
from competitions.selectors.series.series import is_countable, published_places
from competitions.services.series.totals import write_due_totals
from foundation import clock
from foundation.chunks import in_chunks
from foundation.db.resilience import allow_idle_in_transaction
from foundation.failpoints import failpoint
from foundation.worker.each import for_each, run_each
from leaderboards.selectors.visibility.hidden import clear_hidden_cache

BUDGET_SECONDS = 6.0
CHUNK = 1000
RESTS_SECONDS = 30  # the longest time between two statements: comparing 100 000 results


def count_due_series(at: datetime) -> int:
    """Count due competitions, then write due totals to the boards, for some seconds; returns how many were written."""
    until = clock.monotonic() + BUDGET_SECONDS
    _counted, written = run_each(partial(_count_due, at, until), partial(write_due_totals, at, until))
    return written


def count(event: SeriesEvent, at: datetime) -> bool:
    """Count one competition of a series; False if it cannot be counted, or was counted or revised meanwhile."""
    competition = Competition.objects.select_related("board").defer("picture").get(pk=event.competition_id)
    number = latest_revision_number(competition)
    if not is_countable(competition, at):
        return False
    clear_hidden_cache()  # the cache may be older than the revision
    places = dict(published_places(competition))
    failpoint("series.after_reading")
    return _write_if_current(event, competition, number, places)


def _write_if_current(event: SeriesEvent, competition: Competition, number: int, places: Mapping[int, int]) -> bool:
    """Write the places of revision ``number``, unless there is a later revision or it was counted meanwhile."""
    with transaction.atomic():
        allow_idle_in_transaction(RESTS_SECONDS)
        series = lock_series(event.series_id)
        present = SeriesEvent.objects.filter(pk=event.pk, series=series, competition=competition).first()
        is_counted = present is not None and present.revision_counted == number
        if present is None or is_counted or latest_revision_number(competition) != number:
            return False
        _write_results(series, competition, number, places)
        failpoint("series.after_results")
        present.revision_counted = number
        present.save(update_fields=["revision_counted"])
        failpoint("series.before_commit")
        return True


def lock_series(series: int) -> Series:
    """Lock and return a series, so that counting and changes of settings come one after another."""
    return Series.objects.select_for_update(of=("self",), no_key=True).select_related("board").get(pk=series)


def latest_revision_number(competition: Competition) -> int:
    """Return the number of its latest revision; 0 if its result has no revision."""
    numbers = competition.revisions.order_by("-number").values_list("number", flat=True)
    return numbers.first() or 0


def mark_totals_due(series: Series, players: Iterable[int]) -> None:
    """Mark the totals of these players (internal numbers) as due; rows that are missing are created."""
    for chunk in in_chunks(sorted(players), CHUNK):
        existing = SeriesTotal.objects.filter(series=series, player__in=chunk)
        known = set(existing.values_list("player", flat=True))
        existing.filter(due=False).update(due=True)
        SeriesTotal.objects.bulk_create(
            SeriesTotal(series_id=series.pk, player_id=player) for player in chunk if player not in known
        )


def _count_due(at: datetime, until: float) -> int:
    return sum(for_each(_due(at), lambda event: clock.monotonic() < until and count(event, at)))


def _due(at: datetime) -> list[SeriesEvent]:
    """Return the competitions whose latest published result is not counted, oldest result first."""
    numbers = Revision.objects.filter(competition=OuterRef("competition")).order_by("-number").values("number")
    events = SeriesEvent.objects.filter(competition__final_at__isnull=False, competition__cancelled_at=None)
    events = events.filter(series__board__retired_at=None).annotate(latest=Coalesce(Subquery(numbers[:1]), 0))
    waiting = events.exclude(revision_counted=F("latest")).select_related("competition")
    oldest_first = waiting.defer("competition__picture").order_by("competition__final_at", "pk")
    return [event for event in oldest_first if is_countable(event.competition, at)]


def _write_results(series: Series, competition: Competition, number: int, places: Mapping[int, int]) -> None:
    """Write the results of a competition by the place of each player, and mark the totals that change as due."""
    scoring, keys = series.scoring, {"series_id": series.pk, "competition_id": competition.pk}
    results = SeriesResult.objects.filter(**keys)
    before = {
        player: {"place": place, "points": points}
        for player, place, points in results.values_list("player", "place", "points")
    }
    after = {player: {"place": place, "points": scoring.points_of(place)} for player, place in places.items()}
    changed = [player for player, result in after.items() if before.get(player) != result]
    removed = before.keys() - after.keys()
    for chunk in in_chunks(changed, CHUNK):
        SeriesResult.objects.bulk_create(
            [SeriesResult(**keys, player_id=each, revision=number, **after[each]) for each in chunk],
            update_conflicts=True,
            unique_fields=["series", "player", "competition"],
            update_fields=["place", "points", "revision"],
        )
    for chunk in in_chunks(removed, CHUNK):
        results.filter(player__in=chunk).delete()
    results.exclude(revision=number).update(revision=number)
    mark_totals_due(series, {*changed, *removed})
