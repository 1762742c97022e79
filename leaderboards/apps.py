"""The leaderboards app."""

import sys

from django.utils.translation import gettext_lazy as _

from foundation import needed_apps


class LeaderboardsConfig(needed_apps.SunwiApp):
    """Boards, periods, players and their standings."""

    default_auto_field = "django.db.models.BigAutoField"
    name = "leaderboards"
    verbose_name = _("Leaderboards")

    def ready(self) -> None:
        """Who stands below asks what is late, what to do about dead letters, what a new Redis may remember, and
        what is due."""
        from foundation import dead_letters
        from foundation.monitoring import health
        from foundation.monitoring import readings as watched
        from foundation.security import service_keys
        from foundation.sync import registering
        from foundation.webhooks import kinds
        from foundation.worker import due
        from leaderboards.management import dynamodb_checks  # noqa: F401 - it registers a system check
        from leaderboards.selectors.moderation.purges import BASELINE
        from leaderboards.selectors.monitoring import lag, metrics
        from leaderboards.services import audit_actions
        from leaderboards.services.imports import score_rows
        from leaderboards.services.moderation import review_quarantine
        from leaderboards.services.periods import announce
        from leaderboards.services.submit import quarantine, sample_score
        from leaderboards.services.sync import due_work, mirror
        from leaderboards.services.sync.resync_periods import resyncs_of_all_periods

        audit_actions.register()
        service_keys.reserve(BASELINE, score_rows.SERVICE, review_quarantine.SERVICE, sample_score.SERVICE)
        told = {
            quarantine.QUARANTINED_WEBHOOK: _("scores are quarantined"),
            announce.FINAL_WEBHOOK: _("a period is final"),
        }
        kinds.register_kinds(*told, words=told)
        for check in lag.CHECKS:
            health.register_check(check)
        watched.register("boards", metrics.sql_metrics)
        watched.register("boards in Redis", metrics.redis_metrics)
        due.register_check(due_work.find_due_work, due_work.TASKS)
        registering.register_resync_source(resyncs_of_all_periods)
        if "leaderboards.admin" in sys.modules:  # the project's admin has loaded all admins before
            from leaderboards.admin.users.user_admin import register_users_of_the_project

            register_users_of_the_project()
        dead_letters.register_handler(mirror.DEAD_LETTER_KIND, mirror.DEAD_LETTER_WORK)
