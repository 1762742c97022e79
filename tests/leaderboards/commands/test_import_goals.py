"""Importing a real table: the goals of two years, a month a period, against a plain count of the file."""

import csv
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from foundation import clock
from leaderboards import selectors
from leaderboards.models import FinalStanding, Period, PeriodState, Player, Standing, Storage, Submission
from tests.leaderboards.commands.calls import run
from tests.leaderboards.factories import BoardFactory

GOALS = Path(__file__).parents[2] / "data" / "football_goals_2023_2025.csv"


def first_months(folder: Path, count: int) -> Path:
    """The file as far as its first months go."""
    with GOALS.open(encoding="utf-8") as lines:
        header, *rows = lines
    months = sorted({row[:7] for row in rows})[:count]
    file = folder / GOALS.name
    file.write_text("".join([header, *(row for row in rows if row[:7] in months)]), encoding="utf-8")
    return file


def ranked_by_month(file: Path) -> dict[str, dict[str, tuple[int, int]]]:
    """Month → player → rank and goals, the plain way: one more than there are better ones."""
    months: dict[str, Counter[str]] = defaultdict(Counter)
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            months[row["date"][:7]][row["scorer"]] += 1
    return {
        month: {name: (1 + sum(other > own for other in goals.values()), own) for name, own in goals.items()}
        for month, goals in months.items()
    }


def state() -> tuple[object, ...]:
    """Everything that a second import could have changed."""
    standings = Standing.objects.order_by("pk").values_list("pk", "points", "at", "score", "version")
    finals = FinalStanding.objects.order_by("pk").values_list()
    return (*standings, *finals, Submission.objects.count(), Player.objects.count(), Period.objects.count())


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("storage", [Storage.HYBRID, Storage.REDIS])
@pytest.mark.parametrize(("months", "goals"), [(2, 298), pytest.param(21, 4301, marks=pytest.mark.long)])
def test_every_standing_of_every_month_equals_a_plain_count_of_the_file_and_a_second_run_changes_nothing(
    tmp_path: Path, storage: Storage, months: int, goals: int
) -> None:
    board = BoardFactory.create(period="month", update="increment", ties="shared", storage=storage)
    file = first_months(tmp_path, months)
    columns = ("--board", board.seq, "--player", "scorer", "--points", "1", "--at", "date")

    printed = run("import_scores", file, *columns, "--id", "row", "--backfill").out

    past = [*Period.objects.filter(board=board, ends_at__lt=clock.now()).order_by("starts_at")]
    found = {
        period.label: {row.player: (row.rank, row.points) for row in selectors.export_rows(board, period.label)[1]}
        for period in past
    }
    assert f"accepted: {goals} ({goals} updated, 0 unchanged, 0 duplicate)" in printed
    assert f"periods: {months} ({months} closed)" in printed
    assert found == ranked_by_month(file)
    assert {period.state for period in past} == {PeriodState.FINAL}
    first = selectors.standings(board, "2023-03", limit=1).rows[0]
    assert (first.rank, first.player, first.points, first.tied) == (1, "Rasmus Højlund", 5, 1)

    before = state()
    if storage == Storage.HYBRID:
        again = run("import_scores", file, *columns, "--id", "row", "--backfill").out
        assert f"(0 updated, 0 unchanged, {goals} duplicate)" in again
    else:
        assert f"period_closed: {goals}" in run("import_scores", file, *columns).out
    assert state() == before
