"""The previews and the form for revoking and restoring rewards.

Rewards of one period are one action: the next players are computed without all players of the chosen rewards.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django import forms
from django.contrib.auth.models import AbstractBaseUser
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from competitions.models import RewardGrant, RewardRun
from competitions.selectors.rewards.grant_changes import GrantChanges, preview_restore_by_staff, preview_revoke_by_staff
from competitions.services.rewards.staff_revocation import Reallocation, restore_by_staff, revoke_by_staff
from foundation import clock
from leaderboards.models import Player

MOST_LINES = 50

_CHOICES = (
    (Reallocation.NEXT.value, _lazy("The next in line gets it")),
    (Reallocation.NOBODY.value, _lazy("Nobody gets it")),
)


class ReallocationForm(forms.Form):
    """Who gets it instead; calendar boards have only one choice."""

    template_name_p = "django/forms/div.html"
    instead = forms.ChoiceField(
        label=_lazy("Who gets it instead?"), choices=_CHOICES, widget=forms.RadioSelect, initial=Reallocation.NEXT.value
    )

    def __init__(self, grants: Sequence[RewardGrant], typed: dict[str, str] | None) -> None:
        """``typed`` is the submitted data, None for a new form."""
        super().__init__(typed)
        if all(grant.competition_id is None for grant in grants):
            field = self.fields["instead"]
            assert isinstance(field, forms.ChoiceField)  # noqa: S101 - for the type checker
            field.choices, field.initial = _CHOICES[1:], Reallocation.NOBODY.value

    def run(self, grants: Sequence[RewardGrant], reason: str, by: AbstractBaseUser) -> None:
        """Revoke rewards of one period in one action. Raises what ``revoke_by_staff`` does."""
        revoke_by_staff(grants, Reallocation(self.cleaned_data["instead"]), reason, clock.trusted_now(), by)


def restore_all_by_staff(grants: Sequence[RewardGrant], reason: str, by: AbstractBaseUser) -> None:
    """Restore rewards of one period in one action. Raises what ``restore_by_staff`` does."""
    restore_by_staff(grants, reason, clock.trusted_now(), by)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the preview: a player loses or gets a reward."""

    player: str
    rank: int
    reward: str
    what: str
    delivered_at: datetime | None


@dataclass(frozen=True, slots=True)
class Preview:
    """The effects on one competition; ``more`` is the number of lines that are not shown."""

    title: str
    lines: list[Line]
    more: int


def by_period(grants: Sequence[RewardGrant]) -> list[list[RewardGrant]]:
    """Group grants by period, in their order."""
    groups: dict[int, list[RewardGrant]] = defaultdict(list)
    for grant in grants:
        groups[grant.period_id].append(grant)
    return list(groups.values())


def if_next_in_line(grants: Sequence[RewardGrant]) -> list[Preview]:
    """Preview passing over the players of these rewards, as far as they are active."""
    active = [grant for grant in grants if grant.revoked_at is None]
    return [
        _preview(run, preview_revoke_by_staff(run, {grant.player_id for grant in several}))
        for run, several in _runs_with_grants(active)
    ]


def preview_restored(grants: Sequence[RewardGrant]) -> list[Preview]:
    """Preview restoring these rewards, as far as staff has revoked them."""
    revoked = [grant for grant in grants if grant.withheld_at is not None]
    return [_preview(run, preview_restore_by_staff(run, several)) for run, several in _runs_with_grants(revoked)]


def _runs_with_grants(grants: Sequence[RewardGrant]) -> list[tuple[RewardRun, list[RewardGrant]]]:
    groups = by_period([grant for grant in grants if grant.competition_id is not None])
    rows = RewardRun.objects.select_related("competition", "period__board").defer("competition__picture")
    return [(rows.get(period=several[0].period_id), several) for several in groups]


def _preview(run: RewardRun, changes: GrantChanges) -> Preview:
    rows = [(grant, _("loses it")) for grant in changes.lost] + [(grant, _("gets it")) for grant in changes.new]
    shown = rows[:MOST_LINES]
    names = dict(
        Player.objects.filter(pk__in={grant.player_id for grant, _what in shown}).values_list("pk", "external_id")
    )
    lines = [Line(names[each.player_id], each.rank, each.name, what, each.delivered_at) for each, what in shown]
    return Preview(str(run.competition), lines, len(rows) - len(shown))
