"""The text of a notice in the active language, the same in the inbox and the e-mail. Every time names its zone.

Places are those of the notice's snapshot, never current ones, so a notice that was deferred through a freeze reveals
nothing.
"""

from datetime import datetime
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from competitions.models import Notice, NoticeKind
from leaderboards import formats

# The reason of a revision that the schedule publishes. It does not say why a player was hidden: by their own wish, a
# ban, or a shadow ban.
EXCLUSIONS_CHANGED = "Who is shown in the result has changed."
BANNED_OR_LET_IN = "A player was banned, or let in again."  # the former wording, in stored revisions
EXCLUSION_REASONS = (EXCLUSIONS_CHANGED, BANNED_OR_LET_IN)
# Why a reward changed though no place moved. The reason of the action itself is shown only to the player it is about.
OTHER_REWARD_MOVED = "Somebody else's reward was taken back or given back, so each reward behind it has moved."
# The same if several actions together changed the reward.
SEVERAL_CHANGES = "Several changes came together, and each reward follows the result as it is now."
MOST_SCORES = 10  # the most scores that one notice lists


def subject(notice: Notice) -> str:
    """Return a single line for a list or the subject of an e-mail, whatever the competition's name holds."""
    return " ".join(f"{notice.competition.name}: {short(notice)}".split())


def sentences(notice: Notice, zone: str) -> list[str]:
    """Return the sentences of a notice; a summary lists the merged notices, each with its time in ``zone``."""
    if notice.kind != NoticeKind.SUMMARY:
        return [_sentence(notice, zone)]
    merged = sorted(notice.merged.all(), key=lambda each: (each.created_at, each.pk))
    return [f"{zoned(each.created_at, zone, notice.created_at)}: {_sentence(each, zone)}" for each in merged]


def reason_shown(reason: str) -> str:
    """Return a published reason: as typed by staff, or translated if the schedule wrote it."""
    if reason in EXCLUSION_REASONS:
        return _("Who is shown in the result has changed.")
    if reason == OTHER_REWARD_MOVED:
        return _("Somebody else's reward was taken back or given back, so each reward behind it has moved.")
    if reason == SEVERAL_CHANGES:
        return _("Several changes came together, and each reward follows the result as it is now.")
    return reason


def zoned(at: datetime, zone: str, now: datetime, *, seconds: bool = False) -> str:
    """Return a time in ``zone`` with the zone's name, such as Fri 20 Nov, 14:03 (Asia/Seoul).

    It has the year if that differs from the year of ``now``, and seconds if asked for.
    """
    return zoned_pattern() % {"moment": formats.date_and_time(at, zone, now, seconds=seconds), "zone": zone}


def zoned_pattern() -> str:
    """Return the pattern of a time (``moment``) with the name of its ``zone``."""
    return pgettext("a time and its zone", "%(moment)s (%(zone)s)")


def times_in(notice: Notice) -> list[datetime]:
    """Return the times that the sentences of a notice name."""
    if notice.kind != NoticeKind.SUMMARY:
        return [_new_end(notice)] if notice.kind in (NoticeKind.EXTENDED, NoticeKind.STARTED) else []
    merged = list(notice.merged.all())
    return [*(each.created_at for each in merged), *(at for each in merged for at in times_in(each))]


def short(notice: Notice) -> str:
    """Return what happened in a few words, without the name of the competition."""
    return {
        NoticeKind.FIRST_TAKEN: pgettext("a notice", "you took first place"),
        NoticeKind.FIRST_LOST: pgettext("a notice", "you lost first place"),
        NoticeKind.TOP3_ENTERED: pgettext("a notice", "you entered the top 3"),
        NoticeKind.TOP10_ENTERED: pgettext("a notice", "you entered the top 10"),
        NoticeKind.EXTENDED: pgettext("a notice", "the end was moved"),
        NoticeKind.CANCELLED: pgettext("a notice", "cancelled"),
        NoticeKind.REMOVED: pgettext("a notice", "you were removed"),
        NoticeKind.DISQUALIFIED: pgettext("a notice", "you were disqualified"),
        NoticeKind.REINSTATED: pgettext("a notice", "you were reinstated"),
        NoticeKind.BROUGHT_BACK: pgettext("a notice", "you were brought back"),
        NoticeKind.SCORE_VOIDED: pgettext("a notice", "a score of yours does not count any more"),
        NoticeKind.SCORE_RESTORED: pgettext("a notice", "a score of yours counts again"),
        NoticeKind.SCORE_ACCEPTED: pgettext("a notice", "a late score of yours counts"),
        NoticeKind.RESULT: pgettext("a notice", "your final place"),
        NoticeKind.RESULT_CHANGED: pgettext("a notice", "your final place has changed"),
        NoticeKind.REWARDED: pgettext("a notice", "you won a reward"),
        NoticeKind.REWARD_REVOKED: pgettext("a notice", "a reward was taken back"),
        NoticeKind.REWARD_CHANGED: pgettext("a notice", "you have another reward now"),
        NoticeKind.STARTED: pgettext("a notice", "it has started"),
        NoticeKind.SUMMARY: pgettext("a notice", "what happened meanwhile"),
    }[NoticeKind(notice.kind)]


