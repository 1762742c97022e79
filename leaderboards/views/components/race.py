"""The race: the ranks of the first ten rows over time, as lines that end at their rows, and as a table.

It is built from public data; only the viewer's line depends on the viewer. The trap: HTML is built by hand here, so
names must be escaped, as in ``row_html.py``.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from itertools import pairwise

from django.template.loader import render_to_string
from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from leaderboards import formats
from leaderboards.core.race import (
    IN_LANE,
    LANE,
    LINES,
    ROW,
    WIDTH,
    Drawn,
    RanksThen,
    across,
    in_units,
    line,
    own_line,
    places,
)
from leaderboards.selectors import Row, Standings
from leaderboards.selectors.history.race import NO_HISTORY, PlayerHistory, RaceSnapshots, Snapshot
from leaderboards.views.components.race_data import Mine, Race
from leaderboards.views.components.race_ticks import race_ticks

HEAD = 32  # the strip of times above the rows


def build_race(
    standings: Standings,
    snapshots: RaceSnapshots,
    histories: Mapping[str, PlayerHistory],
    *,
    is_running: bool,
    zone: str = "",
) -> Race | None:
    """The race of the first ten rows. None with fewer than two players or without a snapshot.

    Times are in ``zone``, or in the board's zone if it is empty.
    """
    zone = zone or standings.board.timezone
    rows = standings.rows[:LINES]
    if len(rows) < 2 or not snapshots.columns or any(row.rank is None for row in rows):
        return None
    moments = tuple(snapshot.at for snapshot in snapshots.columns)
    return Race(
        zone=zone,
        moments=moments,
        xs=(*(across(at, moments[0], snapshots.end) for at in moments), WIDTH),
        players=tuple(row.player for row in rows),
        names={row.player: row.name for row in rows},
        rows=tuple(_rows_by_column(snapshots, histories, [row.player for row in rows])),
        ranks={row.player: _ranks(snapshots, histories.get(row.player, NO_HISTORY), row) for row in rows},
        ticks=tuple(race_ticks(zone, snapshots, moments[0])),
        is_over=not is_running,
        tied=frozenset(row.player for row in rows if _is_tied(row)),
        at_first=rows[0].tied or 1,
    )


def _is_tied(row: Row) -> bool:
    return (row.tied or 1) > 1


def _ranks(snapshots: RaceSnapshots, history: PlayerHistory, row: Row) -> tuple[int | None, ...]:
    """The ranks of a row in the columns, the present one last."""
    return (*(history.ranks.get(snapshot.pk) for snapshot in snapshots.columns), row.rank)


def _rows_by_column(
    snapshots: RaceSnapshots, histories: Mapping[str, PlayerHistory], players: Sequence[str]
) -> Iterator[tuple[int | None, ...]]:
    """For each player the table row in each column, the present one last."""
    columns = []
    for snapshot in snapshots.columns:
        every = {player: histories.get(player, NO_HISTORY).ranks.get(snapshot.pk) for player in players}
        ranks = {player: rank for player, rank in every.items() if rank is not None}
        columns.append(places(RanksThen(ranks, snapshot.is_whole), players, snapshot.above))
    for nth in range(len(players)):
        yield (*(column[nth] for column in columns), nth + 1)


def viewer_in_race(race: Race, snapshots: RaceSnapshots, history: PlayerHistory, row: Row) -> Mine:
    """The viewer's line in the race."""
    ranks = _ranks(snapshots, history, row)
    if row.player in race.players:
        nth = race.players.index(row.player)
        return Mine(nth, row.name, ranks, own_line(race.xs, race.rows[nth], ranks, race.height), _is_tied(row))
    rows = [_row_below(race, nth, snapshot, (row.player, ranks[nth])) for nth, snapshot in enumerate(snapshots.columns)]
    drawn = own_line(race.xs, [*rows, race.height + 1], ranks, race.height)
    return Mine(None, row.name, ranks, drawn, _is_tied(row))


def _row_below(race: Race, nth: int, snapshot: Snapshot, viewer: tuple[str, int | None]) -> int | None:
    """The table row in a column of a viewer who is below the table now: after all in it who had the same rank."""
    every = {**{player: race.ranks[player][nth] for player in race.players}, viewer[0]: viewer[1]}
    then = {player: rank for player, rank in every.items() if rank is not None}
    return places(RanksThen(then, snapshot.is_whole), [*race.players, viewer[0]], snapshot.above)[-1]


