"""Where a competition stands, in words: one name for a state on pages, in the admin's list and in its course."""

from django.utils.translation import pgettext

from competitions.core.lifecycle import Phase


def phase_word(phase: Phase) -> str:
    """Where a competition stands, as a label in the active language. The API has words of its own, which stay."""
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