def _sentence(notice: Notice, zone: str) -> str:
    kind = NoticeKind(notice.kind)
    parts = {
        NoticeKind.FIRST_TAKEN: lambda: [_("You took first place."), _before(notice)],
        NoticeKind.FIRST_LOST: lambda: [_("You lost first place."), _now(notice)],
        NoticeKind.TOP3_ENTERED: lambda: [_("You entered the top 3."), _now(notice), _before(notice)],
        NoticeKind.TOP10_ENTERED: lambda: [_("You entered the top 10."), _now(notice), _before(notice)],
        NoticeKind.EXTENDED: lambda: [_end_moved(notice, zone), _reason(notice)],
        NoticeKind.CANCELLED: lambda: [_("The competition was cancelled."), _reason(notice)],
        NoticeKind.REMOVED: lambda: [_("You were removed from the competition with your scores."), _reason(notice)],
        NoticeKind.DISQUALIFIED: lambda: [
            _("You were disqualified: you are not in the ranking and win nothing."),
            _reason(notice),
        ],
        NoticeKind.REINSTATED: lambda: [_reinstated(notice), _reason(notice)],
        NoticeKind.BROUGHT_BACK: lambda: [_back(notice), _reason(notice)],
        NoticeKind.SCORE_VOIDED: lambda: [*_judged(notice), _reason(notice)],
        NoticeKind.SCORE_RESTORED: lambda: [*_judged(notice), _reason(notice)],
        NoticeKind.SCORE_ACCEPTED: lambda: [*_judged(notice), _reason(notice)],
        NoticeKind.RESULT: lambda: [_final_place(notice)],
        NoticeKind.RESULT_CHANGED: lambda: [_changed_place(notice), _reason(notice)],
        NoticeKind.REWARDED: lambda: [_won(notice)],
        NoticeKind.REWARD_REVOKED: lambda: [_lost(notice), _reason(notice)],
        NoticeKind.REWARD_CHANGED: lambda: [_swapped(notice), _reason(notice)],
        NoticeKind.STARTED: lambda: [_started(notice, zone)],
    }[kind]()
    return " ".join(each for each in parts if each)


def _reinstated(notice: Notice) -> str:
    """A reinstated player who has left since does not take part (``services/participants/disqualify.py``)."""
    if "left_at" in _of_change(notice):
        return _("Your disqualification was lifted. You do not take part: you have left, or were removed.")
    return _("You take part again, and your scores count.")


def _back(notice: Notice) -> str:
    """A player who is brought back may still be disqualified, and has no scores on a board that keeps none
    (``services/participants/bring_back.py``)."""
    details = _of_change(notice)
    if "disqualified_at" in details:
        still_disqualified = _(
            "You were brought back, but your disqualification stands: you are not in the ranking and win nothing."
        )
        if "scores" in details:
            return still_disqualified
        return " ".join((still_disqualified, _("Your scores of before were not kept.")))
    if "scores" in details:
        return _("You take part again, and your scores count.")
    return _("You take part again. Your scores of before were not kept.")


def _judged(notice: Notice) -> list[str]:
    """Name the judged scores but no place, which may be hidden. Merged notices make one sentence."""
    notices = [notice, *sorted(notice.merged.all(), key=lambda each: each.pk)]
    # A score that is voided, restored and voided again is listed once. Late scores have no submission id.
    by_submission = {_of_change(each).get("submission", f"late {each.pk}"): _score(each) for each in notices}
    scores = list(by_submission.values())
    patterns = {
        NoticeKind.SCORE_VOIDED: ngettext(
            "%(number)s score of yours does not count any more: %(scores)s.",
            "%(number)s scores of yours do not count any more: %(scores)s.",
            len(scores),
        ),
        NoticeKind.SCORE_RESTORED: ngettext(
            "%(number)s score of yours counts again: %(scores)s.",
            "%(number)s scores of yours count again: %(scores)s.",
            len(scores),
        ),
        NoticeKind.SCORE_ACCEPTED: ngettext(
            "%(number)s score of yours that came too late counts all the same: %(scores)s.",
            "%(number)s scores of yours that came too late count all the same: %(scores)s.",
            len(scores),
        ),
    }
    words = {"number": formats.number(len(scores)), "scores": "; ".join(scores[:MOST_SCORES])}
    more = len(scores) - MOST_SCORES
    sentence = patterns[NoticeKind(notice.kind)] % words
    return [sentence, _("And %(count)s more.") % {"count": formats.number(more)}] if more > 0 else [sentence]


