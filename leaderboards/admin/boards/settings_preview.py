"""What a board's settings would mean, before they are saved: the key, the boundaries, the layout, the rules.

The same value stands on the form when it is loaded and follows it as one types. Settings that cannot work
are part of the preview, not an error of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from django.utils.dateformat import format as spell
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from leaderboards.admin.wording.descriptions import on_the_boards_clock, rules_in_words
from leaderboards.core import keys
from leaderboards.core.periods import PeriodKind, Window, next_window, window_at
from leaderboards.core.ranking.board_settings import board_calendar, board_rules, sample_layout
from leaderboards.errors import BadBoard, BadLabel
from leaderboards.models import Board
from leaderboards.refusals import translated

BOUNDARIES = 5
NEW = "…"  # stands for the number that SQL will give


@dataclass(frozen=True, slots=True)
class Boundary:
    """Where one period ends and the next begins."""

    label: str
    local: str
    utc: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """What cannot work, and what would."""

    setting: str
    detail: str


@dataclass(slots=True)
class Preview:
    """All of it; what cannot be told yet is empty."""

    key: str = ""
    boundaries: list[Boundary] = field(default_factory=list)
    layout: str = ""
    rules: str = ""
    endless: str = ""
    refusals: list[Refusal] = field(default_factory=list)


def preview_of(board: Board, at: datetime, errors: Mapping[str, Sequence[str]] | None = None) -> Preview:
    """The preview of settings as they stand in ``board``; ``errors`` are the form's own, by setting."""
    preview = Preview()
    for setting, details in (errors or {}).items():
        preview.refusals += [Refusal(setting, detail) for detail in details]
    for fill in (_fill_periods, _fill_rules):
        try:
            fill(preview, board, at)
        except BadBoard as error:
            detail = translated(error.detail)
            if detail not in [refusal.detail for refusal in preview.refusals]:
                preview.refusals.append(Refusal(error.field, detail))
    return preview


def _fill_periods(preview: Preview, board: Board, at: datetime) -> None:
    calendar = board_calendar(board)
    if calendar.kind is PeriodKind.EVENT:
        preview.key = _key(board, "c<competition>")
        preview.endless = _("Its periods are its competitions, each with a start and an end of its own.")
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


def _fill_rules(preview: Preview, board: Board, _at: datetime) -> None:
    preview.rules = rules_in_words(board, board_rules(board))
    preview.layout = sample_layout(board).describe()


def _key(board: Board, label: str) -> str:
    return keys.zset(board.seq, label) if board.seq else keys.zset(0, label).replace("_0_", f"_{NEW}_", 1)


def _boundary(board: Board, window: Window, now: datetime) -> Boundary:
    """The year is said where it is another one."""
    at = window.starts_at or now
    shape = pgettext("date format", "D j M H:i") if at.year == now.year else pgettext("date format", "D j M Y H:i")
    utc = spell(at.astimezone(UTC), shape)
    return Boundary(window.label, on_the_boards_clock(at, board, year=at.year != now.year), utc)
