"""Which of our apps need which others: leaving one out of INSTALLED_APPS is told in a sentence, before models load.

The trap: Django takes the only ``AppConfig`` that a module ``apps`` has a name for, and none of two. So those modules
import this module, never the class.
"""

from django.apps import AppConfig
from django.core.exceptions import ImproperlyConfigured

ALWAYS = ("accounts", "foundation", "leaderboards")
NEEDS = {**dict.fromkeys((*ALWAYS, "likes"), ALWAYS), "competitions": (*ALWAYS, "likes")}


class SunwiApp(AppConfig):
    """An app of ours, which looks for the apps that it needs before its models are loaded."""

    def import_models(self) -> None:
        """Load the models. Raises ``ImproperlyConfigured`` if INSTALLED_APPS lacks an app that this one needs."""
        installed = {each.name for each in self.apps.get_app_configs()} if self.apps else set()
        if missing := [name for name in NEEDS[self.name] if name not in installed]:
            named = " and ".join(f'"{name}"' for name in missing)
            raise ImproperlyConfigured(f'INSTALLED_APPS lacks {named}, which "{self.name}" needs. Add it there.')
        super().import_models()
