"""A plan as plain text: a line for each number, the drivers, what is not supported, and what it is computed from."""

from collections.abc import Iterator

from leaderboards.core.capacity.figures import Figures
from leaderboards.core.capacity.load import Load
from leaderboards.core.capacity.plan import Plan
from leaderboards.core.ranking.rules import Encoding

_GROUPS = {
    "rates": "Rates",
    "redis": "The boards' Redis",
    "web": "Web processes",
    "worker": "Workers",
    "sql": "PostgreSQL",
    "network": "Network, to callers and from them",
    "repair": "Repairing one period of one board",
    "drivers": "Drivers of money",
}
_SMALL = 100  # numbers below this are shown with three digits


def plan_text(load: Load, plan: Plan, figures: Figures) -> Iterator[str]:
    """Yield the lines of a plan."""
    yield (
        f"{load.players:,} players a day on each of {load.boards:,} boards ({_kind(load)}), {load.updates_per_day:g} "
        f"updates and {load.reads_per_day:g} reads a player and day, periods of {load.period_days:g} days"
    )
    document = plan.to_json()
    for key, title in _GROUPS.items():
        yield ""
        yield title
        yield from (f"  {_name(name)}: {_number(value)}" for name, value in document[key].items())
    if plan.month:
        total = sum(plan.month.values())
        yield ""
        yield f"Money a month: {_number(total)}"
        yield from (
            f"  {_name(name)}: {_number(value)} ({100 * value / total:.0f} %)"
            for name, value in sorted(plan.month.items(), key=lambda item: -item[1])
        )
    yield ""
    yield "Not supported today" if plan.not_supported else "Sunwi supports this today, as far as these figures go."
    yield from (f"  {sentence}" for sentence in plan.not_supported)
    yield ""
    guessed = [name for name, each in figures.items() if not each.is_measured and not name.startswith("price_of_")]
    yield "Computed, not tried, from figures of a machine with two cores (--show-figures; replace them by --figures)."
    yield f"Not measured: {', '.join(guessed)}."


def _kind(load: Load) -> str:
    partitions = f"{load.partitions} partitions" if load.partitions > 1 else ""
    return ", ".join(filter(None, [load.storage, "" if load.encoding == Encoding.PLAIN else load.encoding, partitions]))


def _name(name: str) -> str:
    return (
        name.replace("_", " ")
        .replace(" gb", " GB")
        .replace("mbit", "Mbit")
        .replace(" sql", " SQL")
        .replace("cpu", "CPU")
    )


def _number(value: float) -> str:
    if value == int(value) or value >= _SMALL:
        return f"{value:,.0f}"
    return f"{value:.3g}"
