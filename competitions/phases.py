"""Where a competition stands, in words: one name for a state on pages, in the admin's list and in its course."""

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from competitions.core.lifecycle import Phase
from leaderboards import formats


def phase_word(phase: Phase, revision: int = 1, *, is_outdated: bool = False) -> str:
    """Where a competition stands, as a label in the active language; of a final result that was revised, by which
    ``revision`` (from 1), and that another is made where the latest ``is_outdated``. The API has words of its own,
    which stay."""
    word = _word(phase)
    if phase is Phase.FINAL and is_outdated:
        return _("%(phase)s · being worked out again") % {"phase": word}
    if phase is not Phase.FINAL or revision <= 1:
        return word
    return _("%(phase)s · revision %(number)s") % {"phase": word, "number": formats.number(revision)}


def _word(phase: Phase) -> str:
    return {
        Phase.DRAFT: pgettext("a competition", "draft"),
        Phase.OPEN: pgettext("a competition", "coming"),
        Phase.RUNNING: pgettext("a competition", "running"),
        Phase.FROZEN: pgettext("a competition", "frozen"),
        Phase.CLOSING: pgettext("a competition", "being closed"),
        Phase.PROVISIONAL: pgettext("a competition", "provisional"),
        Phase.FINAL: pgettext("a competition", "final"),
        Phase.CANCELLED: pgettext("a competition", "cancelled"),
    }[phase]
