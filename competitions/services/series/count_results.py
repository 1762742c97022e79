"""Counting a series: what each of its competitions came to earns points by place, and the totals stand on its board.

Two steps, each found by the schedule and each safe to run twice or at once. A competition is counted whole, in one
transaction with the number of the revision that was counted: it must be final and shown, and is counted again when
its result is revised or the series is changed. That marks totals as due; ``services/series/totals.py`` writes them.
The trap: the competition's row is never held here, since the jury would wait for it. The ranking is read between two
looks at the number of the latest revision, and dropped if that moved; a later revision is counted by the next run.
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
RESTS_SECONDS = 30  # comparing a hundred thousand results, between two statements


def count_due_series(at: datetime) -> int:
    """Count what is due, then write totals to the boards, for some seconds; returns how many totals were written."""
    until = clock.monotonic() + BUDGET_SECONDS
    counted_and_put = run_each(partial(_count_due, at, until), partial(write_due_totals, at, until))
    return counted_and_put[-1]


def count(event: SeriesEvent, at: datetime) -> bool:
    """Count one competition of a series as it is now; False if it cannot be counted, or was counted or revised
    meanwhile."""
    competition = Competition.objects.select_related("board").defer("picture").get(pk=event.competition_id)
    number = latest_revision_number(competition)
    if not is_countable(competition, at):
        return False
    clear_hidden_cache()  # what this process remembers may be older than the revision
    placed = dict(published_places(competition))
    failpoint("series.after_reading")
    return _keep(event, competition, number, placed)


def _keep(event: SeriesEvent, competition: Competition, number: int, placed: Mapping[int, int]) -> bool:
    """Write what was read at revision ``number``, unless that is not the latest any more, or somebody was here."""
    with transaction.atomic():
        allow_idle_in_transaction(RESTS_SECONDS)
        series = lock_series(event.series_id)
        present = SeriesEvent.objects.filter(pk=event.pk, series=series, competition=competition).first()
        is_counted = present is not None and present.revision_counted == number
        if present is None or is_counted or latest_revision_number(competition) != number:
            return False
        _write_results(series, competition, number, placed)
        failpoint("series.after_results")
        present.revision_counted = number
        present.save(update_fields=["revision_counted"])
        failpoint("series.before_commit")
        return True


def lock_series(series: int) -> Series:
    """The row of a series, held until this transaction ends: who counts or changes it comes one after another."""
    return Series.objects.select_for_update(of=("self",), no_key=True).select_related("board").get(pk=series)


def latest_revision_number(competition: Competition) -> int:
    """The number of its latest revision; 0 where its result was never published as one."""
    numbers = competition.revisions.order_by("-number").values_list("number", flat=True)
    return numbers.first() or 0


def mark_totals_due(series: Series, players: Iterable[int]) -> None:
    """Have the totals of these players (by internal number) worked out anew."""
    for several in in_chunks(sorted(players), CHUNK):
        there = SeriesTotal.objects.filter(series=series, player__in=several)
        known = set(there.values_list("player", flat=True))
        there.filter(due=False).update(due=True)
        SeriesTotal.objects.bulk_create(
            SeriesTotal(series_id=series.pk, player_id=player) for player in several if player not in known
        )


def _count_due(at: datetime, until: float) -> int:
    return sum(for_each(_due(at), lambda event: clock.monotonic() < until and count(event, at)))


def _due(at: datetime) -> list[SeriesEvent]:
    """The competitions whose published result is not the one that was counted, the oldest result first."""
    numbers = Revision.objects.filter(competition=OuterRef("competition")).order_by("-number").values("number")
    events = SeriesEvent.objects.filter(competition__final_at__isnull=False, competition__cancelled_at=None)
    events = events.filter(series__board__retired_at=None).annotate(latest=Coalesce(Subquery(numbers[:1]), 0))
    waiting = events.exclude(revision_counted=F("latest")).select_related("competition")
    oldest_first = waiting.defer("competition__picture").order_by("competition__final_at", "pk")
    return [event for event in oldest_first if is_countable(event.competition, at)]


def _write_results(series: Series, competition: Competition, number: int, placed: Mapping[int, int]) -> None:
    """The results of a competition by the place of each player, and the totals that they touch marked."""
    scoring, of = series.scoring, {"series_id": series.pk, "competition_id": competition.pk}
    results = SeriesResult.objects.filter(**of)
    before = {
        player: {"place": place, "points": points}
        for player, place, points in results.values_list("player", "place", "points")
    }
    now = {player: {"place": place, "points": scoring.points_of(place)} for player, place in placed.items()}
    changed = [player for player, result in now.items() if before.get(player) != result]
    gone = before.keys() - now.keys()
    for several in in_chunks(changed, CHUNK):
        SeriesResult.objects.bulk_create(
            [SeriesResult(**of, player_id=each, revision=number, **now[each]) for each in several],
            update_conflicts=True,
            unique_fields=["series", "player", "competition"],
            update_fields=["place", "points", "revision"],
        )
    for several in in_chunks(gone, CHUNK):
        results.filter(player__in=several).delete()
    results.exclude(revision=number).update(revision=number)
    mark_totals_due(series, {*changed, *gone})
