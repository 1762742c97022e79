"""The leaderboards app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class LeaderboardsConfig(AppConfig):
    """Boards, periods, players and their standings."""

    default_auto_field = "django.db.models.BigAutoField"
    name = "leaderboards"
    verbose_name = _("Leaderboards")

    def ready(self) -> None:
        """Whoever looks after the site asks below what is late, and what to do about dead letters."""
        from foundation import dead_letters, health
        from leaderboards.selectors.lag import lag
        from leaderboards.services import mirror

        health.also(lag)
        dead_letters.provide(mirror.DEAD, mirror.DEAD_WORK)
