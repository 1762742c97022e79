"""Sunwi's settings, kept apart from the names of the project that the apps are installed in.

``sunwi_settings.SITE_URL`` is what ``SUNWI["SITE_URL"]`` says, or else the default of ``foundation.conf.SETTINGS``. A
bare ``SITE_URL`` among a project's settings is the project's own: it is neither read nor changed. Only Sunwi's own
project, which says so by ``SUNWI_OWN_PROJECT = True``, has the names at the top level (config/settings.py).

``override_settings`` reaches them: of ``SUNWI`` in any project, of the plain names in Sunwi's own. The traps: a wrong
value ends the start, but one that comes by ``override_settings`` is refused where it is first read; and values are
kept, so whoever changes Django's settings in another way calls ``forget``.
"""

from collections.abc import Mapping
from typing import Any, NoReturn

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed

from foundation.conf import SECRETS, SETTINGS

NAMESPACE = "SUNWI"
OWN_PROJECT = "SUNWI_OWN_PROJECT"


class SunwiSettings:
    """An attribute for each name in ``foundation.conf.SETTINGS``, set when it is first read."""

    def __getattr__(self, name: str) -> Any:
        """Read a value. Raises ``ImproperlyConfigured`` for a wrong one, ``AttributeError`` for an unknown name."""
        if name not in SETTINGS:
            raise AttributeError(f"Sunwi has no setting {name}.")
        is_plain = is_own_project() and hasattr(settings, name)
        value = getattr(settings, name) if is_plain else _value(name, _given())
        setattr(self, name, value)
        return value

    def forget(self, **_: Any) -> None:
        """Read all values anew when they are next asked for; some depend on settings of Django."""
        vars(self).clear()


sunwi_settings = SunwiSettings()
setting_changed.connect(sunwi_settings.forget)


def is_own_project() -> bool:
    """Whether the settings are those of Sunwi's own project, which have plain names."""
    return getattr(settings, OWN_PROJECT, False) is True


def check_settings() -> None:
    """Read all, and open the folder of metrics. Raises ``ImproperlyConfigured`` for a wrong or unknown setting."""
    given = _given()
    if given and is_own_project():
        _refuse(f"and {OWN_PROJECT} exclude each other: leave out {OWN_PROJECT}, which is for Sunwi's own project")
    if unknown := sorted(map(str, given.keys() - SETTINGS.keys())):
        _refuse(f"has no {', '.join(unknown)}. It may have: {', '.join(SETTINGS)}")
    for name in SETTINGS:
        getattr(sunwi_settings, name)
    from foundation.monitoring import metric_files  # which reads these settings

    metric_files.open_folder(sunwi_settings.METRICS_FOLDER)


def _given() -> Mapping[str, Any]:
    given = getattr(settings, NAMESPACE, {})
    if not isinstance(given, Mapping):
        _refuse("is a dictionary, such as {'SITE_URL': 'https://boards.example'}")
    return given


def _value(name: str, given: Mapping[str, Any]) -> Any:
    setting = SETTINGS[name]
    default = setting.default() if callable(setting.default) else setting.default
    try:
        return setting.read(given.get(name, default))
    except ValueError as error:
        _refuse(f"{name} {error}" + ("" if name in SECRETS else f"; got {given.get(name)!r}"))


def _refuse(text: str) -> NoReturn:
    raise ImproperlyConfigured(f"The setting {NAMESPACE} {text}.")
