"""Codes of refused scores as words, for the tile of refusals; a code without words is shown as it is."""

from collections.abc import Callable

from django.utils.translation import gettext as _

_WORDS: dict[str, Callable[[], str]] = {
    "unavailable": lambda: _("a server was away"),
    "outcome_unknown": lambda: _("no answer in time"),
    "unauthenticated": lambda: _("no valid key"),
    "forbidden": lambda: _("not allowed to the key"),
    "rate_limited": lambda: _("too many requests"),
    "unknown_board": lambda: _("no such board"),
    "board_reserved": lambda: _("the board is for its competitions"),
    "period_closed": lambda: _("the period is over"),
    "not_started": lambda: _("not begun yet"),
    "not_joined": lambda: _("not joined"),
    "too_many_attempts": lambda: _("too many attempts"),
    "in_the_future": lambda: _("a time in the future"),
    "banned": lambda: _("banned players"),
    "implausible": lambda: _("implausible scores"),
    "id_reused": lambda: _("ids used for something else"),
    "bad_entry": lambda: _("entries of the wrong form"),
    "bad_points": lambda: _("points out of bounds"),
    "bad_player": lambda: _("invalid names of players"),
    "bad_time": lambda: _("invalid times"),
    "bad_id": lambda: _("invalid ids"),
}


def describe_refusal(code: str) -> str:
    """The words for a code, in the reader's language."""
    words = _WORDS.get(code)
    return words() if words else code
