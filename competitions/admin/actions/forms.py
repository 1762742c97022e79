"""The definition of an action on a competition, and the base forms of actions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.contrib.auth.models import AbstractBaseUser
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _lazy

from competitions.models import Competition
from foundation.reasons import LONGEST_REASON

Typed = Mapping[str, Any]


class ActForm(forms.Form):
    """The form of an action without fields; subclasses add some."""

    def __init__(self, competition: Competition, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.competition = competition


class ReasonForm(ActForm):
    """A form with a reason, which the participants read."""

    reason = forms.CharField(
        label=_lazy("Reason"),
        max_length=LONGEST_REASON,
        help_text=_lazy("Participants are told, in these words."),
        widget=forms.Textarea(attrs={"rows": 3, "cols": 60}),
    )


@dataclass(frozen=True, slots=True)
class Action:
    """An action on a competition. ``run`` raises the service's errors; ``preview`` returns lines on what would change.

    With ``at_once`` the preview does not depend on the form's fields: it is shown beside them, and one post runs the
    action. With ``is_sealed`` the preview only changes if somebody acts: the action runs only if the present preview
    was shown, or if the same form has run it before (``was_sent``).
    """

    slug: str
    title: str | Promise
    question: str | Promise
    done: str | Promise
    run: Callable[[Competition, Typed, datetime, AbstractBaseUser], object]
    offered: Callable[[Competition, datetime], bool]
    preview: Callable[[Competition, Typed], list[str]]
    form: type[ActForm] = ActForm
    at_once: bool = False
    is_sealed: bool = False
    was_sent: Callable[[Competition, Typed], bool] = lambda _competition, _typed: False
