"""The race on a competition's page: the first ten over time, up to now, the freeze or the end."""

from dataclasses import replace
from datetime import datetime

from django.utils.safestring import SafeString, mark_safe

from competitions.core.lifecycle import Phase
from competitions.models import Competition
from competitions.selectors.standings.race import player_histories, race_snapshots
from leaderboards.core.race import LINES
from leaderboards.selectors import BoardPage
from leaderboards.selectors.history.race import NO_HISTORY
from leaderboards.views.components.race import build_race, race_html, viewer_in_race

_WITHOUT = (Phase.DRAFT, Phase.OPEN, Phase.CANCELLED)


def race_of(competition: Competition, page: BoardPage, number: int, at: datetime) -> SafeString:
    """Return the race with the viewer's line, on the first page only; an empty hidden element if there is none."""
    return mark_safe(_race(competition, page, number, at))  # noqa: S308 - ``race_html`` escapes


def no_race() -> SafeString:
    """Return the empty hidden element of a page without a race."""
    return mark_safe(race_html(None))  # noqa: S308 - ``race_html`` escapes


def _race(competition: Competition, page: BoardPage, number: int, at: datetime) -> str:
    phase, shown = competition.phase(at), page.standings
    snapshots = None
    if number == 1 and len(shown.rows) > 1 and phase not in _WITHOUT:
        snapshots = race_snapshots(competition, at, shown.rules.ties)
    me = page.me if page.me is not None and page.me.rank is not None else None
    players = {row.player for row in (*shown.rows[:LINES], *((me,) if me else ()))}
    histories = player_histories(snapshots, players) if snapshots else None
    if snapshots is None or histories is None:
        return race_html(None)
    is_over = phase is Phase.FINAL
    race = build_race(shown, snapshots, histories, is_running=not is_over, zone=competition.timezone)
    if race is None:
        return race_html(None)
    race = replace(race, is_frozen=phase is Phase.FROZEN)
    mine = viewer_in_race(race, snapshots, histories.get(me.player, NO_HISTORY), me) if me else None
    return race_html(race, mine)
