"""What a notice says, in the active language: one wording for the inbox and the e-mail.

Places are those of the notice's snapshot, never today's, so that what was held through a freeze tells nothing new.
"""

from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from competitions.models import Notice, NoticeKind
from leaderboards import formats


def subject(notice: Notice) -> str:
    """A line for a list or a mail's subject; never two lines, whatever the competition is called."""
    return " ".join(f"{notice.competition.name}: {_short(notice)}".split())


def sentences(notice: Notice, zone: str) -> list[str]:
    """All that it says, a sentence each; a summary says what it stands for, each with its time in ``zone``."""
    if notice.kind != NoticeKind.SUMMARY:
        return [_sentence(notice, zone)]
    merged = sorted(notice.merged.all(), key=lambda each: (each.created_at, each.pk))
    return [f"{formats.moment(each.created_at, zone)}: {_sentence(each, zone)}" for each in merged]


def _short(notice: Notice) -> str:
    return {
        NoticeKind.FIRST_TAKEN: pgettext("a notice", "you took first place"),
        NoticeKind.FIRST_LOST: pgettext("a notice", "you lost first place"),
        NoticeKind.TOP3_ENTERED: pgettext("a notice", "you entered the top 3"),
        NoticeKind.TOP10_ENTERED: pgettext("a notice", "you entered the top 10"),
        NoticeKind.EXTENDED: pgettext("a notice", "the end was moved"),
        NoticeKind.CANCELLED: pgettext("a notice", "cancelled"),
        NoticeKind.SUMMARY: pgettext("a notice", "what happened meanwhile"),
    }[NoticeKind(notice.kind)]


def _sentence(notice: Notice, zone: str) -> str:
    kind = NoticeKind(notice.kind)
    if kind is NoticeKind.EXTENDED:
        return _end_moved(notice, zone)
    if kind is NoticeKind.CANCELLED:
        return " ".join([_("The competition was cancelled."), _reason(notice)]).strip()
    if kind is NoticeKind.FIRST_LOST:
        return " ".join([_("You lost first place."), _now(notice)]).strip()
    if kind is NoticeKind.FIRST_TAKEN:
        return " ".join([_("You took first place."), _before(notice)]).strip()
    entered = _("You entered the top 3.") if kind is NoticeKind.TOP3_ENTERED else _("You entered the top 10.")
    return f"{entered} {_now(notice)} {_before(notice)}".strip()


def _now(notice: Notice) -> str:
    return "" if notice.rank is None else _("You were in place %(rank)d then.") % {"rank": notice.rank}


def _before(notice: Notice) -> str:
    if notice.previous_rank is None:
        return ""
    return _("Before, you were in place %(rank)d.") % {"rank": notice.previous_rank}


def _end_moved(notice: Notice, zone: str) -> str:
    ends_at = datetime.fromisoformat(notice.details["ends_at"])
    moved = _("The competition now ends on %(moment)s.") % {"moment": formats.moment(ends_at, zone)}
    return f"{moved} {_reason(notice)}".strip()


def _reason(notice: Notice) -> str:
    reason = notice.change.reason if notice.change else ""
    return _("Reason: %(reason)s") % {"reason": reason} if reason else ""