def race_html(race: Race | None, mine: Mine | None = None, table_at: str = "") -> str:
    """Render the race; an empty hidden element if there is none.

    With ``table_at``, an address, its table is there alone, and a link to it stands here.
    """
    if race is None:
        return render_to_string("leaderboards/_race_chart.html", {"race": None})
    shown = {
        "race": race,
        "drawing": mark_safe(_svg(race, mine)),  # noqa: S308 - only numbers and fixed words
        "names": [(_tied_rank(race, player), race.names[player]) for player in race.players],
        "table_at": table_at,
        "level": _("%(number)s players share first place. The race is drawn once they part.")
        % {"number": formats.number(race.at_first)},
        **({} if table_at else _in_words(race, mine)),
    }
    return render_to_string("leaderboards/_race_chart.html", shown)


def race_table_html(race: Race | None, mine: Mine | None = None) -> str:
    """Render the race as sentences and a table; empty if there is none."""
    if race is None:
        return ""
    return render_to_string("leaderboards/_race_table.html", {"race": race, **_in_words(race, mine)})


def _in_words(race: Race, mine: Mine | None) -> dict[str, str]:
    return {"table": mark_safe(_table(race, mine)), "summary": summary(race)}  # noqa: S308 - `_table` escapes names


def summary(race: Race) -> str:
    """Describe the race in one to three sentences."""
    leaders = [_leader(race, nth) for nth in range(len(race.xs))]
    changes = sum(one != other for one, other in pairwise(each for each in leaders if each is not None))
    text = _first_sentence(race)
    if changes:
        times = ngettext("The lead changed %(number)s time.", "The lead changed %(number)s times.", changes)
        text += " " + times % {"number": formats.number(changes)}
    else:
        text += " " + _("The lead never changed.")
    climbs = [(_first_rank(race, player) - (race.ranks[player][-1] or 0), player) for player in race.players]
    most, climber = max(climbs, key=lambda each: each[0])
    if most > 1:
        climbed = {"name": race.names[climber], "first": _first_rank(race, climber), "last": race.ranks[climber][-1]}
        text += " " + _("%(name)s climbed most, from place %(first)s to place %(last)s.") % climbed
    return text


def _first_sentence(race: Race) -> str:
    if race.at_first > 1:
        return str(_("%(number)s players share first place.") % {"number": formats.number(race.at_first)})
    if race.is_frozen:
        text = _("%(name)s led when the standings froze.")
    else:
        text = _("%(name)s won.") if race.is_over else _("%(name)s leads.")
    return str(text % {"name": race.names[race.players[0]]})


def _tied_rank(race: Race, player: str) -> str:
    """The present rank as on pages, =3, for the end of a line; empty if nobody shares it."""
    rank = race.ranks[player][-1]
    return formats.place(rank, tied=True) if player in race.tied and rank is not None else ""


def _leader(race: Race, nth: int) -> str | None:
    return next((player for player in race.players if race.ranks[player][nth] == 1), None)


def _first_rank(race: Race, player: str) -> int:
    return next(rank for rank in race.ranks[player] if rank is not None)


def _svg(race: Race, mine: Mine | None) -> str:
    """Draw the race. The outer SVG has no viewBox, so that text and dots keep their shape at any width."""
    high = race.height * ROW
    full = HEAD + high + (LANE if mine is not None and mine.drawn.has_lane else 0)
    lines = [line(race.xs, rows, race.height) for rows in race.rows]
    others = [nth for nth in range(len(lines)) if mine is None or nth != mine.nth]
    upwards = sorted(others, key=lambda nth: (nth < 3, -nth))
    paths = [_path(lines[nth], _classes(race, nth), has_halo=nth < 3) for nth in upwards]
    dots = [_dot(lines[nth], _classes(race, nth)) for nth in others]
    own = _own_line_svg(mine, high) if mine is not None else ""
    drawn = _times(race) + _box(high, [_grid(race, high), *paths]) + "".join(dots) + own
    return f'<svg class="race-svg" height="{_rem(full)}">{drawn}</svg>'


