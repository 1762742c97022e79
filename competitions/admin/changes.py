"""The record of a competition as people read it: each act with its time on the competition's clock, and what it changed
from and to, in words. What the record keeps for machines alone (a form's token) is left out.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from competitions.admin.times import on_the_clock
from competitions.models import Change, Competition

MOST = 50
_LEFT_OUT = frozenset({"token", "from", "to", "team", "team_before", "team_number", "division", "division_before"})


@dataclass(frozen=True, slots=True)
class ChangeInWords:
    """One act: ``at`` is the moment, all else is read; ``details`` has a line for each."""

    at: datetime
    when: str
    what: str
    by: str
    reason: str
    details: list[str]


def changes_in_words(competition: Competition) -> list[ChangeInWords]:
    """The latest ``MOST`` acts, the latest first."""
    return [_in_words(change, competition.timezone) for change in competition.changes.select_related("by")[:MOST]]


def _in_words(change: Change, zone: str) -> ChangeInWords:
    return ChangeInWords(
        at=change.at,
        when=on_the_clock(change.at, zone, year=True),
        what=change.get_kind_display(),
        by=str(change.by) if change.by else "–",
        reason=change.reason,
        details=[*_before_and_after(change.details, zone), *_others(change.details, zone)],
    )


def _before_and_after(details: Mapping[str, Any], zone: str) -> list[str]:
    """The end, the team and the division: old → new."""
    lines = []
    if {"from", "to"} <= details.keys():
        lines.append(_moved(_("end"), _clock(details["from"], zone), _clock(details["to"], zone)))
    for name, label in (("team", _("team")), ("division", _("division"))):
        if name in details:
            none = _("none")
            lines.append(_moved(label, details.get(f"{name}_before") or none, details[name] or none))
    return lines


def _moved(label: str, before: object, after: object) -> str:
    return f"{label}: {before} → {after}"


def _others(details: Mapping[str, Any], zone: str) -> list[str]:
    """A line for each other value, under its label; a name that is not known stands as it is."""
    spelt: dict[str, tuple[str, Callable[[Any], str]]] = {
        "player": (_("player"), str),
        "score": (_("score"), str),
        "submission": (_("submission"), lambda number: f"#{number}"),
        "happened_at": (_("happened"), lambda text: _clock(text, zone)),
        "left_at": (_("left"), lambda text: _clock(text, zone)),
        "disqualified_at": (_("disqualified"), lambda text: _clock(text, zone)),
        "comment": (_("comment"), lambda number: f"#{number}"),
    }
    unknown = sorted(details.keys() - spelt.keys() - _LEFT_OUT)
    known = [f"{label}: {spell(details[name])}" for name, (label, spell) in spelt.items() if name in details]
    return known + [f"{name}: {details[name]}" for name in unknown]


def _clock(text: str, zone: str) -> str:
    return on_the_clock(datetime.fromisoformat(text), zone, year=True)
