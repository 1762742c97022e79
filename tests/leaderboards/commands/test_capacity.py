"""``capacity`` as a shell calls it: text, JSON, figures of one's own, and refusals; it asks no server."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError

from leaderboards.core.capacity.figures import default_figures, figures_json
from tests.leaderboards.commands.calls import run

SCALE = Path(__file__).parents[3] / "docs/scale.md"


def test_it_prints_what_is_needed_and_what_is_not_supported() -> None:
    small, large = run("capacity", "--players", "5e6").out, run("capacity", "--players", "500e6").out

    assert small.startswith("5,000,000 players a day on each of 1 boards (hybrid), 10 updates and 20 reads")
    assert "Sunwi supports this today, as far as these figures go." in small
    assert "Not supported today\n" in large
    assert "A Redis Cluster spreads boards over them, and `partitions` one board" in large
    assert "are not built" not in large
    assert "Not measured: redis_headroom, " in small
    assert "Money a month" not in small
    told = run("capacity", "--players", "5e6", "--encoding", "compact", "--partitions", "16").out
    assert told.startswith("5,000,000 players a day on each of 1 boards (hybrid, compact, 16 partitions), ")


def test_its_json_has_the_load_the_numbers_and_the_figures() -> None:
    found = run("capacity", "--players", "5e6", "--updates-per-day", "2.5", "--storage", "redis", "--json").json

    assert (found["load"]["players"], found["load"]["updates_per_day"], found["load"]["storage"]) == (5e6, 2.5, "redis")
    assert found["rates"]["updates_a_day"] == 12_500_000
    assert found["figures"] == figures_json(default_figures())
    assert {"redis", "web", "worker", "sql", "network", "repair", "drivers", "month", "not_supported"} < set(found)


def test_its_figures_are_printed_changed_and_taken(tmp_path: Path) -> None:
    printed = run("capacity", "--show-figures").json
    printed["price_of_cores"]["value"] = 12
    printed["price_of_sql_disk_gb"]["value"] = 0.1
    own = tmp_path / "own.json"
    own.write_text(json.dumps(printed), encoding="utf-8")

    found = run("capacity", "--players", "5e6", "--figures", own)

    assert "Money a month: " in found.out
    assert run("capacity", "--figures", own, "--show-figures").json == printed


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ((), "Say how many players a day"),
        (("--players", "many"), "--players: 'many' is no number"),
        (("--players", "5e6", "--load", "0"), "--load must be from 0.01 to 1"),
        (("--players", "5e6", "--storage", "sql"), "invalid choice"),
        (("--players", "5e6", "--partitions", "5"), "--partitions must be one of 1, 4, 16, 64, 256, not 5"),
        (("--players", "5e6", "--encoding", "compact", "--storage", "redis"), "Only hybrid boards can be compact"),
        (("--players", "5e6", "--figures", "/nowhere/own.json"), "/nowhere/own.json cannot be read"),
    ],
)
def test_bad_input_is_refused(options: tuple[str, ...], why: str) -> None:
    with pytest.raises(CommandError, match=why):
        run("capacity", *options)


@pytest.mark.parametrize("players", ["5e6", "50e6", "500e6"])
def test_the_walk_in_the_documents_is_what_it_computes(players: str) -> None:
    found = run("capacity", "--players", players, "--batch", "100", "--json").json

    row = next(line for line in SCALE.read_text(encoding="utf-8").splitlines() if line.startswith(f"| `{players}` "))

    redis, sql = found["redis"], found["sql"]
    cells = (
        f"{found['rates']['updates_a_second_at_peak']:,.0f}",
        f"{redis['memory_gb']:,.0f} GB",
        f"{redis['servers_by_memory']:,.0f}",
        f"{redis['servers_by_cpu']:,.0f}",
        f"{found['web']['cores']:,.0f}",
        f"{sql['cores']:,.0f}",
        f"{sql['volume_after_a_year_gb'] / 1000:,.1f} TB",
        f"{found['repair']['rebuild_hours']:.2g} h",
    )
    assert row == f"| `{players}` | {' | '.join(cells)} |"
