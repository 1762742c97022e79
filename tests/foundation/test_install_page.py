"""The settings of docs/install.md in a project that has settings of the same names already."""

import ast
from typing import Any

from foundation.worker.schedule import schedule_of
from tests.package.hosts import snippet

THROTTLE = "foundation.throttling.login.LoginThrottle"


def own_settings() -> dict[str, Any]:
    """What Sunwi's lines find: a project with backends, caches and tasks of its own."""
    return {
        "INSTALLED_APPS": ["shop"],
        "MIDDLEWARE": ["django.contrib.auth.middleware.AuthenticationMiddleware"],
        "DATABASES": {"default": {}},
        "AUTHENTICATION_BACKENDS": ["shop.Backend"],
        "CACHES": {"default": {"BACKEND": "shop.Cache"}, "shop": {"BACKEND": "shop.Other"}},
        "CELERY_BEAT_SCHEDULE": {"sell": {"task": "shop.sell"}},
        "CELERY_BROKER_TRANSPORT_OPTIONS": {"visibility_timeout": 60},
        "LOGIN_REDIRECT_URL": "/shop/",
    }


def names_set(statement: ast.stmt) -> set[str]:
    """The names that a statement sets or adds to, also by an item of them."""
    targets = getattr(statement, "targets", [getattr(statement, "target", None)])
    names = {each.value if isinstance(each, ast.Subscript) else each for each in targets}
    return {each.id for each in names if isinstance(each, ast.Name)}


def test_lines_for_a_project_with_its_own_settings_take_none_of_them_away() -> None:
    adding = ast.parse(snippet("settings.py, with settings of your own"))
    left_out = {"LOGIN_REDIRECT_URL"}.union(*map(names_set, adding.body))
    whole = ast.parse(snippet("settings.py"))
    kept = [each for each in whole.body if not names_set(each) & left_out]
    settings, before = own_settings(), own_settings()

    exec(compile(ast.Module(kept + adding.body, []), "settings.py", "exec"), settings)  # noqa: S102 - our own page

    assert settings["AUTHENTICATION_BACKENDS"] == [THROTTLE, "shop.Backend"]
    assert settings["CACHES"].items() >= before["CACHES"].items()
    assert settings["CACHES"]["boards"]["LOCATION"].startswith("redis://")
    assert settings["CELERY_BEAT_SCHEDULE"] == {
        **before["CELERY_BEAT_SCHEDULE"],
        **schedule_of(settings["INSTALLED_APPS"]),
    }
    assert settings["CELERY_BROKER_TRANSPORT_OPTIONS"]["visibility_timeout"] == 60
    assert settings["LOGIN_REDIRECT_URL"] == "/shop/"
