"""The leaderboards app."""

from django.apps import AppConfig


class LeaderboardsConfig(AppConfig):
    """Boards, periods, players and their standings."""

    default_auto_field = "django.db.models.BigAutoField"
    name = "leaderboards"

    def ready(self) -> None:
        from foundation import health
        from leaderboards.selectors.lag import lag

        health.also(lag)
