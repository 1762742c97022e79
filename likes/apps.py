"""The likes app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class LikesConfig(AppConfig):
    """Likes of anything, and counting what people do."""

    default_auto_field = "django.db.models.BigAutoField"
    name = "likes"
    verbose_name = _("Likes")

    def ready(self) -> None:
        """Who stands below asks what is late, what to do about dead letters, what a new Redis may remember and what is
        due, and has players forgotten."""
        from foundation import dead_letters, due, health
        from foundation.sync import settling
        from foundation.watch import readings
        from leaderboards.services import erase, follow
        from likes.selectors.lag import lag
        from likes.selectors.readings import late
        from likes.services import count, forget, look, mirror, number
        from likes.services.settle import everything

        health.also(lag)
        readings.also("likes", late)
        due.also(look.due, look.TASKS)
        settling.also(everything)
        erase.first(forget.forget)
        erase.also(forget.refuse_if_back)  # first: it waits for mirrors, which hold rows that the others ask for
        erase.also(number.forget)
        follow.also(mirror.mirror_all)
        for service in (count, mirror):
            dead_letters.provide(service.DEAD, service.DEAD_WORK)
