"""Labels for the phases of a competition, used by the pages, the admin's list and the timeline."""

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from competitions.core.lifecycle import Phase
from leaderboards import formats


def phase_word(phase: Phase, revision: int = 1, *, is_outdated: bool = False) -> str:
    """Return the label of a phase in the active language.

    For a final result it names the ``revision`` (from 1) if it was revised, or says that the next revision is being
    made if the latest one ``is_outdated``. The API has its own, stable words.
    """
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
