"""What starts, freezes, ends, closes and becomes final in the next eight days, with a column for each day.

Days are UTC days, as all times of the admin. A competition is a bar over its days. Each event is also written in the
column of its day, so the bars add nothing that is not in text.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from competitions.models import Competition
from competitions.selectors.results.review import review_until
from config.console.marks import Mark, marks_of
from leaderboards.core.hues import hue_of
from leaderboards.core.periods import PeriodKind, Window, latest_window, next_window
from leaderboards.errors import BadBoard, BadLabel
from leaderboards.models import Board

DAYS = 8
MOST_COMPETITIONS = 40
MOST_BARS = 8
MOST_BOARDS = 40
MOST_MARKS = 6
WITHOUT_ENDS = (PeriodKind.EVENT, PeriodKind.ALL_TIME)


@dataclass(frozen=True, slots=True)
class Moment:
    """A scheduled event of a competition, or the end of periods of the boards in ``marks`` and of ``more`` others."""

    at: datetime
    verb: str
    name: str = ""
    competition: int | None = None
    is_draft: bool = False
    marks: Sequence[Mark] = ()
    more: int = 0


@dataclass(frozen=True, slots=True)
class Day:
    """The column of a day."""

    day: date
    is_today: bool
    moments: list[Moment] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Course:
    """A competition's bar, from column ``first`` to ``last`` (1 to 8), and whether it continues beyond either edge."""

    competition: Competition
    first: int
    last: int
    begun: bool
    goes_on: bool
    is_draft: bool
    hue: str


@dataclass(frozen=True, slots=True)
class Coming:
    """The calendar. ``more_boards``: not all boards were read."""

    days: Sequence[Day]
    courses: Sequence[Course]
    more_boards: bool

    @property
    def is_empty(self) -> bool:
        """Whether nothing is scheduled."""
        return not self.courses and not any(day.moments for day in self.days)


def coming(at: datetime, *, competitions: bool, boards: bool) -> Coming:
    """Return the calendar; ``competitions`` and ``boards`` say which the reader may view."""
    today = timezone.localtime(at).date()
    days = {today + timedelta(days=nth): Day(today + timedelta(days=nth), nth == 0) for nth in range(DAYS)}
    until = timezone.make_aware(datetime.combine(today + timedelta(days=DAYS), datetime.min.time()))
    found = _competitions(at, until) if competitions else []
    for competition in found:
        for moment in _moments(competition):
            if at <= moment.at < until:
                days[timezone.localtime(moment.at).date()].moments.append(moment)
    listed = _boards(at) if boards else []
    marks = marks_of(listed)
    for ends_at, ending in _ends(listed[:MOST_BOARDS], at, until).items():
        shown = [marks[board.seq] for board in ending[:MOST_MARKS]]
        moment = Moment(ends_at, _("periods end:"), marks=shown, more=len(ending) - len(shown))
        days[timezone.localtime(ends_at).date()].moments.append(moment)
    for day in days.values():
        day.moments.sort(key=lambda each: (each.at, each.name))
    return Coming(list(days.values()), _courses(found, today, until), len(listed) > MOST_BOARDS)


def _competitions(at: datetime, until: datetime) -> list[Competition]:
    """Return the competitions that are not over; their number does not grow with the past."""
    rows = Competition.objects.filter(final_at=None, cancelled_at=None, starts_at__lt=until)
    alive = Q(ends_at__gt=at) | Q(closed_at__isnull=False)
    return list(rows.filter(alive).defer("picture", "description").order_by("starts_at", "pk")[:MOST_COMPETITIONS])


def _moments(competition: Competition) -> Iterator[Moment]:
    course = competition.timeline
    is_draft = course.published_at is None
    times = [
        (course.starts_at, _("starts")),
        (competition.join_until, _("joining closes")),
        (course.freezes_at if course.frozen_at is None else None, _("freezes")),
        (course.ends_at, _("ends")),
        (review_until(competition), _("becomes final")),
    ]
    for at, verb in times:
        if at is not None:
            yield Moment(at, verb, competition.name, competition.pk, is_draft)


def _courses(found: Sequence[Competition], today: date, until: datetime) -> list[Course]:
    """Return the bars, sorted by start."""
    last_day = (timezone.localtime(until) - timedelta(days=1)).date()
    courses = []
    for competition in found:
        starts, ends = (timezone.localtime(each).date() for each in (competition.starts_at, competition.ends_at))
        if ends < today:
            continue
        first, last = (max(starts, today) - today).days + 1, (min(ends, last_day) - today).days + 1
        is_draft, hue = competition.published_at is None, hue_of(competition.board_id, competition.board.hue)
        courses.append(Course(competition, first, last, starts < today, ends > last_day, is_draft, hue))
    return courses[:MOST_BARS]


def _boards(at: datetime) -> list[Board]:
    used = Board.objects.filter(Q(retired_at=None) | Q(retired_at__gt=at)).exclude(period__in=WITHOUT_ENDS)
    return list(used.order_by("seq")[: MOST_BOARDS + 1])


def _ends(boards: Sequence[Board], at: datetime, until: datetime) -> dict[datetime, list[Board]]:
    found: dict[datetime, list[Board]] = defaultdict(list)
    for board in boards:
        for window in _windows(board, at):
            if window.ends_at is None or window.ends_at >= until:
                break
            found[window.ends_at].append(board)
    return found


def _windows(board: Board, at: datetime) -> Iterator[Window]:
    """Yield the running window, if there is one, and those after it; none if the board's settings are invalid."""
    try:
        window = latest_window(board.calendar, at)
        while True:
            if window.ends_at is None or window.ends_at > at:
                yield window
            window = next_window(board.calendar, window)
    except (BadBoard, BadLabel):
        return
