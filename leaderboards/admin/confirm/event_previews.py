"""The port through which competitions add to admin pages: previews for scores of events, and links to disqualify.

The app registers with ``register_event_previews``; without it, both are empty.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from django.http import HttpRequest
from django.utils.safestring import SafeString

from leaderboards.models import Period, Submission


@dataclass(frozen=True, slots=True)
class EventPreview:
    """Sentences for the page, and a seal that identifies what they show; with "" the page needs no second look."""

    lines: tuple[str, ...] = ()
    seal: str = ""


ScorePreview = Callable[[HttpRequest, Sequence[Submission], bool], EventPreview]
DisqualificationLink = Callable[[HttpRequest, Period, Sequence[int]], SafeString | str]


@dataclass(slots=True)
class _Registered:
    of_scores: ScorePreview = field(default=lambda _request, _rows, _restored: EventPreview())
    disqualification_link: DisqualificationLink = field(default=lambda _request, _period, _players: "")


_registered = _Registered()


def register_event_previews(of_scores: ScorePreview, disqualification_link: DisqualificationLink) -> None:
    """Register the preview of voided or restored scores of events, and the link that disqualifies players (by internal
    number) from an event's period."""
    _registered.of_scores, _registered.disqualification_link = of_scores, disqualification_link


def preview_event_scores(request: HttpRequest, rows: Sequence[Submission], *, restored: bool) -> EventPreview:
    """Preview the effects in events, for this user."""
    return _registered.of_scores(request, rows, restored)


def disqualification_link(request: HttpRequest, period: Period, players: Sequence[int]) -> SafeString | str:
    """Return a link for users with the permission, else a sentence; empty if no app has registered."""
    return _registered.disqualification_link(request, period, players)
