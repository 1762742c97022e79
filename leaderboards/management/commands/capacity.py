"""Compute what a number of players needs, from measured figures; it asks no server."""

from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from leaderboards.core.capacity.figures import BadCapacity, Figure, default_figures, figures_json, read_figures
from leaderboards.core.capacity.load import BOUNDS, ENCODINGS, STORAGES, Load, read_number
from leaderboards.core.capacity.plan import plan
from leaderboards.core.capacity.text import plan_text
from leaderboards.management.command import Command as BaseCommand

HELP = {
    "players": "players a day, each on every board: 500e6",
    "updates_per_day": "scores of a player on a day, over all boards",
    "reads_per_day": "how often a player reads their own row on a day",
    "boards": "boards on which all of them play",
    "period_days": "days that a period lasts",
    "retention_days": "days that a final period stays in Redis",
    "keep_submissions_days": "days that submissions are kept after their period",
    "batch": "scores in one request; above 1 the figures of batches hold",
    "peak": "how many times the mean the busiest hour is",
    "load": "how much of its cores a server may use at the peak, up to 1",
    "replicas": "replicas of each server of Redis and PostgreSQL",
    "node_memory_gb": "memory of a Redis server in GB (10^9)",
    "partitions": "partitions of each board: 1, 4, 16, 64 or 256",
}


class Command(BaseCommand):
    """``capacity --players N``: nodes, memory, network, SQL volume, and the drivers of money."""

    help = (
        "Compute nodes, memory, network, SQL volume and the drivers of money for so many players, from measured "
        "figures that can be replaced, and say what of it is not supported today. It asks no server."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add an option for each number of the load, and those of the figures and the output."""
        defaults = {each.name: each.default for each in fields(Load)}
        for name, text in HELP.items():
            default = "" if name == "players" else f" (default: {defaults[name]:g})"
            parser.add_argument(f"--{name.replace('_', '-')}", metavar="N", help=text + default)
        parser.add_argument("--storage", choices=STORAGES, default="hybrid", help="who decides (default: hybrid)")
        parser.add_argument(
            "--encoding", choices=ENCODINGS, default=defaults["encoding"], help="of each board in Redis"
        )
        parser.add_argument("--figures", metavar="FILE", help="a JSON file with figures of your own; the others stay")
        parser.add_argument("--show-figures", action="store_true", help="print the figures as such a file, and stop")
        parser.add_argument("--json", action="store_true", help="print one JSON document instead of text")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print the plan, or the figures."""
        try:
            figures = _figures(options["figures"])
            if options["show_figures"]:
                self.print_json(figures_json(figures))
                return
            load = _load(options)
        except BadCapacity as error:
            raise CommandError(str(error)) from error
        found = plan(load, figures)
        if options["json"]:
            asked = {each.name: getattr(load, each.name) for each in fields(load)}
            self.print_json({"load": asked, **found.to_json(), "figures": figures_json(figures)})
        else:
            self.stdout.write("\n".join(plan_text(load, found, figures)))


def _figures(path: str | None) -> dict[str, Figure]:
    """Read the figures. Raises ``BadCapacity``."""
    if path is None:
        return default_figures()
    try:
        return read_figures(Path(path).read_text(encoding="utf-8"), path)
    except (OSError, UnicodeDecodeError) as error:
        raise BadCapacity(f"{path} cannot be read as text ({error}).") from error


def _load(options: Mapping[str, Any]) -> Load:
    """Read the load. Raises ``BadCapacity``."""
    if options["players"] is None:
        raise BadCapacity("Say how many players a day: --players 500e6.")
    given = {name: str(options[name]) for name in BOUNDS if options[name] is not None}
    numbers: dict[str, Any] = {name: read_number(name, text) for name, text in given.items()}
    return Load(storage=options["storage"], encoding=options["encoding"], **numbers)
