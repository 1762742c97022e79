"""What starts, freezes, ends, closes and becomes final in the next eight days: a column for each day.

Days are UTC's, as all times of the admin are. A competition's course is a bar over its days; each moment stands in
words in the column of its day, so that nobody needs the bars.
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
from leaderboards.core.periods import PeriodKind, Window, next_window, window_at
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
    """Something that happens by itself: to the competition of this number, or else to periods of the boards that are
    marked, and of ``more``."""

    at: datetime
    verb: str
    name: str = ""
    competition: int | None = None
    is_draft: bool = False
    marks: Sequence[Mark] = ()
    more: int = 0


@dataclass(frozen=True, slots=True)
class Day:
    """A column."""

    day: date
    is_today: bool
    moments: list[Moment] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Course:
    """A competition's bar, from column to column (1 to 8), and whether it goes on beyond either edge."""

    competition: Competition
    first: int
    last: int
    begun: bool
    goes_on: bool
    is_draft: bool
    hue: str


@dataclass(frozen=True, slots=True)
class Coming:
    """All of it. ``left_out`` is how many boards were not looked at."""

    days: Sequence[Day]
    courses: Sequence[Course]
    more_boards: bool

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all comes."""
        return not self.courses and not any(day.moments for day in self.days)


def coming(at: datetime, *, competitions: bool, boards: bool) -> Coming:
    """What comes; competitions and boards each for who may look at them."""
    today = timezone.localtime(at).date()
    days = {today + timedelta(days=nth): Day(today + timedelta(days=nth), nth == 0) for nth in range(DAYS)}
    until = timezone.make_aware(datetime.combine(today + timedelta(days=DAYS), datetime.min.time()))
    found = _competitions(at, until) if competitions else []
    for competition in found:
        for moment in _moments(competition):
            if at <= moment.at < until:
                days[timezone.localtime(moment.at).date()].moments.append(moment)
    asked = _boards(at) if boards else []
    marks = marks_of(asked)
    for ends_at, ending in _ends(asked[:MOST_BOARDS], at, until).items():
        shown = [marks[board.seq] for board in ending[:MOST_MARKS]]
        moment = Moment(ends_at, _("periods end:"), marks=shown, more=len(ending) - len(shown))
        days[timezone.localtime(ends_at).date()].moments.append(moment)
    for day in days.values():
        day.moments.sort(key=lambda each: (each.at, each.name))
    return Coming(list(days.values()), _courses(found, today, until), len(asked) > MOST_BOARDS)


def _competitions(at: datetime, until: datetime) -> list[Competition]:
    """Those that are not over: few, whatever the past holds."""
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
    """The bars, the first to start first."""
    last_day = (timezone.localtime(until) - timedelta(days=1)).date()
    courses = []
    for competition in found:
        starts, ends = (timezone.localtime(each).date() for each in (competition.starts_at, competition.ends_at))
        if ends < today:
            continue
        first, last = (max(starts, today) - today).days + 1, (min(ends, last_day) - today).days + 1
        is_draft, hue = competition.published_at is None, hue_of(competition.board_id)
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
    """The running window and those after it; none of settings that cannot work any more."""
    try:
        window = window_at(board.calendar, at)
        while True:
            yield window
            window = next_window(board.calendar, window)
    except (BadBoard, BadLabel):
        return
