"""The likes app."""

from django.apps import AppConfig


class LikesConfig(AppConfig):
    """Likes of anything, and counting what people do."""

    default_auto_field = "django.db.models.BigAutoField"
    name = "likes"
