"""Preview a board's settings in its form: the Redis key, the next boundaries, the layout, the rules.

The form shows it when it is loaded, and updates it while the user types. Invalid settings are part of the preview.
"""

from copy import copy
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from django.forms import BaseForm
from django.utils.dateformat import format as spell
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from foundation.translate import translated
from leaderboards.admin.wording.descriptions import on_the_boards_clock, rules_in_words
from leaderboards.admin.wording.form_labels import label_of, with_labels
from leaderboards.admin.wording.packing import Packing, packing_in_words
from leaderboards.core import keys
from leaderboards.core.periods import PeriodKind, Window, next_window, window_at
from leaderboards.core.ranking.board_settings import board_calendar, board_rules, sample_layout
from leaderboards.core.schedule_changes import past_schedules
from leaderboards.errors import BadBoard, BadLabel
from leaderboards.models import Board
from leaderboards.selectors.catalog.periods import coming_windows

BOUNDARIES = 5
WINDOWS = 10
NEW = "…"  # stands for the number that SQL will give


@dataclass(frozen=True, slots=True)
class Boundary:
    """The time at which one period ends and the next begins."""

    label: str
    local: str
    utc: str


@dataclass(frozen=True, slots=True)
class WindowLine:
    """A window of a schedule, with its start and end on the board's clock."""

    label: str
    opens: str
    closes: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """The label of an invalid setting, and what would be valid."""

    label: str
    detail: str


@dataclass(slots=True)
class Preview:
    """The preview; parts that cannot be computed from the settings are empty."""

    key: str = ""
    boundaries: list[Boundary] = field(default_factory=list)
    windows: list[WindowLine] = field(default_factory=list)
    packing: Packing | None = None
    layout: str = ""
    rules: str = ""
    endless: str = ""
    refusals: list[Refusal] = field(default_factory=list)


def preview_of(board: Board, at: datetime, form: BaseForm) -> Preview:
    """Preview the settings of ``board``, and the errors of its form but those of the name: a preview needs none."""
    preview = Preview()
    for setting, details in form.errors.items():
        if setting != "name":
            preview.refusals += [Refusal(label_of(setting, form), str(detail)) for detail in details]
    for fill in (_fill_periods, _fill_rules):
        try:
            fill(preview, board, at)
        except BadBoard as error:
            detail = with_labels(translated(error.detail), form)
            if detail not in [refusal.detail for refusal in preview.refusals]:
                preview.refusals.append(Refusal(label_of(error.field, form), detail))
    if preview.packing:
        preview.packing = replace(preview.packing, text=with_labels(preview.packing.text, form))
    return preview


def _fill_periods(preview: Preview, board: Board, at: datetime) -> None:
    calendar = board_calendar(board)
    if calendar.kind is PeriodKind.EVENT:
        preview.key = _key(board, "c<competition>")
        preview.endless = _("Its periods are its competitions, each with a start and an end of its own.")
        return
    if calendar.kind is PeriodKind.SCHEDULE:
        _fill_windows(preview, board, at)
        return
    running = window_at(calendar, at)
    preview.key = _key(board, running.label)
    if calendar.kind is PeriodKind.ALL_TIME:
        preview.endless = _("It has one period, which never ends.")
        return
    window = running
    for _each in range(BOUNDARIES):
        try:
            window = next_window(calendar, window)
        except BadLabel:
            break
        preview.boundaries.append(_boundary(board, window, at))


def _fill_windows(preview: Preview, board: Board, at: datetime) -> None:
    """Fill in the open window and the next ones, as they will be once the board is saved."""
    stored = Board.objects.filter(pk=board.pk).first() if board.pk else None
    changed = copy(board)
    if stored and stored.periods.exists():
        changed.past_schedules = past_schedules(board, stored, at)
    coming = coming_windows(changed, at, WINDOWS)
    preview.key = _key(board, coming[0].label) if coming else ""
    preview.windows = [
        WindowLine(each.label, on_the_boards_clock(each.starts_at, board), on_the_boards_clock(each.ends_at, board))
        for each in coming
        if each.starts_at and each.ends_at
    ]


def _fill_rules(preview: Preview, board: Board, _at: datetime) -> None:
    preview.rules = rules_in_words(board, board_rules(board))
    preview.packing = packing_in_words(board)
    preview.layout = translated(sample_layout(board).describe())


def _key(board: Board, label: str) -> str:
    return keys.zset(board.seq, label) if board.seq else keys.zset(0, label).replace("_0_", f"_{NEW}_", 1)


def _boundary(board: Board, window: Window, now: datetime) -> Boundary:
    """Format a boundary, with the year if it is not the present one."""
    at = window.starts_at or now
    shape = pgettext("date format", "D j M H:i") if at.year == now.year else pgettext("date format", "D j M Y H:i")
    utc = spell(at.astimezone(UTC), shape)
    return Boundary(window.label, on_the_boards_clock(at, board, year=at.year != now.year), utc)
