"""What moderators do to scores, as the audit log calls it, and how each is undone from there."""

from django.utils.translation import gettext_lazy as _

from foundation.audit import register_act, register_opposites, register_subject
from leaderboards.services import edit, purge, set_standing, test_score


def register() -> None:
    """Tell the audit log. Asking twice changes nothing."""
    register_act(edit.EDITED, _("submission edited"), edit.undo_edit, "leaderboards.change_submission")
    register_act(edit.UNDONE, _("edit of a submission undone"))
    register_act(purge.PURGED, _("submissions purged"), purge.undo_purge, "leaderboards.add_purge")
    register_act(purge.UNDONE, _("purge undone"))
    register_act(set_standing.SET, _("standing set"), set_standing.undo_set, "leaderboards.change_standing")
    register_act(set_standing.UNDONE, _("setting of a standing undone"))
    register_act(test_score.TESTED, _("test score sent"))
    register_opposites(set_standing.SET, set_standing.SET, ["player"], ["period"])
    register_subject("purge", _("purge"), "leaderboards.purge")
