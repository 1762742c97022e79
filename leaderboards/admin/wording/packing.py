"""How a board's scores are packed, for people who set it up: what fits, how ties are told, or what to do."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from foundation.translate import translated
from leaderboards import formats
from leaderboards.core.input.points import points_number
from leaderboards.core.packing.layout import PATTERN_BITS, Layout
from leaderboards.core.packing.slots import total_bits, value_slots
from leaderboards.core.ranking.board_settings import board_rules, longest_window, sample_layout
from leaderboards.core.ranking.rules import Rules, Ties, Update
from leaderboards.errors import BadBoard
from leaderboards.models import Board


@dataclass(frozen=True, slots=True)
class Packing:
    """The verdict in one sentence, and whether the settings fit."""

    text: str
    fits: bool


def packing_in_words(board: Board) -> Packing:
    """Describe what a score of the board holds. Raises ``BadBoard`` if there are no rules or no windows to describe."""
    rules = board_rules(board)
    longest_window(board)  # what is wrong with a calendar is not told as a matter of size
    held = _held(board, rules)
    try:
        layout = sample_layout(board)
    except BadBoard as error:
        why = _too_wide(rules) or translated(error.detail)
        return Packing(_("%(held)s: does not fit: %(why)s") % {"held": held, "why": why}, fits=False)
    words = {"held": held, "ties": _ties(rules, layout)}
    if layout.in_member:
        text = _("%(held)s; %(ties)s. It fits; the rest stands beside the score, which takes somewhat more memory.")
        return Packing(text % words, fits=True)
    return Packing(_("%(held)s; %(ties)s. It fits.") % words, fits=True)


def spelled(board: Board, rules: Rules, scaled: int) -> str:
    """Format scaled points with the board's unit: 3,600,000 milliseconds are 1:00:00.000."""
    return formats.points_with_unit(board, points_number(scaled, rules.decimals))


def _held(board: Board, rules: Rules) -> str:
    if rules.of_points:
        most = spelled(board, rules, rules.total_maximum if rules.update is Update.INCREMENT else rules.maximum)
        if rules.minimum < 0:
            return _("From %(least)s to %(most)s") % {"least": spelled(board, rules, rules.minimum), "most": most}
        return _("Up to %(most)s") % {"most": most}
    parts = [
        _("%(name)s up to %(most)s") % {"name": formats.field_name(each.name), "most": formats.number(each.maximum)}
        for each in rules.fields
    ]
    return ", ".join(parts)


def _ties(rules: Rules, layout: Layout) -> str:
    slot = layout.time_slot
    unit = (
        pgettext("a resolution", "second") if slot and slot.unit_ms == 1000 else pgettext("a resolution", "millisecond")
    )
    if rules.achieved_at:
        return _("the time of achieving counts, to the %(unit)s") % {"unit": unit}
    if rules.ties is Ties.SHARED:
        return _("equals share a rank (1 1 3)")
    if rules.ties is Ties.DENSE:
        return _("equals share a rank without gaps (1 1 2)")
    return _("ties by time, to the %(unit)s") % {"unit": unit}


def _too_wide(rules: Rules) -> str:
    """Say by how much criteria that have to be in the score are too large; empty if something else is wrong."""
    over = total_bits(value_slots(rules)) - PATTERN_BITS
    if rules.of_points or over <= 0:
        return ""
    times = {"times": formats.number(2**over) if over < 30 else f"2^{over}"}
    if rules.ties.by_time:
        advice = _("Lower them, or leave “tie break” to Sunwi.")
    else:
        advice = _("Lower them, or let time break ties.")
    why = _("the greatest values, multiplied, are %(times)s times too large for one score.") % times
    return f"{why} {advice}"
