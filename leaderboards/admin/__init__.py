"""The Django admin, for staff: accounts, boards, imports, players, scores, keys, webhooks, dead letters, audit log.

Each module registers its admins. Changes of more than one row go through a service.
"""

from leaderboards.admin.audit_log import entry_admin
from leaderboards.admin.boards import board_admin, period_admin
from leaderboards.admin.failures import dead_letter_admin
from leaderboards.admin.imports import run_admin
from leaderboards.admin.integrations import delivery_admin, service_key_admin, webhook_admin
from leaderboards.admin.moderation import purge_admin, quarantine_admin, restriction_admin
from leaderboards.admin.players import player_admin
from leaderboards.admin.scores import standing_admin, submission_admin
from leaderboards.admin.users import invitation_admin, user_admin

__all__ = [
    "board_admin",
    "dead_letter_admin",
    "delivery_admin",
    "entry_admin",
    "invitation_admin",
    "period_admin",
    "player_admin",
    "purge_admin",
    "quarantine_admin",
    "restriction_admin",
    "run_admin",
    "service_key_admin",
    "standing_admin",
    "submission_admin",
    "user_admin",
    "webhook_admin",
]
