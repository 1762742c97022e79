"""Django's admin, whose pages are loaded with the addresses (urls.py): a worker needs neither, nor does a command that
makes no checks; those that make them, which most do, load both.

The trap: checks look at what is registered, and may come before the addresses; one that is registered by a page is not
asked in the run that loads it. So all that are about pages are asked here.
"""

from typing import Any

from django.contrib import admin
from django.contrib.admin.apps import SimpleAdminConfig
from django.contrib.admin.checks import check_admin_app, check_dependencies
from django.core import checks


class AdminConfig(SimpleAdminConfig):
    """The app of the admin, whose site has the console around it."""

    default_site = "config.console.site.ConsoleSite"

    def ready(self) -> None:
        """As Django's own, but that pages are loaded for their checks alone."""
        checks.register(check_dependencies, checks.Tags.admin)
        checks.register(_check_pages, checks.Tags.admin)


def _check_pages(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    admin.autodiscover()
    from leaderboards.admin.base.lookups import check_lookups_are_declared

    return [*check_admin_app(app_configs, **kwargs), *check_lookups_are_declared(app_configs, **kwargs)]
