"""What an act over a competition is, and the forms that acts ask with."""

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
    """Nothing to type; a field more where there is."""

    def __init__(self, competition: Competition, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.competition = competition


class ReasonForm(ActForm):
    """Why: the participants read it."""

    reason = forms.CharField(
        label=_lazy("Reason"),
        max_length=LONGEST_REASON,
        help_text=_lazy("Participants are told, in these words."),
        widget=forms.Textarea(attrs={"rows": 3, "cols": 60}),
    )


@dataclass(frozen=True, slots=True)
class Action:
    """``run`` raises what the service refuses; ``preview`` says in lines what would change.

    With ``at_once`` the preview hangs on nothing that is typed: it stands beside the fields, and one post does it. With
    ``is_sealed`` it stays as it is while nobody acts: then it is done only if it was shown as it is now, or if the same
    form did it before (``was_sent``).
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
