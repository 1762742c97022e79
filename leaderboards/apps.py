"""The leaderboards app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class LeaderboardsConfig(AppConfig):
    """Boards, periods, players and their standings."""

    default_auto_field = "django.db.models.BigAutoField"
    name = "leaderboards"
    verbose_name = _("Leaderboards")

    def ready(self) -> None:
        """Who stands below asks what is late, what to do about dead letters, what a new Redis may remember, and
        what is due."""
        from foundation import dead_letters, due, health, service_keys
        from foundation.sync import settling
        from foundation.watch import readings as watched
        from leaderboards.selectors import readings
        from leaderboards.selectors.lag import lag
        from leaderboards.selectors.purging import BASELINE
        from leaderboards.services import acts, import_scores, judge_quarantine, look, mirror, test_score
        from leaderboards.services.settle import everything

        acts.register()
        service_keys.reserve(BASELINE, import_scores.SERVICE, judge_quarantine.SERVICE, test_score.SERVICE)
        health.also(lag)
        watched.also("boards", readings.late)
        watched.also("boards in Redis", readings.in_redis)
        due.also(look.due, look.TASKS)
        settling.also(everything)
        dead_letters.provide(mirror.DEAD, mirror.DEAD_WORK)