def _score(notice: Notice) -> str:
    """Return the score with the board's unit."""
    text, board = str(_of_change(notice).get("score", "")), notice.competition.board
    return text if board.criteria or not text else formats.points_with_unit(board, Decimal(text))


def _of_change(notice: Notice) -> dict[str, Any]:
    return notice.change.details if notice.change is not None else {}


def _now(notice: Notice) -> str:
    return "" if notice.rank is None else _("You were in place %(rank)d then.") % {"rank": notice.rank}


def _before(notice: Notice) -> str:
    if notice.previous_rank is None:
        return ""
    return _("Before, you were in place %(rank)d.") % {"rank": notice.previous_rank}


def _end_moved(notice: Notice, zone: str) -> str:
    seconds = notice.competition.timeline.is_short
    moment = zoned(_new_end(notice), zone, notice.created_at, seconds=seconds)
    return _("The competition now ends on %(moment)s.") % {"moment": moment}


def _started(notice: Notice, zone: str) -> str:
    seconds = notice.competition.timeline.is_short
    moment = zoned(_new_end(notice), zone, notice.created_at, seconds=seconds)
    return _("The competition has started. It ends on %(moment)s.") % {"moment": moment}


def _new_end(notice: Notice) -> datetime:
    return datetime.fromisoformat(notice.details["ends_at"])


def _place(notice: Notice) -> str:
    """The final place, with the sign of equals before one that is shared."""
    return f"{'=' if notice.details.get('shared') else ''}{formats.number(notice.rank or 0)}"


def _final_place(notice: Notice) -> str:
    words = _("The result is final: you are in place %(rank)s of %(total)s.")
    return words % {"rank": _place(notice), "total": formats.number(notice.details["total"])}


def _changed_place(notice: Notice) -> str:
    now = None if notice.rank is None else _place(notice)
    before = None if notice.previous_rank is None else formats.number(notice.previous_rank)
    if now is None:
        return _("The result has changed: you have no place any more. Before, it was place %(before)s.") % {
            "before": before
        }
    if before is None:
        return _("The result has changed: you are in place %(rank)s now. Before, you had none.") % {"rank": now}
    words = _("The result has changed: you are in place %(rank)s now. Before, it was place %(before)s.")
    return words % {"rank": now, "before": before}


def _won(notice: Notice) -> str:
    reward = notice.grant.name if notice.grant else ""
    return _("You won “%(reward)s”, in place %(rank)s.") % {
        "reward": reward,
        "rank": formats.number(notice.rank or 0),
    }


def _lost(notice: Notice) -> str:
    reward = notice.grant.name if notice.grant else ""
    return _("The reward “%(reward)s” was taken back.") % {"reward": reward}


def _swapped(notice: Notice) -> str:
    """A reward that replaces another is one sentence, though it is two grants."""
    return _("You now have “%(reward)s” instead of “%(before)s”, in place %(rank)s.") % {
        "reward": notice.grant.name if notice.grant else "",
        "before": notice.grant_before.name if notice.grant_before else "",
        "rank": formats.number(notice.rank or 0),
    }


def _reason(notice: Notice) -> str:
    """Return the reason of the change, of the revisions that moved the place, or of the revoked reward."""
    if notice.change is not None:
        reasons = [notice.change.reason]
    elif notice.kind == NoticeKind.REWARD_REVOKED and notice.grant is not None:
        reasons = [notice.grant.revoked_reason]
    elif notice.grant_before is not None:
        reasons = [notice.grant_before.revoked_reason]
    else:
        reasons = _of_revisions(notice)
    unique = [each for each in dict.fromkeys(reasons) if each]
    return " ".join(_("Reason: %(reason)s") % {"reason": reason_shown(each)} for each in unique)


def _of_revisions(notice: Notice) -> list[str]:
    """Read the revisions' reasons now, since an erasure may have blanked them."""
    if notice.revision is None:
        return []
    numbers = notice.details.get("because", [notice.revision.number])
    if numbers == [notice.revision.number]:
        return [notice.revision.reason]
    rows = notice.competition.revisions.filter(number__in=numbers).order_by("number")
    return list(rows.values_list("reason", flat=True))
