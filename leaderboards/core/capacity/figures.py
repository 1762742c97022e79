"""The figures that capacity is computed from: each a number with its unit and where it comes from, in one JSON file.

A reader who measured something else writes a file with those names alone; all others keep what ``figures.json`` says.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DEFAULT_FILE = Path(__file__).with_name("figures.json")
_KEYS = {"value", "unit", "measured", "source"}
MOST = 1e18
RATE = "1/s"


class BadCapacity(ValueError):
    """A number, or a file of figures, that nothing can be computed from; its text says what to write."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number in ``unit``. ``is_measured``: by this repository's benchmarks, or by the person who replaced it."""

    value: float
    unit: str
    is_measured: bool
    source: str


Figures = Mapping[str, Figure]


def default_figures() -> dict[str, Figure]:
    """Return the figures of this release."""
    return _figures(json.loads(DEFAULT_FILE.read_text(encoding="utf-8")), DEFAULT_FILE.name)


def read_figures(text: str, name: str) -> dict[str, Figure]:
    """Return the figures of this release with those of a reader's file in their place. Raises ``BadCapacity``."""
    try:
        document = json.loads(text)
    except ValueError as error:
        raise BadCapacity(
            f"{name} is no JSON ({error}). Copy what `capacity --show-figures` prints, and change it."
        ) from error
    figures, own = default_figures(), _figures(document, name)
    if unknown := sorted(own.keys() - figures.keys()):
        raise BadCapacity(
            f"{name} has {', '.join(unknown)}, which nothing is computed from; there are {', '.join(figures)}."
        )
    for key, figure in own.items():
        if figure.unit != figures[key].unit:
            raise BadCapacity(f"{name}: {key} is in {figures[key].unit!r}, not in {figure.unit!r}.")
    return figures | own


def figures_json(figures: Figures) -> dict[str, dict[str, Any]]:
    """Return the figures as they stand in a file."""
    return {
        name: {"value": each.value, "unit": each.unit, "measured": each.is_measured, "source": each.source}
        for name, each in figures.items()
    }


def _figures(document: Any, name: str) -> dict[str, Figure]:
    if not isinstance(document, dict):
        raise BadCapacity(f"{name} must be an object: the name of a figure, and its value, unit, measured and source.")
    return {key: _figure(each, f"{name}: {key}") for key, each in document.items()}


def _figure(raw: Any, name: str) -> Figure:
    if not isinstance(raw, dict) or raw.keys() != _KEYS:
        raise BadCapacity(f"{name} must have value, unit, measured and source, and nothing else.")
    value = raw["value"]
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not math.isfinite(value)
        or not 0 <= value <= MOST
    ):
        raise BadCapacity(f"{name}: the value must be a number from 0 to {MOST:.0e}, not {value!r}.")
    if not isinstance(raw["measured"], bool):
        raise BadCapacity(f"{name}: measured must be true or false.")
    if not all(isinstance(raw[key], str) and raw[key] for key in ("unit", "source")):
        raise BadCapacity(f"{name}: unit and source must be texts, and not empty.")
    if raw["unit"] == RATE and value == 0:
        raise BadCapacity(f"{name}: a rate of 0 never ends; write how many a second.")
    return Figure(float(value), raw["unit"], raw["measured"], raw["source"])
