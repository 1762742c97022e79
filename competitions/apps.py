"""The competitions app."""

from django.utils.translation import gettext_lazy as _

from foundation import needed_apps


class CompetitionsConfig(needed_apps.SunwiApp):
    """Competitions, their participants, notices and rewards."""

    default_auto_field = "django.db.models.BigAutoField"
    name = "competitions"
    verbose_name = _("Competitions")

    def ready(self) -> None:
        """Register this app's hooks with the apps below, which do not import it: boards, likes, erasure, exports."""
        from accounts.selectors import language
        from competitions.models import RewardGrant
        from competitions.selectors.notices.metrics import notice_readings
        from competitions.selectors.notices.preferences import asked_language
        from competitions.selectors.participants.own_data import (
            grants_before_shadows,
            has_hidden_results,
            is_disqualified,
        )
        from competitions.selectors.series.series import series_of_boards
        from competitions.services import audit_actions, webhook_kinds
        from competitions.services.comments.likeable import likeable
        from competitions.services.erasure.anonymize import anonymize_player
        from competitions.services.erasure.rewrite_results import rewrite_results_of
        from competitions.services.event_port import CompetitionEvents, excluded_players, keeps_places
        from competitions.services.notices.preferences import read_correspondence, write_correspondence
        from competitions.services.results import late_scores
        from competitions.services.series import totals as series_totals
        from foundation.monitoring import readings
        from foundation.security import service_keys
        from foundation.webhooks import kinds
        from leaderboards.selectors.catalog import reserved
        from leaderboards.selectors.player_data import account_export, personal_data
        from leaderboards.selectors.visibility import hidden
        from leaderboards.services import events
        from leaderboards.services.players import delete_account, erase_hooks, own_profile
        from likes import registry

        audit_actions.register()
        kinds.register_kinds(*webhook_kinds.KINDS, words=webhook_kinds.WORDS)
        readings.register("notices", notice_readings)
        language.provide(asked_language)
        service_keys.reserve(late_scores.JURY, series_totals.SERVICE)
        events.provide(CompetitionEvents())
        hidden.register_event_exclusions(excluded_players, keeps_places)
        account_export.register_export_blocker(has_hidden_results)
        personal_data.register_values_before_shadow(RewardGrant, grants_before_shadows)
        delete_account.register_disqualified_check(is_disqualified)
        own_profile.register_correspondence(read_correspondence, write_correspondence)
        reserved.register_reserved_boards(series_of_boards)
        erase_hooks.register_hook(anonymize_player)
        erase_hooks.register_rename_hook(rewrite_results_of)
        registry.register_kind(likeable())