def _classes(race: Race, nth: int) -> str:
    """The classes of a line: its row, and the metal of its rank where that is not the row's own."""
    rank = race.ranks[race.players[nth]][-1]
    return f"is-{nth + 1}" + (f" as-{rank}" if rank is not None and rank <= 3 and rank != nth + 1 else "")


def _times(race: Race) -> str:
    return "".join(
        f"<text x={_percent(x)} y={_rem(20)}{_iso(at)}>{escape(label)}</text>" for x, label, at in race.ticks
    )


def _iso(at: datetime | None) -> str:
    return f" data-at={at.astimezone(UTC):%FT%RZ}" if at else ""


def _grid(race: Race, high: int) -> str:
    return f'<path class=race-grid d="{"".join(f"M{x} 0v{in_units(high)}" for x, *_ in race.ticks)}"/>'


def _own_line_svg(mine: Mine, high: int) -> str:
    """Draw the viewer's line on top, with its rank at each turn, and at its end if it meets no row."""
    drawn = mine.drawn
    names = "is-me" if mine.nth is None else f"is-{mine.nth + 1} is-me"
    turns = [(turn.x, turn.y, formats.number(turn.rank)) for turn in drawn.turns if turn.rank]
    if mine.nth is None and mine.ranks[-1] is not None and drawn.path.rpartition("h")[2].isdecimal():
        turns.append((WIDTH, high + IN_LANE, formats.place(mine.ranks[-1], tied=mine.is_tied)))
    numbers = (
        f'<text class="race-turn is-me{" is-last" if x == WIDTH else ""}" x={_percent(x)} y={_rem(HEAD + y - 9)}>'
        f"{rank}</text>"
        for x, y, rank in turns
    )
    return _box(high + LANE, [_path(drawn, names, has_halo=True)]) + _dot(drawn, names) + "".join(numbers)


def _box(high: int, paths: Sequence[str]) -> str:
    """Wrap paths in an SVG with its own coordinates, clipped at the edges."""
    view = f'viewBox="0 0 {WIDTH} {in_units(high)}" preserveAspectRatio="none"'
    return f'<svg y="{_rem(HEAD)}" height="{_rem(high)}" {view}>{"".join(paths)}</svg>'


def _path(drawn: Drawn, names: str, *, has_halo: bool) -> str:
    halo = f'<path class=race-halo d="{drawn.path}"/>' if has_halo else ""
    return f'{halo}<path class="race-line {names}" d="{drawn.path}"/>'


def _dot(drawn: Drawn, names: str) -> str:
    if drawn.start is None:
        return ""
    x, y = _percent(drawn.start.x), _rem(HEAD + drawn.start.y)
    return f'<circle class="race-dot {names}" cx={x} cy={y} />'


def _rem(high: float) -> str:
    """Return a height in rem, so that it grows with the reader's font size, as rows do."""
    return f"{high / 16:.2f}".rstrip("0").rstrip(".") + "rem"


def _percent(x: int) -> str:
    return f"{100 * x / WIDTH:.1f}".removesuffix(".0") + "%"


def _table(race: Race, mine: Mine | None) -> str:
    """Render the table of ranks: a row for each player, a column for each time."""
    last = _("End") if race.is_over else pgettext("the present, as the heading of a column", "Now")
    last = _("Freeze") if race.is_frozen else last
    heads = [_("Player"), *(formats.moment(at, race.zone) for at in race.moments), last]
    rows = [
        _row(race.names[each], race.ranks[each], is_mine=mine is not None and mine.nth == nth, tied=each in race.tied)
        for nth, each in enumerate(race.players)
    ]
    if mine is not None and mine.nth is None:
        rows.append(_row(mine.name, mine.ranks, is_mine=True, tied=mine.is_tied))
    head = "".join(f"<th scope=col>{escape(each)}" for each in heads)
    return f"<thead><tr>{head}<tbody>{''.join(rows)}"


def _row(name: str, ranks: Sequence[int | None], *, is_mine: bool, tied: bool) -> str:
    """Render a player's row; if ``tied``, others share the present rank, which is the last one."""
    own = " class=is-me" if is_mine else ""
    last = len(ranks) - 1
    texts = ("–" if rank is None else formats.place(rank, tied=tied and nth == last) for nth, rank in enumerate(ranks))
    cells = "".join(f"<td>{text}" for text in texts)
    return f"<tr{own}><th scope=row><bdi>{escape(name)}</bdi>{cells}"
