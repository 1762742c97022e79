"""A jury's actions on a competition's page: confirm the result, and accept a late score.

Voiding scores and disqualifying participants are actions in the lists of scores and of participants.
"""

import secrets
from datetime import datetime
from typing import Any

from django import forms
from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import ngettext

from competitions.admin.actions.forms import ActForm, Action, ReasonForm, Typed
from competitions.admin.actions.preview_text import action_preview_in_words, rewards_in_words
from competitions.admin.times import ClockField, exactly, in_zone
from competitions.models import Competition
from competitions.selectors.previews.action_preview import preview_action, preview_confirm
from competitions.selectors.previews.effects import accepting
from competitions.selectors.rewards.earners import rewards_to_grant
from competitions.selectors.standings.standings import standings
from competitions.services.lifecycle.confirm import confirm
from competitions.services.results.late_scores import LateScore, accept_late, check_late_score, was_accepted, was_sent
from foundation import clock
from foundation.errors import SunwiError
from foundation.reasons import LONGEST_REASON
from foundation.translate import translated
from leaderboards.admin.scores.submission_admin import REASON_FOR_EVERYBODY, REASON_FOR_PLAYERS_AND_EVERYBODY
from leaderboards.admin.wording.places import place_text
from leaderboards.core.input.entries import Entry, read_value
from leaderboards.core.instants import milliseconds
from leaderboards.core.ranking.policies import StandingState
from leaderboards.core.ranking.rules import Rules
from leaderboards.models import Player
from leaderboards.selectors.catalog.periods import period_by_label
from leaderboards.selectors.previews.submissions import preview_added_score

FIELD = "field_"  # before the name of a criterion


class ConfirmForm(ActForm):
    """An optional reason."""

    reason = forms.CharField(
        label=_lazy("Reason"),
        max_length=LONGEST_REASON,
        required=False,
        help_text=format_lazy("{} {}", _lazy("It may be left out."), REASON_FOR_EVERYBODY),
        widget=forms.Textarea(attrs={"rows": 3, "cols": 60}),
    )


class LateForm(ReasonForm):
    """Player, score and time. The token is made when the form is shown, so a form that is sent twice counts once."""

    token = forms.CharField(max_length=64, required=False, widget=forms.HiddenInput)
    player = forms.CharField(label=_lazy("Player"), max_length=64, help_text=_lazy("The player's whole id."))
    happened_at = ClockField(label=_lazy("Happened"))

    def __init__(self, competition: Competition, *args: Any, **kwargs: Any) -> None:
        super().__init__(competition, *args, **kwargs)
        for name, field in _value_fields(_rules(competition)).items():
            self.fields[name] = field
        self.order_fields(["player", *(name for name in self.fields if _is_value(name)), "happened_at", "reason"])
        self.initial["token"] = secrets.token_urlsafe(16)
        self.fields["reason"].help_text = REASON_FOR_PLAYERS_AND_EVERYBODY
        self.fields["happened_at"].help_text = _("On the clock of %(zone)s.") % {"zone": competition.timezone}

    def clean_token(self) -> str:
        """Require the token that the page has set."""
        if not self.cleaned_data["token"]:
            raise forms.ValidationError(_("This form is not whole: open it anew."))
        return str(self.cleaned_data["token"])

    def clean_player(self) -> Player:
        """Find the player."""
        player = Player.objects.filter(external_id=self.cleaned_data["player"]).first()
        if player is None:
            raise forms.ValidationError(_("There is no player of this id."))
        return player

    def clean_happened_at(self) -> datetime | None:
        """Read the time in the competition's time zone."""
        return in_zone(self.cleaned_data["happened_at"], self.competition.timezone)

    def clean(self) -> dict[str, Any]:
        """Refuse players who do not take part, and times outside the competition, before the preview."""
        typed = super().clean() or {}
        if not self.errors:
            try:
                check_late_score(self.competition, _late_score(typed), clock.now())
            except SunwiError as error:
                field = getattr(error, "field", None)
                self.add_error(field if field in self.fields else None, translated(error.detail))
        return typed


