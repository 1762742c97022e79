"""The competitions app."""

from django.apps import AppConfig


class CompetitionsConfig(AppConfig):
    """Competitions, who takes part, what they are told, and what they win."""

    default_auto_field = "django.db.models.BigAutoField"
    name = "competitions"

    def ready(self) -> None:
        """The leaderboards below ask for competitions by number; here they learn whom to ask."""
        from competitions.services.events import Competitions
        from leaderboards.services import events

        events.provide(Competitions())
