"""The port to what an app above says of voiding or restoring scores of its events, and of who disqualifies there.

The app registers with ``provide``; until then nothing is said.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from django.http import HttpRequest
from django.utils.safestring import SafeString

from leaderboards.models import Period, Submission


@dataclass(frozen=True, slots=True)
class EventLook:
    """Sentences, and a text that says what was shown; without one nothing has to be seen again."""

    lines: tuple[str, ...] = ()
    seal: str = ""


OfScores = Callable[[HttpRequest, Sequence[Submission], bool], EventLook]
WhoHides = Callable[[HttpRequest, Period, Sequence[int]], SafeString | str]


@dataclass(slots=True)
class _Provided:
    of_scores: OfScores = field(default=lambda _request, _rows, _restored: EventLook())
    who_hides: WhoHides = field(default=lambda _request, _period, _players: "")


_provided = _Provided()


def provide(of_scores: OfScores, who_hides: WhoHides) -> None:
    """Let an app above say what comes of scores that are voided, or restored, in its events; and where, or by whom,
    players (by internal number) are taken out of the period of an event."""
    _provided.of_scores, _provided.who_hides = of_scores, who_hides


def look_at_scores(request: HttpRequest, rows: Sequence[Submission], *, restored: bool) -> EventLook:
    """What it comes to in events, for this reader."""
    return _provided.of_scores(request, rows, restored)


def who_hides(request: HttpRequest, period: Period, players: Sequence[int]) -> SafeString | str:
    """A way there for whoever may, else words; empty where nothing is known."""
    return _provided.who_hides(request, period, players)
