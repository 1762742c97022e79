"""What other pages show of competitions before an act: the list of scores, undoing from the audit log, and hiding a
standing, which is refused there."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from competitions.admin.actions.preview_text import PreviewText, effect_in_words, may_see_ranks, rewards_in_words
from competitions.models import ChangeKind, Competition, Participant, RewardGrant, RewardRun
from competitions.selectors.previews.effects import (
    ActionEffect,
    bringing_back,
    disqualifying,
    period_of,
    reinstating,
    voiding,
)
from competitions.selectors.rewards.grant_changes import preview_restore_by_staff
from competitions.services.audit_actions import CHANGE_PARTICIPANT, competition_of, participant_of
from foundation.audit.models import AuditEntry
from leaderboards.admin.confirm.event_previews import EventPreview
from leaderboards.admin.undo.previews import UndoPreview, register_undo_preview
from leaderboards.admin.undo.reason_readers import REASON_FOR_THE_PLAYER, register_reason_readers
from leaderboards.core.periods import event_number
from leaderboards.models import Period, Player, Submission
from leaderboards.services.audit_actions import submission_of

MOST_COMPETITIONS = 10


def of_scores(request: HttpRequest, rows: Sequence[Submission], restored: bool) -> EventPreview:
    """What voiding these scores comes to in their competitions, or restoring them."""
    several: dict[int, list[Submission]] = defaultdict(list)
    for row in rows:
        if row.competition:
            several[row.competition].append(row)
    lines, settled = list[str](), list[str]()
    found = Competition.objects.select_related("board").defer("picture").in_bulk(list(several)[:MOST_COMPETITIONS])
    for number, competition in found.items():
        said = _of_scores(competition, several[number], restored=restored, sees_hidden=may_see_ranks(request))
        lines += [f"{competition}: {each}" for each in said]
        settled += said if competition.closed_at is not None else []
    if len(several) > MOST_COMPETITIONS:
        lines.append(_("Of the other competitions it is not worked out here: choose fewer at once."))
    seal = PreviewText(settled=tuple(settled)).seal("restore" if restored else "void", [row.pk for row in rows], {})
    return EventPreview(tuple(lines), seal if settled else "")


def _of_scores(competition: Competition, rows: Sequence[Submission], *, restored: bool, sees_hidden: bool) -> list[str]:
    period = period_of(competition)
    deed = ActionEffect() if period is None else voiding(period, rows, restored=restored)
    return effect_in_words(competition, deed, sees_hidden=sees_hidden, acts=len(rows))


def who_hides(request: HttpRequest, period: Period, players: Sequence[int]) -> SafeString | str:
    """The participants of the competition for whoever may disqualify them; else whom to ask."""
    if not request.user.has_perm(CHANGE_PARTICIPANT):
        return _("You may not disqualify participants: ask somebody of the group “judge”, who may.")
    [name, *more] = Player.objects.filter(pk__in=players).values_list("external_id", flat=True)
    number = event_number(period.label)
    asked = {"competition__id__exact": number, **({} if more else {"q": name})}
    address = f"{reverse('admin:competitions_participant_changelist')}?{urlencode(asked)}"
    return format_html('<a href="{}">{}</a>', address, _("To the participants of the competition"))


def _of_participant(
    deed: Callable[[Competition, Sequence[Participant]], ActionEffect],
) -> Callable[[AuditEntry], UndoPreview]:
    """A look at an act's undoing. Entries about competitions are shown to those alone who may look at competitions."""

    def look(entry: AuditEntry) -> UndoPreview:
        row = participant_of(entry)
        return _look(
            entry, row.competition, effect_in_words(row.competition, deed(row.competition, [row]), sees_hidden=True)
        )

    return look


def _of_score(*, restored: bool) -> Callable[[AuditEntry], UndoPreview]:
    def look(entry: AuditEntry) -> UndoPreview:
        rows, competition = [submission_of(entry)], competition_of(entry)
        return _look(entry, competition, _of_scores(competition, rows, restored=restored, sees_hidden=True))

    return look


def _of_reward(entry: AuditEntry) -> UndoPreview:
    """Who gets and who loses what, once it is given back."""
    rows = RewardGrant.objects.filter(pk__in=entry.keys("reward"), withheld_at=entry.at, competition__isnull=False)
    grants = list(rows.select_related("player", "period"))
    if not grants:
        return UndoPreview()
    run = RewardRun.objects.select_related("period__board", "competition").get(period=grants[0].period_id)
    lines = [_("No rank changes."), *rewards_in_words(preview_restore_by_staff(run, grants))]
    return UndoPreview(tuple(lines)) if run.competition is None else _look(entry, run.competition, lines)


def _look(entry: AuditEntry, competition: Competition, lines: Sequence[str]) -> UndoPreview:
    """Sealed once it is closed. While scores come in, a look of before is as good."""
    if competition.closed_at is None:
        return UndoPreview(tuple(lines))
    seal = PreviewText(settled=tuple(lines)).seal("undo", [entry.pk], {})
    return UndoPreview(tuple(lines), seal=seal, is_seen=seal.__eq__)


register_undo_preview(
    f"competition.{ChangeKind.DISQUALIFIED}", _of_participant(lambda _competition, rows: reinstating(rows))
)
register_undo_preview(
    f"competition.{ChangeKind.REINSTATED}", _of_participant(lambda _competition, rows: disqualifying(rows))
)
register_undo_preview(f"competition.{ChangeKind.REMOVED}", _of_participant(bringing_back))
register_undo_preview(f"competition.{ChangeKind.VOIDED}", _of_score(restored=True))
register_undo_preview(f"competition.{ChangeKind.RESTORED}", _of_score(restored=False))
register_undo_preview(f"competition.{ChangeKind.TAKEN_BACK}", _of_reward)
for _kind in (
    *(ChangeKind.DISQUALIFIED, ChangeKind.REINSTATED, ChangeKind.REMOVED),
    *(ChangeKind.VOIDED, ChangeKind.RESTORED),
):
    register_reason_readers(f"competition.{_kind}", REASON_FOR_THE_PLAYER)
register_reason_readers(f"competition.{ChangeKind.SHOWN}", _lazy("The author of the comment reads it."))
