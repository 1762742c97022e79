"""EMAIL_URL, read for Djangos that have mailers and for those before."""

import os
from unittest.mock import patch

import environ
import pytest
from django.conf import LazySettings
from django.core.mail.backends.base import BaseEmailBackend

from config.components.mail import mail_settings
from foundation import mailer


def read(url: str, has_mailers: bool) -> dict[str, object]:
    with patch.dict(os.environ, {"EMAIL_URL": url} if url else {}):
        return mail_settings(environ.Env(), has_mailers)


def test_a_django_with_mailers_gets_each_backend_with_what_it_takes() -> None:
    path = "django.core.mail.backends"
    for url, backend, options in (
        ("smtp+tls://u:p%2Fq@mail:587", "smtp",
         {"host": "mail", "port": 587, "username": "u", "password": "p/q", "use_tls": True, "timeout": 5}),
        ("smtp+ssl://mail", "smtp", {"host": "mail", "use_ssl": True, "timeout": 5}),
        ("consolemail://", "console", {}),
        ("filemail:////tmp/mails", "filebased", {"file_path": "/tmp/mails"}),  # noqa: S108 - a name, nothing is written
        ("", "dummy", {}),
    ):  # fmt: skip  # as a table
        wanted = {"default": {"BACKEND": f"{path}.{backend}.EmailBackend", "OPTIONS": options}}
        assert read(url, True) == {"MAILERS": wanted}


def test_a_django_before_them_gets_its_settings() -> None:
    found = read("smtp+tls://u:p@mail:587", False)

    assert (found["EMAIL_HOST"], found["EMAIL_PORT"], found["EMAIL_USE_TLS"]) == ("mail", 587, True)
    assert (found["EMAIL_HOST_USER"], found["EMAIL_HOST_PASSWORD"], found["EMAIL_TIMEOUT"]) == ("u", "p", 5)
    assert "MAILERS" not in found


def test_a_project_whose_mailers_have_no_default_sends_none(
    settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mailer, "HAS_MAILERS", True)
    settings.MAILERS = {"default": {}}
    assert (mailer.is_sent(), mailer.is_only_logged()) == (True, False)  # by SMTP
    settings.MAILERS = {"other": {}}
    assert (mailer.is_sent(), mailer.is_only_logged()) == (False, False)


def test_a_connection_is_of_the_backend_of_the_tests() -> None:
    assert isinstance(mailer.connection(), BaseEmailBackend)
    assert f"{type(mailer.connection()).__module__}.EmailBackend" == mailer.backend()
