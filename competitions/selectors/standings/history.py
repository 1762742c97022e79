"""A player's rank over time, from the snapshots, with the final rank at the end."""

from datetime import datetime

from django.db.models import QuerySet

from competitions.models import Competition, SnapshotRow
from competitions.selectors.participants.participants import is_excluded
from competitions.selectors.standings.standings import player_row
from leaderboards.errors import NotRanked
from leaderboards.selectors import RankAtTime
from leaderboards.selectors.catalog.periods import period_by_label


def history(competition: Competition, player: str, at: datetime, full: bool = False) -> list[RankAtTime]:
    """Return their places, earliest first; during a freeze only those before it. Empty for excluded players."""
    period = period_by_label(competition.board, competition.label)
    if period is None or (not full and is_excluded(competition, player)):
        return []
    rows = _snapshot_rows(competition, player, at, full).order_by("snapshot__taken_at")
    values = rows.values_list("snapshot__taken_at", "rank", "points", "fields")
    return [
        RankAtTime(taken_at, rank, *period.rules.shown(tuple(fields) if fields is not None else (points or 0,)))
        for taken_at, rank, points, fields in values
    ] + _final_rank(competition, player, at, full)


def _snapshot_rows(competition: Competition, player: str, at: datetime, full: bool) -> QuerySet[SnapshotRow]:
    rows = SnapshotRow.objects.filter(snapshot__competition=competition, player__external_id=player)
    rows = rows.filter(snapshot__due_at__lt=competition.ends_at)  # the final rank replaces a snapshot at the end
    if full or not competition.is_hidden(at):
        return rows
    return rows.filter(snapshot__taken_at__lt=competition.timeline.frozen_since)


def _final_rank(competition: Competition, player: str, at: datetime, full: bool) -> list[RankAtTime]:
    if competition.final_at is None or (competition.is_hidden(at) and not full):
        return []
    try:
        row = player_row(competition, player, at, full).row
    except NotRanked:
        return []
    return [RankAtTime(competition.ends_at, row.rank or 0, row.points, row.fields)]
