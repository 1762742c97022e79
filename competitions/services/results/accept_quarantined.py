"""Accept a quarantined entry of a closed competition: only its jury may, and it becomes a late score."""

from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser

from competitions.errors import CompetitionOver, NotOfTheJury
from competitions.models import Competition
from competitions.services.results.late_scores import LateScore, accept_late
from foundation.messages import Message
from leaderboards.core.ranking.policies import sent_value
from leaderboards.models import QuarantinedEntry
from leaderboards.stores.sql.writes import submission_state

JUDGES = "competitions.change_competition"  # the permission that makes an account a jury


def accept_quarantined(
    competition: Competition, entry: QuarantinedEntry, reason: str, at: datetime, by: AbstractBaseUser | None
) -> None:
    """Accept a quarantined entry as a late score, while the result is provisional. Idempotent.

    Raises what ``accept_late`` does, ``CompetitionOver`` once the result is final, or ``NotOfTheJury``.
    """
    if by is not None and not by.has_perm(JUDGES):  # type: ignore[attr-defined]  # all accounts have permissions
        raise NotOfTheJury(
            Message("The competition is closed: now only people who may change competitions can add scores.")
        )
    if competition.final_at is not None:
        raise CompetitionOver(
            Message(
                "The result is final: accept the score as a late one on its competition's page, which revises "
                "the result."
            )
        )
    state = submission_state(entry)
    points, fields = entry.period.rules.shown(sent_value(state.value, state.operator))
    token = f"quarantine-{entry.pk}"
    late = LateScore(entry.player, entry.at, points, fields, token, state.operator, state.metadata)
    accept_late(competition, late, reason, at, by)
