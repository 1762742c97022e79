"""The port to what an app above says of voiding or restoring scores of its events, and of who disqualifies there.

The app registers with ``register_event_previews``; until then nothing is said.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from django.http import HttpRequest
from django.utils.safestring import SafeString

from leaderboards.models import Period, Submission


@dataclass(frozen=True, slots=True)
class EventPreview:
    """Sentences, and a text that says what was shown; without one nothing has to be seen again."""

    lines: tuple[str, ...] = ()
    seal: str = ""


ScorePreview = Callable[[HttpRequest, Sequence[Submission], bool], EventPreview]
DisqualificationLink = Callable[[HttpRequest, Period, Sequence[int]], SafeString | str]


@dataclass(slots=True)
class _Provided:
    of_scores: ScorePreview = field(default=lambda _request, _rows, _restored: EventPreview())
    disqualification_link: DisqualificationLink = field(default=lambda _request, _period, _players: "")


_provided = _Provided()


def register_event_previews(of_scores: ScorePreview, disqualification_link: DisqualificationLink) -> None:
    """Let an app above say what comes of scores that are voided, or restored, in its events; and where, or by whom,
    players (by internal number) are taken out of the period of an event."""
    _provided.of_scores, _provided.disqualification_link = of_scores, disqualification_link


def preview_event_scores(request: HttpRequest, rows: Sequence[Submission], *, restored: bool) -> EventPreview:
    """What it comes to in events, for this reader."""
    return _provided.of_scores(request, rows, restored)


def disqualification_link(request: HttpRequest, period: Period, players: Sequence[int]) -> SafeString | str:
    """A way there for whoever may, else words; empty where nothing is known."""
    return _provided.disqualification_link(request, period, players)
