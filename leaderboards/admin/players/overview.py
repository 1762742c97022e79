"""What the page of a player in the admin shows above its form: places, submissions, restrictions, acts of the log.

Each part has its latest rows and leads to its whole list; it is only for those who may see its rows. Apps above add
parts with ``register_player_part``: rewards, comments. Each part takes a few statements, and at most ``SHOWN`` rows.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from urllib.parse import urlencode

from django.db.models import F, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from foundation.audit.actions import label_of
from foundation.audit.models import AuditEntry
from leaderboards.admin.audit_log.values import actor_name
from leaderboards.admin.audit_log.visibility import visible_entries
from leaderboards.admin.base.permissions import may_see
from leaderboards.admin.moderation.exclusions import exclusion_lines
from leaderboards.admin.wording.descriptions import in_utc
from leaderboards.admin.wording.periods import period_in_words
from leaderboards.admin.wording.places import place_text
from leaderboards.admin.wording.values import shown_value
from leaderboards.models import PeriodState, Player, Restriction, Standing, Submission
from leaderboards.selectors.previews.submissions import place_now
from leaderboards.selectors.visibility.hidden import hidden_now

SHOWN = 5


@dataclass(frozen=True, slots=True)
class PlayerRow:
    """A row of a part: what it is with its address, and what more is said of it."""

    what: str
    address: str
    more: str = ""


@dataclass(frozen=True, slots=True)
class PlayerPart:
    """A part: its rows, at most ``SHOWN``, and the address of all."""

    title: str | Promise
    rows: list[PlayerRow]
    address: str


MakePart = Callable[[HttpRequest, Player], PlayerPart | None]


@dataclass(slots=True)
class _Registered:
    parts: list[MakePart] = field(default_factory=list)


_registered = _Registered()


def register_player_part(part: MakePart) -> None:
    """Add a part of an app above; it returns None for those who may not see it. Twice the same is one."""
    if part not in _registered.parts:
        _registered.parts.append(part)


def overview(request: HttpRequest, player: Player) -> list[PlayerPart]:
    """Return the parts that this user may see."""
    made = (make(request, player) for make in (_places, _submissions, *_registered.parts, _restrictions, _acts))
    return [part for part in made if part is not None]


def list_address(name: str, player: Player, parameter: str = "player__id__exact") -> str:
    """Return the address of an admin list (``leaderboards_standing``) of the player's rows."""
    return f"{reverse(f'admin:{name}_changelist')}?{parameter}={player.pk}"


def _places(request: HttpRequest, player: Player) -> PlayerPart | None:
    if not may_see(request, Standing):
        return None
    running = Standing.objects.filter(player=player, period__state=PeriodState.OPEN, score__isnull=False)
    rows = [_place(row, player) for row in running.select_related("period__board").order_by("-at", "-pk")[:SHOWN]]
    return PlayerPart(_("Places now"), rows, list_address("leaderboards_standing", player))


def _place(row: Standing, player: Player) -> PlayerRow:
    is_out = player.pk in hidden_now(row.period)
    place = _("not shown") if is_out else place_text(row.period, place_now(row.period, player))
    address = reverse("admin:leaderboards_standing_change", args=[row.pk])
    return PlayerRow(row.period.board.name, address, f"{period_in_words(row.period)}: {place}")


def _submissions(request: HttpRequest, player: Player) -> PlayerPart | None:
    if not may_see(request, Submission):
        return None
    # By period first, as the index is: the player's latest periods, then their submissions.
    periods = Standing.objects.filter(player=player).order_by(F("at").desc(nulls_last=True), "-pk").values("period")
    numbers = [row["period"] for row in periods[:SHOWN]]
    latest = Submission.objects.filter(period__in=numbers, player=player).select_related("period__board")
    rows = [
        PlayerRow(
            f"{row.period.board.name}: {shown_value(row)}",
            reverse("admin:leaderboards_submission_change", args=[row.pk]),
            " · ".join([in_utc(row.at), _("void") if row.voided_at else pgettext("a submission", "counts")]),
        )
        for row in latest.order_by("-pk")[:SHOWN]
    ]
    return PlayerPart(_("Latest submissions"), rows, list_address("leaderboards_submission", player))


def _restrictions(request: HttpRequest, player: Player) -> PlayerPart | None:
    if not may_see(request, Restriction):
        return None
    address = f"{reverse('admin:leaderboards_restriction_changelist')}?{urlencode({'q': player.external_id})}"
    rows = [PlayerRow(line, address) for line in exclusion_lines(player)[:SHOWN]]
    return PlayerPart(_("Restrictions"), rows, address)


def _acts(request: HttpRequest, player: Player) -> PlayerPart | None:
    if not may_see(request, AuditEntry):
        return None
    entries = AuditEntry.objects.filter(subjects__kind="player", subjects__key=str(player.pk)).select_related("by")
    rows = list(_entries(request, entries))
    return PlayerPart(_("Latest acts"), rows, reverse("admin:leaderboards_player_history", args=[player.pk]))


def _entries(request: HttpRequest, entries: QuerySet[AuditEntry]) -> Iterator[PlayerRow]:
    for entry in visible_entries(request, entries)[:SHOWN]:
        address = reverse("admin:foundation_auditentry_change", args=[entry.pk])
        said = " · ".join(filter(None, (in_utc(entry.at), actor_name(entry), entry.reason)))
        yield PlayerRow(str(label_of(entry.act)), address, said)
