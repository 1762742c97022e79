"""The changes of a competition in words, with times in its time zone, and old and new values.

Internal details, such as a form's token, are left out. A ban or its end belongs to the site and has its reason there:
here it is shown as the revision that it caused.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from competitions.admin.times import exactly
from competitions.models import Change, Competition, Revision
from competitions.notice_texts import EXCLUSION_REASONS
from competitions.services.rewards.staff_revocation import Reallocation
from leaderboards.models import Player

MOST = 50
MOST_NAMES = 10
_OMITTED = frozenset(
    {"token", "grant", "from", "to", "team", "team_before", "team_number", "division", "division_before"}
)


@dataclass(frozen=True, slots=True)
class ChangeInWords:
    """One change as text, with its time; ``details`` has a line for each."""

    at: datetime
    when: str
    what: str
    by: str
    reason: str
    details: list[str]


def changes_in_words(competition: Competition) -> list[ChangeInWords]:
    """Return the latest ``MOST`` changes, and bans that changed the result, latest first."""
    zone = competition.timezone
    changes = [_in_words(change, zone) for change in competition.changes.select_related("by")[:MOST]]
    return sorted([*changes, *_bans(competition, zone)], key=lambda row: row.at, reverse=True)[:MOST]


def _bans(competition: Competition, zone: str) -> list[ChangeInWords]:
    """Return the players who were hidden or shown again by a ban, from the excluded players of the revisions."""
    rows = competition.revisions.filter(number__gt=1, change=None, reason__in=EXCLUSION_REASONS).order_by("-number")
    revisions = list(rows[:MOST])
    previous = competition.revisions.filter(number__in=[each.number - 1 for each in revisions])
    excluded_players = {number: set(players) for number, players in previous.values_list("number", "excluded_players")}
    bans = []
    for each in revisions:
        before, after = excluded_players.get(each.number - 1, set()), set(each.excluded_players)
        for players, is_ban in ((after - before, True), (before - after, False)):
            if players:
                bans.append(_ban(each, players, zone, is_ban=is_ban))
    return bans


def _ban(revision: Revision, players: set[int], zone: str, *, is_ban: bool) -> ChangeInWords:
    number = len(players)
    if is_ban:
        what = ngettext("%(number)s player is not shown any more", "%(number)s players are not shown any more", number)
    else:
        what = ngettext("%(number)s player is shown again", "%(number)s players are shown again", number)
    names = Player.objects.filter(pk__in=players).order_by("external_id").values_list("external_id", flat=True)
    player, number_of = _("player"), _("revision")
    lines = [f"{player}: {name}" for name in names[:MOST_NAMES]]
    more = [_("And %(count)s more.") % {"count": number - MOST_NAMES}] if number > MOST_NAMES else []
    return ChangeInWords(
        at=revision.made_at,
        when=exactly(revision.made_at, zone),
        what=what % {"number": number},
        by="–",
        reason="",
        details=[*lines, *more, f"{number_of}: {revision.number}"],
    )


def _in_words(change: Change, zone: str) -> ChangeInWords:
    return ChangeInWords(
        at=change.at,
        when=exactly(change.at, zone),
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
    """Return a labelled line for each other detail; an unknown detail is shown under its own name."""
    spelt: dict[str, tuple[str, Callable[[Any], str]]] = {
        "player": (_("player"), str),
        "score": (_("score"), str),
        "submission": (_("submission"), lambda number: f"#{number}"),
        "happened_at": (_("happened"), lambda text: _clock(text, zone)),
        "disqualified_at": (_("disqualified"), lambda text: _clock(text, zone)),
        "comment": (_("comment"), lambda number: f"#{number}"),
        "reward": (_("reward"), str),
        "instead": (_("instead"), _who_instead),
        "reports": (_("reports"), str),
        "source": (_("made from"), lambda number: f"#{number}"),
        "left_at": (_("had left"), lambda text: _clock(text, zone)),
        "scores": (_("scores that count again"), str),
    }
    unknown = sorted(details.keys() - spelt.keys() - _OMITTED)
    known = [f"{label}: {spell(details[name])}" for name, (label, spell) in spelt.items() if name in details]
    return known + [f"{name}: {details[name]}" for name in unknown]


def _who_instead(choice: str) -> str:
    return {Reallocation.NEXT: _("the next in line"), Reallocation.NOBODY: _("nobody")}[Reallocation(choice)]


def _clock(text: str, zone: str) -> str:
    return exactly(datetime.fromisoformat(text), zone)
