"""Granted rewards in the admin: list, export, mark as delivered, revoke and restore."""

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from django.contrib import admin, messages
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from competitions.admin.actions.preview_text import PreviewText
from competitions.admin.actions.with_reason import ReasonRequest, WithReason
from competitions.admin.rewards.staff_revocation import (
    Preview,
    ReallocationForm,
    by_period,
    if_next_in_line,
    preview_restored,
    restore_all_by_staff,
)
from competitions.models import RewardGrant
from competitions.services.rewards.reward import mark_delivered
from foundation import clock
from foundation.errors import SunwiError
from foundation.http.client_address import signed_in
from foundation.translate import translated
from leaderboards.admin.base.filters import DoneFilter
from leaderboards.admin.wording.names import name_and_id
from leaderboards.admin.wording.periods import period_in_words
from leaderboards.core.input.csv_cells import safe_cell
from leaderboards.selectors.exports.export_slots import with_export_slot

GrantAction = Callable[[Sequence[RewardGrant], str, AbstractBaseUser], object]


@dataclass(frozen=True, slots=True)
class _Together(ReasonRequest[RewardGrant]):
    """An action on several rewards of one period together."""

    together: GrantAction = restore_all_by_staff


@admin.register(RewardGrant)
class GrantAdmin(WithReason[RewardGrant]):
    """The admin of granted rewards."""

    list_display = (
        "name",
        "code",
        "player",
        "rank",
        "earned_in",
        "granted_at",
        "delivered_at",
        "revoked_at",
    )
    list_filter = (
        ("revoked_at", DoneFilter),
        ("delivered_at", DoneFilter),
        ("withheld_at", DoneFilter),
        ("passed_over_at", DoneFilter),
        ("competition", admin.RelatedOnlyFieldListFilter),
    )
    list_select_related = ("player", "competition", "period__board")
    search_fields = ("player__external_id__exact",)
    search_help_text = _lazy("A player's whole id, or the beginning of a name.")
    ordering = ("-pk",)
    actions = ("deliver", "export", "take_back", "give_back")
    fields = (
        *("name", "code", "player", "rank", "earned_in", "tier", "granted_at", "delivered_at"),
        *("revoked_at", "revoked_reason", "withheld_at", "passed_over_at"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[RewardGrant]:
        """Without the competitions' pictures."""
        return super().get_queryset(request).defer("competition__picture")

    def row_name(self, row: RewardGrant) -> str:
        """The player, the reward and where."""
        return _name(row)

    def entry_acts(self, request: HttpRequest, row: RewardGrant) -> Sequence[tuple[str, str]]:
        """Return giving back what is revoked; else taking back, and delivering what is not delivered."""
        if not self.has_act_permission(request):
            return ()
        if row.revoked_at is not None:
            return [("give_back", _("Give back…"))]
        delivering = [("deliver", _("Mark as delivered"))] if row.delivered_at is None else []
        return [*delivering, ("take_back", _("Take back…"))]

    @admin.display(description=_lazy("earned in"), ordering="period")
    def earned_in(self, grant: RewardGrant) -> str:
        """The competition, or the board with the dates of its period."""
        return _where(grant)

    @admin.action(description=_lazy("Mark the selected rewards as delivered"), permissions=["act"])
    def deliver(self, request: HttpRequest, grants: QuerySet[RewardGrant]) -> None:
        """Mark active rewards as delivered; those marked before keep their time."""
        number = mark_delivered(RewardGrant.objects.filter(pk__in=grants.values("pk")), clock.now())
        messages.success(request, _("Marked as delivered: %(number)s.") % {"number": number})

    @admin.action(description=_lazy("Export the selected rewards as CSV"), permissions=["view"])
    def export(self, request: HttpRequest, grants: QuerySet[RewardGrant]) -> StreamingHttpResponse:
        """Export a line for each grant; 503 while all export slots are in use."""
        response = StreamingHttpResponse(
            with_export_slot(_csv(grants.order_by("pk"))), content_type="text/csv; charset=utf-8"
        )
        response["Content-Disposition"] = 'attachment; filename="rewards.csv"'
        return response

    @admin.action(description=_lazy("Take back the selected rewards"), permissions=["act"])
    def take_back(self, request: HttpRequest, grants: QuerySet[RewardGrant]) -> HttpResponseBase | None:
        """Revoke rewards, with a reason for the players and the game, and a choice of who gets them instead."""
        question = _(
            "The players lose these rewards and are told why. Places do not move. If the next in line gets them, the "
            "players are passed over for all rewards of the competition, and each reward behind them moves on; "
            "otherwise they lose these alone. It stays so after a later revision, unless they are given back."
        )
        chosen = list(grants)
        form = ReallocationForm(chosen, request.POST.dict() if "confirmed" in request.POST else None)
        previews = if_next_in_line(chosen)
        asked = _make_action("take_back", _("Take back rewards"), question, form.run, previews)
        asking = self.ask(request, asked, chosen, form)
        return asking and _with_previews(asking, _("If the next in line gets them"), previews)

    @admin.action(description=_lazy("Give back the selected rewards"), permissions=["act"])
    def give_back(self, request: HttpRequest, grants: QuerySet[RewardGrant]) -> HttpResponseBase | None:
        """Restore rewards that staff revoked; rewards that a result revoked follow the result."""
        question = _(
            "The players are granted these rewards anew, if they earn them by the result as it is now. Players who got "
            "one instead lose it, and are told."
        )
        chosen = list(grants)
        previews = preview_restored(chosen)
        asked = _make_action("give_back", _("Give back rewards"), question, restore_all_by_staff, previews)
        asking = self.ask(request, asked, chosen)
        return asking and _with_previews(asking, _("If they are given back"), previews)

    def each(
        self, request: HttpRequest, asked: ReasonRequest[RewardGrant], chosen: Sequence[RewardGrant], reason: str = ""
    ) -> None:
        """Run the action once for each period, since the next players depend on all chosen rewards of it. An error
        stops only the rewards of its period."""
        assert isinstance(asked, _Together)  # noqa: S101 - for the type checker: both acts ask so
        done = 0
        for several in by_period(chosen):
            try:
                asked.together(several, reason, signed_in(request))
            except SunwiError as error:
                messages.error(request, f"{', '.join(map(asked.name, several))}: {translated(error.detail)}")
                continue
            done += len(several)
            for grant in several:
                self.log_change(request, grant, f"{asked.action}: {reason}")
        messages.success(request, _("Done: %(number)s.") % {"number": done})

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Whether the user may change grants, which are not edited."""
        return request.user.has_perm("competitions.change_rewardgrant")


def _make_action(
    action: str, title: str, question: str, together: GrantAction, previews: Sequence[Preview]
) -> _Together:
    """Make the action. Players and the game read the reason of a revocation; only staff reads that of a restoration."""
    public, internal = (
        _("They are told, in the words of your reason."),
        _("Only those who run the competition read it."),
    )
    readers = public if action == "take_back" else internal
    lines = (_("No rank changes, and no revision of a result is made: places do not move."),)
    preview_text = PreviewText(lines, tuple(map(repr, previews)))
    return _Together(
        action,
        title,
        question,
        lambda row, *arguments: together([row], *arguments),
        _name,
        readers,
        foresee=lambda: preview_text,
        at_once=True,
        together=together,
    )


def _with_previews(asking: HttpResponseBase, choice: str, previews: Sequence[Preview]) -> HttpResponseBase:
    """Add the previews to the page that asks for the reason."""
    assert isinstance(asking, TemplateResponse)  # noqa: S101 - for the type checker
    asking.template_name = "admin/competitions/reward_act.html"
    asking.context_data = {**(asking.context_data or {}), "choice": choice, "previews": previews}
    return asking


def _where(grant: RewardGrant) -> str:
    return str(grant.competition or f"{grant.period.board}, {period_in_words(grant.period)}")


def _name(grant: RewardGrant) -> str:
    return f"{name_and_id(grant.player)}: {grant.name} ({_where(grant)})"


class _Line:
    """A file for the csv writer that returns each line."""

    def write(self, line: str) -> str:
        return line


COLUMNS = (
    *("grant", "reward", "code", "player", "rank", "board", "period", "competition"),
    *("granted_at", "delivered_at", "revoked_at", "revoked_reason"),
)


def _csv(grants: QuerySet[RewardGrant]) -> Iterator[str]:
    writer = csv.writer(_Line(), lineterminator="\r\n")
    yield str(writer.writerow(COLUMNS))
    for grant in grants.iterator(chunk_size=2000):
        where = (grant.period.board_id, grant.period.label, grant.competition_id or "")
        what = (grant.pk, grant.name, grant.code, grant.player.external_id, grant.rank)
        times = [each.isoformat() if each else "" for each in (grant.granted_at, grant.delivered_at, grant.revoked_at)]
        line = [*what, *where, *times, grant.revoked_reason]
        yield str(writer.writerow([safe_cell(each) for each in line]))
