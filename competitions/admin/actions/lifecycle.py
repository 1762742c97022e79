"""The buttons of a competition: each action shows a preview, asks for confirmation, and runs one service."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy
from django.utils.translation import ngettext

from competitions.admin.actions.forms import Action, ReasonForm, Typed
from competitions.admin.actions.jury import ACCEPT_LATE, CONFIRM
from competitions.admin.actions.publish_preview import preview_publish
from competitions.admin.times import ClockField, as_typed, competition_time, in_zone
from competitions.core.lifecycle import Phase
from competitions.models import Competition
from competitions.selectors.competitions import participants_count
from competitions.services.lifecycle.cancel import cancel
from competitions.services.lifecycle.change_end import change_end
from competitions.services.lifecycle.freeze import reveal
from competitions.services.lifecycle.publish import publish
from competitions.services.notices.notices import notifiable_players


class EndForm(ReasonForm):
    """The new end and the reason."""

    ends_at = ClockField(label=_lazy("New end"))
    field_order = ("ends_at", "reason")

    def __init__(self, competition: Competition, *args: Any, **kwargs: Any) -> None:
        super().__init__(competition, *args, **kwargs)
        self.initial["ends_at"] = as_typed(competition.ends_at, competition.timezone)
        self.fields["ends_at"].help_text = _("On the clock of %(zone)s.") % {"zone": competition.timezone}

    def clean_ends_at(self) -> datetime | None:
        """Read the time in the competition's time zone."""
        return in_zone(self.cleaned_data["ends_at"], self.competition.timezone)


class CancelForm(ReasonForm):
    """The reason, which is shown to everybody."""

    def __init__(self, competition: Competition, *args: Any, **kwargs: Any) -> None:
        super().__init__(competition, *args, **kwargs)
        notified, public = self.fields["reason"].help_text, _("The competition's page shows it to everybody.")
        self.fields["reason"].help_text = f"{notified} {public}"


def _notified_in_words(competition: Competition) -> str:
    count = notifiable_players(competition).count()
    return ngettext("%(count)s participant is told.", "%(count)s participants are told.", count) % {"count": count}


def _preview_move_end(competition: Competition, typed: Typed) -> list[str]:
    ends_at = typed["ends_at"]
    lines = [
        _("The end moves from %(before)s to %(after)s.")
        % {
            "before": competition_time(competition, competition.ends_at, year=True),
            "after": competition_time(competition, ends_at, year=True),
        },
    ]
    freezes_at = replace(competition.timeline, ends_at=ends_at).freezes_at
    if freezes_at is not None and competition.frozen_at is None:
        lines.append(_("The standings freeze %(when)s.") % {"when": competition_time(competition, freezes_at)})
        if freezes_at <= competition.starts_at:
            lines.append(_("The freeze is then as long as the competition: nobody sees a ranking until you reveal it."))
    if competition.join_until is not None and competition.join_until > ends_at:
        lines.append(_("Joining ends with it."))
    if ends_at > competition.ends_at:
        lines.append(_("Scores are packed anew; every rank stays."))
    return [*lines, _notified_in_words(competition)]


def _preview_cancel(competition: Competition, _typed: Typed) -> list[str]:
    return [_("Nobody scores any more, and nothing is won. This can not be undone."), _notified_in_words(competition)]


def _preview_reveal(competition: Competition, _typed: Typed) -> list[str]:
    count = participants_count(competition)
    taking_part = ngettext("%(count)s player takes part.", "%(count)s players take part.", count) % {"count": count}
    if competition.is_provisional:
        return [
            taking_part,
            _("Everybody sees the ranking, as a provisional result. This can not be undone."),
            _("Rewards are granted once the result is final."),
        ]
    return [taking_part, _("Everybody sees the final ranking, and rewards are granted. This can not be undone.")]


def _is_active(competition: Competition) -> bool:
    return competition.published_at is not None and competition.cancelled_at is None and competition.final_at is None


ACTIONS = (
    Action(
        slug="publish",
        title=_lazy("Publish"),
        question=_lazy("Publish this competition?"),
        done=_lazy("Published."),
        run=lambda competition, _typed, at, by: publish(competition, at, by),
        offered=lambda competition, at: competition.phase(at) is Phase.DRAFT,
        preview=preview_publish,
    ),
    Action(
        slug="move-end",
        title=_lazy("Move the end"),
        question=_lazy("When shall it end instead, and why?"),
        done=_lazy("The end is moved."),
        run=lambda competition, typed, at, by: change_end(competition, typed["ends_at"], typed["reason"], at, by),
        offered=lambda competition, at: _is_active(competition) and at < competition.ends_at,
        preview=_preview_move_end,
        form=EndForm,
    ),
    Action(
        slug="reveal",
        title=_lazy("Reveal"),
        question=_lazy("Let everybody see the ranking?"),
        done=_lazy("Revealed."),
        run=lambda competition, _typed, at, by: reveal(competition, at, by),
        offered=lambda competition, at: competition.closed_at is not None and competition.is_hidden(at),
        preview=_preview_reveal,
    ),
    CONFIRM,
    ACCEPT_LATE,
    Action(
        slug="cancel",
        title=_lazy("Cancel"),
        question=_lazy("Why is it cancelled?"),
        done=_lazy("Cancelled."),
        run=lambda competition, typed, at, by: cancel(competition, typed["reason"], at, by),
        offered=lambda competition, _at: _is_active(competition),
        preview=_preview_cancel,
        form=CancelForm,
    ),
)
