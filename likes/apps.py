"""The likes app."""

from django.utils.translation import gettext_lazy as _

from foundation import needed_apps


class LikesConfig(needed_apps.SunwiApp):
    """Register the likes app's checks, hooks and dead-letter handlers at startup."""

    default_auto_field = "django.db.models.BigAutoField"
    name = "likes"
    verbose_name = _("Likes")

    def ready(self) -> None:
        """Register with the lower layers: health, metrics, due work, resync, erasing players, dead letters."""
        from foundation import dead_letters
        from foundation.monitoring import health, readings
        from foundation.sync import registering
        from foundation.worker import due
        from leaderboards.services.players import erase_hooks
        from leaderboards.services.sync import flush
        from likes.selectors.lag import lag
        from likes.selectors.readings import lag_readings
        from likes.services import count, due_work, forget, mirror, player_number
        from likes.services.resync import all_kinds_to_resync

        health.register_check(lag)
        readings.register("likes", lag_readings)
        due.register_check(due_work.find_due_work, due_work.TASKS)
        registering.register_resync_source(all_kinds_to_resync)
        erase_hooks.register_hook_before(forget.forget)
        # First, because it waits for mirrors, which lock rows that the other hooks need.
        erase_hooks.register_hook(forget.refuse_if_liked_again)
        erase_hooks.register_hook(player_number.release_number)
        flush.register_hook(mirror.mirror_all)
        for service in (count, mirror):
            dead_letters.register_handler(service.DEAD_LETTER_KIND, service.DEAD_LETTER_WORK)
