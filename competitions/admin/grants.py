"""Rewards in the admin: who was granted what, what was revoked and why; exported, marked, taken back and given back."""

import csv
from collections.abc import Callable, Iterator
from datetime import datetime

from django.contrib import admin, messages
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from competitions.admin.reasons import Asked, WithReason
from competitions.models import RewardGrant
from competitions.services.reward import mark_delivered
from competitions.services.take_back import give_back, take_back
from foundation import clock
from leaderboards.core.cells import safe_cell

Service = Callable[[RewardGrant, str, datetime], RewardGrant]


@admin.register(RewardGrant)
class GrantAdmin(WithReason[RewardGrant]):
    """Who has earned what: exported for whoever hands it out, marked when it is done, taken back with a reason."""

    list_display = (
        "name",
        "code",
        "player",
        "rank",
        "competition",
        "period",
        "granted_at",
        "delivered_at",
        "revoked_at",
    )
    list_filter = (
        ("revoked_at", admin.EmptyFieldListFilter),
        ("delivered_at", admin.EmptyFieldListFilter),
        ("withheld_at", admin.EmptyFieldListFilter),
        ("competition", admin.RelatedOnlyFieldListFilter),
    )
    list_select_related = ("player", "competition", "period")
    search_fields = ("player__external_id__exact",)
    search_help_text = _lazy("A player's whole id.")
    ordering = ("-pk",)
    actions = ("deliver", "export", "take_back", "give_back")
    fields = (
        *("name", "code", "player", "rank", "competition", "period", "tier", "granted_at", "delivered_at"),
        *("revoked_at", "revoked_reason", "withheld_at"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[RewardGrant]:
        """Without the competitions' pictures."""
        return super().get_queryset(request).defer("competition__picture")

    @admin.action(description=_lazy("Mark the selected rewards as delivered"), permissions=["act"])
    def deliver(self, request: HttpRequest, grants: QuerySet[RewardGrant]) -> None:
        """Once: what was marked before stays as it was, and what was revoked is not handed out."""
        number = mark_delivered(RewardGrant.objects.filter(pk__in=grants.values("pk")), clock.now())
        messages.success(request, _("Marked as delivered: %(number)s.") % {"number": number})

    @admin.action(description=_lazy("Export the selected rewards as CSV"), permissions=["view"])
    def export(self, request: HttpRequest, grants: QuerySet[RewardGrant]) -> StreamingHttpResponse:
        """A line for each."""
        response = StreamingHttpResponse(_csv(grants.order_by("pk")), content_type="text/csv; charset=utf-8")
        response["Content-Disposition"] = 'attachment; filename="rewards.csv"'
        return response

    @admin.action(description=_lazy("Take back the selected rewards"), permissions=["act"])
    def take_back(self, request: HttpRequest, grants: QuerySet[RewardGrant]) -> HttpResponseBase | None:
        """With a reason, which the players and the game are told."""
        question = _(
            "The players lose these rewards and are told why. Places do not move, so nobody else wins them, and the "
            "players do not earn them again unless they are given back."
        )
        asked = Asked("take_back", _("Take back rewards"), question, _with_clock(take_back), _name)
        return self.ask(request, asked, list(grants))

    @admin.action(description=_lazy("Give back the selected rewards"), permissions=["act"])
    def give_back(self, request: HttpRequest, grants: QuerySet[RewardGrant]) -> HttpResponseBase | None:
        """What was taken back here; a reward that a later result revoked follows the result."""
        question = _("The players are granted these rewards anew, if they earn them by the result as it is now.")
        asked = Asked("give_back", _("Give back rewards"), question, _with_clock(give_back), _name)
        return self.ask(request, asked, list(grants))

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Whoever may change grants; nobody types in them."""
        return request.user.has_perm("competitions.change_rewardgrant")


def _with_clock(service: Service) -> Callable[[RewardGrant, str, AbstractBaseUser], RewardGrant]:
    return lambda grant, reason, _by: service(grant, reason, clock.agreed())


def _name(grant: RewardGrant) -> str:
    return f"{grant.player.external_id}: {grant.name} ({grant.competition or grant.period})"


class _Line:
    """What the csv writer writes to: it hands each line back."""

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
