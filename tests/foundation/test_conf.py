"""Settings of a project that Sunwi's apps are installed in: ``SUNWI``, and what is set where it says nothing."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.conf import LazySettings, Settings, settings
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed

from config.components import rate_limits
from foundation import conf
from foundation import sunwi_settings as own
from foundation.sunwi_settings import check_settings, sunwi_settings
from foundation.throttling.limits import Limit


@pytest.fixture
def host() -> Iterator[Any]:
    """Settings as ``startproject`` leaves them, and as ``sunwi_settings`` reads them."""
    plain = LazySettings()
    plain._wrapped = Settings("tests.foundation.host_settings")
    with patch.object(conf, "settings", plain), patch.object(own, "settings", plain):
        own.sunwi_settings.forget()
        yield plain
    own.sunwi_settings.forget()


def test_what_is_not_said_has_its_default(host: Any) -> None:
    check_settings()

    assert not any(hasattr(host, name) for name in conf.SETTINGS)
    assert sunwi_settings.RATE_LIMITS["write"] == Limit(50_000, 10)
    assert sunwi_settings.ENCRYPTION_KEYS == ["a-key-of-the-host"]
    assert (sunwi_settings.DEVICE_COOKIE_NAME, sunwi_settings.STAFF_SECOND_FACTOR) == ("device", "off")


def test_with_secure_cookies_staff_need_a_second_factor(host: Any) -> None:
    host.SESSION_COOKIE_SECURE = True

    assert (sunwi_settings.DEVICE_COOKIE_NAME, sunwi_settings.STAFF_SECOND_FACTOR) == ("__Host-device", "required")


def test_what_is_said_counts_and_the_rest_of_the_limits_stays(host: Any) -> None:
    host.SUNWI = {"RATE_LIMITS": {"write": "7/3", "read": ""}, "ENCRYPTION_KEYS": ["k" * 32], "AUDIT_KEEP_DAYS": 9}

    check_settings()
    check_settings()  # each app asks

    assert (sunwi_settings.RATE_LIMITS["write"], sunwi_settings.RATE_LIMITS["read"]) == (Limit(7, 3), None)
    assert sunwi_settings.RATE_LIMITS["page"] == Limit(5_000, 10)
    assert sunwi_settings.ENCRYPTION_KEYS == ["k" * 32, "a-key-of-the-host"]
    assert sunwi_settings.AUDIT_KEEP_DAYS == 9


def test_a_folder_may_be_a_path(host: Any, tmp_path: Path) -> None:
    host.SUNWI = {"METRICS_FOLDER": tmp_path, "DATA_DIR": tmp_path}

    assert (str(tmp_path), str(tmp_path)) == (sunwi_settings.METRICS_FOLDER, sunwi_settings.DATA_DIR)


BARE = {"STAFF_SESSION_HOURS": "8h", "TRACING": {"exporter": "jaeger"}, "RATE_LIMITS": 5, "SIGN_UP": None}


def test_names_outside_of_the_dictionary_are_the_projects_own(host: Any) -> None:
    for name, value in BARE.items():
        setattr(host, name, value)
    host.SUNWI = {"RATE_LIMITS": {"write": "7/3"}}

    check_settings()

    assert (sunwi_settings.STAFF_SESSION_HOURS, sunwi_settings.TRACING, sunwi_settings.SIGN_UP) == (12, False, "off")
    assert sunwi_settings.RATE_LIMITS["write"] == Limit(7, 3)
    assert {name: getattr(host, name) for name in BARE} == BARE


def test_in_our_own_project_plain_names_count_and_the_dictionary_is_refused(host: Any) -> None:
    host.SUNWI_OWN_PROJECT, host.SITE_URL = True, "https://mine.example"

    check_settings()

    assert (sunwi_settings.SITE_URL, sunwi_settings.SIGN_UP) == ("https://mine.example", "off")
    host.SUNWI = {"SIGN_UP": "open"}
    with pytest.raises(ImproperlyConfigured, match="leave out SUNWI_OWN_PROJECT, which is for Sunwi's own project"):
        check_settings()


def test_a_test_of_the_project_overrides_the_dictionary(host: Any) -> None:
    assert sunwi_settings.SIGN_UP == "off"

    host.SUNWI = {"SIGN_UP": "open"}
    setting_changed.send(sender=None, setting="SUNWI", value=host.SUNWI, enter=True)  # as override_settings does

    assert sunwi_settings.SIGN_UP == "open"


def test_our_own_project_has_every_setting_by_its_name() -> None:
    assert own.is_own_project()
    assert [name for name in conf.SETTINGS if not hasattr(settings, name)] == []


def test_there_are_no_other_settings(host: Any) -> None:
    with pytest.raises(AttributeError, match="Sunwi has no setting DEBUG"):
        _ = sunwi_settings.DEBUG


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"SITE_URLS": "x"}, "has no SITE_URLS. It may have: API_MIDDLEWARE, "),
        (["SITE_URL"], "is a dictionary"),
        ({"SIGN_UP": "yes"}, "SIGN_UP must be one of: off, invitation, open; got 'yes'"),
        ({"AUDIT_KEEP_DAYS": True}, "AUDIT_KEEP_DAYS must be a whole number from 1 to 36500; got True"),
        ({"SQL_ALONE_SECONDS": "1"}, "SQL_ALONE_SECONDS must be a number from 0 to 3600; got '1'"),
        ({"RATE_LIMITS": {"writes": "1/1"}}, "there is no writes"),
        ({"RATE_LIMITS": {"write": "often"}}, "A limit reads like 100/10"),
        ({"RATE_LIMITS": {"write": 100}}, "RATE_LIMITS must give limits as texts"),
        ({"METRICS_NETWORKS": ["here"]}, "METRICS_NETWORKS must be a list of networks"),
        ({"EMBED_SITES": "https://a.example"}, "EMBED_SITES must be a list of texts"),
        ({"PRIVACY_URL": "example.org"}, "PRIVACY_URL must begin with https://"),
        (
            {"DEFAULT_TIMEZONE": "Asia/Seul"},
            "DEFAULT_TIMEZONE must be the name of a time zone, such as Asia/Seoul or UTC",
        ),
        ({"SITE_URL": "boards.example"}, "SITE_URL must be the address of the site with its scheme, such as https://"),
        ({"METRICS_ADDRESS": "nonsense"}, "METRICS_ADDRESS must be an IP address: 127.0.0.1 for this machine alone"),
        ({"EMBED_SITES": ["javascript:alert(1)"]}, "'javascript:alert(1)' is none"),
        ({"TRACING": "off"}, "TRACING must be True or False"),
    ],
)
def test_what_is_wrong_is_refused_in_a_sentence(host: Any, given: Any, said: str) -> None:
    host.SUNWI = given

    with pytest.raises(ImproperlyConfigured) as refused:
        check_settings()

    assert str(refused.value).startswith("The setting SUNWI ")
    assert said in str(refused.value)


@pytest.mark.parametrize("name", conf.SECRETS)
def test_a_refused_secret_is_not_repeated(host: Any, name: str) -> None:
    host.SUNWI = {name: "hush" if name == "METRICS_TOKEN" else ["hush"]}

    with pytest.raises(ImproperlyConfigured, match=name) as refused:
        check_settings()

    assert "hush" not in str(refused.value)


def test_every_limit_has_its_variable_in_our_own_project() -> None:
    assert rate_limits.VARIABLES.keys() == conf.LIMITS.keys()


def test_a_cache_that_is_no_redis_leaves_counting_to_the_boards(host: Any) -> None:
    assert conf.page_cache_alias() == "boards"
    host.CACHES = {"default": conf.redis_cache("redis://127.0.0.1/1")}
    assert conf.page_cache_alias() == "default"


def test_the_documents_list_every_setting() -> None:
    page = (Path(__file__).parents[2] / "docs" / "install.md").read_text()
    listed = page.partition("- **Settings.**")[2].partition("They mean")[0]

    assert re.findall(r"`([A-Z_]+)`", listed) == ["SUNWI", *conf.SETTINGS]


def rows(page: str) -> Iterator[list[str]]:
    """The cells of each row of the tables of a page."""
    for line in (Path(__file__).parents[2] / "docs" / page).read_text().splitlines():
        if line.startswith("| `"):
            yield [cell.strip() for cell in line.strip("|").split(" | ")]


def written(default: Any) -> set[str]:
    """How documents may write a default."""
    if isinstance(default, bool):
        return {"`on`", "`True`"} if default else {"`off`", "`False`"}
    if not default:
        return {"none", "empty"} | ({"`0`"} if default == 0 else set())
    if isinstance(default, list):
        return {f"`{','.join(default)}`"}
    return {f"`{str(default).removesuffix('.0')}`"}


TOLD_IN_WORDS = {"METRICS_NETWORKS": "this machine", "API_MIDDLEWARE": "the five below"}


def test_the_documents_tell_the_default_and_the_meaning_of_every_setting() -> None:
    variables = {cells[0].strip("`"): (cells[1], cells[-1]) for cells in rows("settings.md")}
    own = {cells[0].strip("`"): (cells[2], cells[-1]) for cells in rows("install.md") if len(cells) == 4}

    for name, setting in conf.SETTINGS.items():
        default, meaning = (own if name in own else variables)[name]
        assert meaning, name
        if name in TOLD_IN_WORDS:
            assert default == TOLD_IN_WORDS[name]
        elif not callable(setting.default):
            assert any(default.startswith(each) for each in written(setting.default)), (name, default)
        else:
            assert ", else `" in default, name


def test_the_documents_tell_every_limit_and_the_middleware_of_the_api() -> None:
    told = {cells[0].strip("`"): cells[1].strip("`") for cells in rows("install.md") if len(cells) == 3}
    page = (Path(__file__).parents[2] / "docs" / "install.md").read_text()

    assert {rule: told.get(rule) for rule in conf.LIMITS} == conf.LIMITS
    block = page.partition("`API_MIDDLEWARE` has, unless you set it:\n\n```python\n")[2].partition("```")[0]
    assert re.findall(r'"([\w.]+)"', block) == conf.API_MIDDLEWARE
