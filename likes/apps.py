"""The likes app."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class LikesConfig(AppConfig):
    """Likes of anything, and counting what people do."""

    default_auto_field = "django.db.models.BigAutoField"
    name = "likes"
    verbose_name = _("Likes")

    def ready(self) -> None:
        """Who stands below asks what is late and what to do about dead letters, renews kinds for a Redis that nobody
        knows, and has players forgotten."""
        from foundation import dead_letters, health
        from leaderboards.services import erase, follow
        from leaderboards.services import settle as boards
        from likes.selectors.lag import lag
        from likes.services import count, forget, mirror, number
        from likes.services.settle import renew_all

        health.also(lag)
        boards.also(renew_all)
        erase.first(forget.forget)
        erase.also(forget.refuse_if_back)  # first: it waits for mirrors, which hold rows that the others ask for
        erase.also(number.forget)
        follow.also(mirror.mirror_all)
        for service in (count, mirror):
            dead_letters.provide(service.DEAD, service.DEAD_WORK)
