"""What moderators do to scores, as the audit log calls it, and how each is undone from there."""

from django.utils.translation import gettext_lazy as _

from foundation.audit import register_action, register_opposites, register_subject
from leaderboards.services.moderation import edit, purge, set_standing
from leaderboards.services.submit import sample_score


def register() -> None:
    """Tell the audit log. Asking twice changes nothing."""
    register_action(edit.EDITED, _("submission edited"), edit.undo_edit, "leaderboards.change_submission")
    register_action(edit.UNDONE, _("edit of a submission undone"))
    register_action(purge.PURGED, _("submissions purged"), purge.undo_purge, "leaderboards.add_purge")
    register_action(purge.UNDONE, _("purge undone"))
    register_action(set_standing.SET, _("standing set"), set_standing.undo_set, "leaderboards.change_standing")
    register_action(set_standing.UNDONE, _("setting of a standing undone"))
    register_action(sample_score.TESTED, _("test score sent"))
    register_opposites(set_standing.SET, set_standing.SET, ["player"], ["period"])
    register_subject("purge", _("purge"), "leaderboards.purge")
