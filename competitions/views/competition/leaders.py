"""Who leads each competition of a list, as the public may know it: nobody is named while a freeze hides the standings.

A leader is read about once a second for all viewers. The trap: who is named depends on the phase, so the phase is part
of the key.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from competitions.core.lifecycle import Phase
from competitions.models import Competition
from competitions.selectors.competitions import CompetitionSummary
from competitions.selectors.standings.standings import standings
from competitions.views.access import as_seen
from foundation.caching.micro_cache import MicroCache
from foundation.errors import Unavailable
from leaderboards.selectors.player_data.names import countries_of
from leaderboards.selectors.visibility.restrictions import current_viewer
from leaderboards.views.components.other_apps import LeadRow
from leaderboards.views.components.table_rows import result
from leaderboards.views.http.viewer import Viewer

MOST_LEADERS = 48  # of a page; a list of running competitions has no pages
BEST = 3
_NAMED = (Phase.RUNNING, Phase.CLOSING, Phase.PROVISIONAL, Phase.FINAL)
_Key = tuple[int, Phase, str | None]


@dataclass(frozen=True, slots=True)
class Leader:
    """The first row; ``others`` share its rank. ``rows`` are the best three."""

    player: str
    name: str
    result: str
    others: int
    rows: Sequence[LeadRow] = ()


_leaders: MicroCache[_Key, Leader | None] = MicroCache(1000)


def leaders_of(summaries: Iterable[CompetitionSummary], viewer: Viewer, at: datetime) -> dict[int, Leader]:
    """Return the leaders by number, for at most ``MOST_LEADERS`` competitions; those without any are left out.

    A shadowed viewer sees themselves, as on each competition's page.
    """
    named = [each for each in summaries if each.phase in _NAMED][:MOST_LEADERS]
    found: dict[int, Leader | None] = {}
    for each in named:
        with as_seen(each.competition, viewer):
            found[each.competition.pk] = _leader(each, at)
    return {number: leader for number, leader in found.items() if leader is not None}


def forget() -> None:
    """Empty the cache."""
    _leaders.forget()


def _leader(summary: CompetitionSummary, at: datetime) -> Leader | None:
    competition = summary.competition
    key = (competition.pk, summary.phase, current_viewer())
    return _leaders.get_or_compute(key, lambda: _read(competition, at))


def _read(competition: Competition, at: datetime) -> Leader | None:
    try:
        rows = standings(competition, at, 0, BEST).rows
    except Unavailable:  # a card without a leader is better than no list
        return None
    if not rows or rows[0].rank != 1 or competition.is_hidden(at):
        return None
    countries = countries_of(row.player for row in rows)
    best = [
        LeadRow(
            row.player,
            row.name,
            row.rank,
            (row.tied or 1) > 1,
            result(competition.board, row),
            countries.get(row.player, ""),
        )
        for row in rows
    ]
    first = rows[0]
    return Leader(first.player, first.name, best[0].result, (first.tied or 1) - 1, best)
