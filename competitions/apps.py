"""The competitions app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class CompetitionsConfig(AppConfig):
    """Competitions, who takes part, what they are told, and what they win."""

    default_auto_field = "django.db.models.BigAutoField"
    name = "competitions"
    verbose_name = _("Competitions")

    def ready(self) -> None:
        """What stands below asks for competitions and likes comments, tells of players to forget, without
        knowing of this app."""
        from accounts.selectors import language
        from competitions.models import RewardGrant
        from competitions.selectors.own import grants_before_shadows, hides_results, is_disqualified
        from competitions.selectors.preferences import asked_language
        from competitions.selectors.readings import telling
        from competitions.selectors.series import series_of_boards
        from competitions.services import acts, judge, series_totals
        from competitions.services.events import Competitions, keeps_places, left_out
        from competitions.services.forget import forget
        from competitions.services.likeable import likeable
        from competitions.services.rewrite import rewrite
        from foundation import service_keys
        from foundation.watch import readings
        from leaderboards.selectors import hidden, kept, own_export, reserved
        from leaderboards.services import erase, events, leave
        from likes import registry

        acts.register()
        readings.also("notices", telling)
        language.provide(asked_language)
        service_keys.reserve(judge.JURY, series_totals.SERVICE)
        events.provide(Competitions())
        hidden.provide(left_out, keeps_places)
        own_export.unless(hides_results)
        kept.before_shadows(RewardGrant, grants_before_shadows)
        leave.unless(is_disqualified)
        reserved.provide(series_of_boards)
        erase.also(forget)
        erase.renamed(rewrite)
        registry.provide(likeable())