def _is_value(name: str) -> bool:
    return name == "points" or name.startswith(FIELD)


def _value_fields(rules: Rules) -> dict[str, forms.Field]:
    if rules.of_points:
        return {"points": forms.DecimalField(label=_("Points"), decimal_places=rules.decimals)}
    return {FIELD + each.name: forms.IntegerField(label=each.name, min_value=0) for each in rules.fields}


def _rules(competition: Competition) -> Rules:
    period = period_by_label(competition.board, competition.label)
    return period.rules if period else competition.board.rules


def _late_score(typed: Typed) -> LateScore:
    fields = {name.removeprefix(FIELD): typed[name] for name in typed if name.startswith(FIELD)}
    return LateScore(typed["player"], typed["happened_at"], typed.get("points"), fields or None, typed["token"])


def _preview_accept(competition: Competition, typed: Typed) -> list[str]:
    """Preview the player's place before and after, among the present standings."""
    late, period = _late_score(typed), period_by_label(competition.board, competition.label)
    if period is None:
        return []
    fields = None if late.fields is None else tuple(late.fields.items())
    name = late.player.external_id
    try:
        value = read_value(period.rules, Entry(0, None, competition.pk, name, late.points, fields, None, None))
        new = StandingState(value, period.layout.quantize(milliseconds(late.happened_at)))
        is_repeated = was_accepted(competition, period, late, value)
        before, after = preview_added_score(period, late.player, new)
        effects = preview_action(competition, accepting(period, late.player.pk, new))
    except SunwiError as error:
        return [translated(error.detail)]
    words = {"player": name, "when": exactly(late.happened_at, competition.timezone)}
    words |= {"now": place_text(period, before), "then": place_text(period, after)}
    return [
        _("A score of %(player)s that happened %(when)s.") % words,
        _("Now: %(now)s. Then: %(then)s.") % words,
        *([_("The same score was accepted before: it would be taken once more.")] if is_repeated else []),
        *action_preview_in_words(competition, effects),
    ]


def _preview_confirmation(competition: Competition, _typed: Typed) -> list[str]:
    ranked = standings(competition, clock.now(), 0, 1, full=True)
    sentence = ngettext("%(count)s player is ranked.", "%(count)s players are ranked.", ranked.total)
    lines = [sentence % {"count": ranked.total}]
    effects = preview_confirm(competition)
    if ranked.rows:
        lines.append(_("%(player)s leads.") % {"player": ranked.rows[0].name})
    if effects.is_counted:
        lines += rewards_in_words(effects.rewards)
    rewards = rewards_to_grant(competition)
    words = ngettext("%(count)s reward is granted.", "%(count)s rewards are granted.", rewards) % {"count": rewards}
    lines += [words, _("Participants are told their result.")]
    if competition.is_hidden(clock.now()):
        lines.append(_("Its standings are frozen: the public hears of all this once the result is revealed."))
    return [*lines, _("From then on each act of the jury makes a new revision. This can not be undone.")]


CONFIRM = Action(
    slug="confirm",
    title=_lazy("Confirm the result"),
    question=_lazy("Is this the final result?"),
    done=_lazy("The result is final."),
    run=lambda competition, typed, at, by: confirm(competition, at, by, typed["reason"]),
    offered=lambda competition, _at: competition.is_provisional,
    preview=_preview_confirmation,
    form=ConfirmForm,
    at_once=True,
    is_sealed=True,
)
ACCEPT_LATE = Action(
    slug="accept-late",
    title=_lazy("Accept a late score"),
    question=_lazy("Which score counts though it came too late, and why?"),
    done=_lazy("The late score counts."),
    run=lambda competition, typed, at, by: accept_late(competition, _late_score(typed), typed["reason"], at, by),
    offered=lambda competition, _at: competition.closed_at is not None and competition.cancelled_at is None,
    preview=_preview_accept,
    form=LateForm,
    is_sealed=True,
    was_sent=lambda competition, typed: was_sent(competition, typed["token"]),
)
