"""The acts of this app that the audit log knows, and how they are undone."""

from django.utils.translation import gettext_lazy as _

from foundation.audit import register_act
from leaderboards.services import judge_quarantine

JUDGES_QUARANTINE = "leaderboards.judge_quarantinedentry"


def register() -> None:
    """Tell the log of them, at the start of the process."""
    register_act(judge_quarantine.ACCEPTED, _("quarantined entry accepted"))
    register_act(judge_quarantine.VOIDED, _("quarantined entry voided"), judge_quarantine.reopen, JUDGES_QUARANTINE)
    register_act(judge_quarantine.REOPENED, _("quarantined entry put back"))
