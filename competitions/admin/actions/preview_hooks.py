"""Previews of effects on competitions for pages of other apps: the list of scores, the undo page of the audit log, and
the page that hides a standing, which links to disqualification instead."""

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
    """Preview what voiding or restoring these scores changes in their competitions."""
    by_number: dict[int, list[Submission]] = defaultdict(list)
    for row in rows:
        if row.competition:
            by_number[row.competition].append(row)
    lines, settled = list[str](), list[str]()
    numbers = list(by_number)[:MOST_COMPETITIONS]
    for number, competition in Competition.objects.select_related("board").defer("picture").in_bulk(numbers).items():
        sentences = _score_effects(
            competition, by_number[number], restored=restored, sees_hidden=may_see_ranks(request)
        )
        lines += [f"{competition}: {each}" for each in sentences]
        settled += sentences if competition.closed_at is not None else []
    if len(by_number) > MOST_COMPETITIONS:
        lines.append(_("Of the other competitions it is not worked out here: choose fewer at once."))
    seal = PreviewText(settled=tuple(settled)).seal("restore" if restored else "void", [row.pk for row in rows], {})
    return EventPreview(tuple(lines), seal if settled else "")


def _score_effects(
    competition: Competition, rows: Sequence[Submission], *, restored: bool, sees_hidden: bool
) -> list[str]:
    period = period_of(competition)
    effect = ActionEffect() if period is None else voiding(period, rows, restored=restored)
    return effect_in_words(competition, effect, sees_hidden=sees_hidden, acts=len(rows))


def who_hides(request: HttpRequest, period: Period, players: Sequence[int]) -> SafeString | str:
    """Return a link to the participants if the user may disqualify them, else a hint whom to ask."""
    if not request.user.has_perm(CHANGE_PARTICIPANT):
        return _("You may not disqualify participants: ask a member of the group “judge”.")
    [name, *more] = Player.objects.filter(pk__in=players).values_list("external_id", flat=True)
    number = event_number(period.label)
    query = {"competition__id__exact": number, **({} if more else {"q": name})}
    address = f"{reverse('admin:competitions_participant_changelist')}?{urlencode(query)}"
    return format_html('<a href="{}">{}</a>', address, _("To the participants of the competition"))


def _preview_participant(
    effect_of: Callable[[Competition, Sequence[Participant]], ActionEffect],
) -> Callable[[AuditEntry], UndoPreview]:
    """Make a preview of undoing an action. Only users who may view competitions see such audit entries."""

    def preview(entry: AuditEntry) -> UndoPreview:
        row = participant_of(entry)
        effect = effect_of(row.competition, [row])
        return _undo_preview(entry, row.competition, effect_in_words(row.competition, effect, sees_hidden=True))

    return preview


def _preview_score(*, restored: bool) -> Callable[[AuditEntry], UndoPreview]:
    def preview(entry: AuditEntry) -> UndoPreview:
        rows, competition = [submission_of(entry)], competition_of(entry)
        lines = _score_effects(competition, rows, restored=restored, sees_hidden=True)
        return _undo_preview(entry, competition, lines)

    return preview


def _preview_reward(entry: AuditEntry) -> UndoPreview:
    """Preview who gets and who loses which reward when it is restored."""
    rows = RewardGrant.objects.filter(pk__in=entry.keys("reward"), withheld_at=entry.at, competition__isnull=False)
    grants = list(rows.select_related("player", "period"))
    if not grants:
        return UndoPreview()
    run = RewardRun.objects.select_related("period__board", "competition").get(period=grants[0].period_id)
    lines = [_("No rank changes."), *rewards_in_words(preview_restore_by_staff(run, grants))]
    return UndoPreview(tuple(lines)) if run.competition is None else _undo_preview(entry, run.competition, lines)


def _undo_preview(entry: AuditEntry, competition: Competition, lines: Sequence[str]) -> UndoPreview:
    """Return the preview, sealed if the competition is closed. While scores come in, an older preview is accepted."""
    if competition.closed_at is None:
        return UndoPreview(tuple(lines))
    seal = PreviewText(settled=tuple(lines)).seal("undo", [entry.pk], {})
    return UndoPreview(tuple(lines), seal=seal, is_seen=seal.__eq__)


register_undo_preview(
    f"competition.{ChangeKind.DISQUALIFIED}", _preview_participant(lambda _competition, rows: reinstating(rows))
)
register_undo_preview(
    f"competition.{ChangeKind.REINSTATED}", _preview_participant(lambda _competition, rows: disqualifying(rows))
)
register_undo_preview(f"competition.{ChangeKind.REMOVED}", _preview_participant(bringing_back))
register_undo_preview(f"competition.{ChangeKind.VOIDED}", _preview_score(restored=True))
register_undo_preview(f"competition.{ChangeKind.RESTORED}", _preview_score(restored=False))
register_undo_preview(f"competition.{ChangeKind.TAKEN_BACK}", _preview_reward)
for _kind in (
    *(ChangeKind.DISQUALIFIED, ChangeKind.REINSTATED, ChangeKind.REMOVED),
    *(ChangeKind.VOIDED, ChangeKind.RESTORED),
):
    register_reason_readers(f"competition.{_kind}", REASON_FOR_THE_PLAYER)
register_reason_readers(f"competition.{ChangeKind.SHOWN}", _lazy("The author of the comment reads it."))
