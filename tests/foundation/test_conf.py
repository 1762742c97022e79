"""Settings of a project that Sunwi's apps are installed in: ``SUNWI``, and what is set where it says nothing."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.conf import LazySettings, Settings
from django.core.exceptions import ImproperlyConfigured

from config.components import rate_limits
from foundation import conf
from foundation.throttling.limits import Limit


@pytest.fixture
def host() -> Iterator[Any]:
    """Settings as ``startproject`` leaves them: ``conf`` fills these."""
    plain = LazySettings()
    plain._wrapped = Settings("tests.foundation.host_settings")
    with patch.object(conf, "settings", plain), patch.object(conf, "_filled", set()):
        yield plain


def test_what_is_not_said_has_its_default(host: Any) -> None:
    conf.fill()

    assert all(hasattr(host, name) for name in conf.SETTINGS)
    assert host.RATE_LIMITS["write"] == Limit(50_000, 10)
    assert host.ENCRYPTION_KEYS == ["a-key-of-the-host"]
    assert (host.DEVICE_COOKIE_NAME, host.STAFF_SECOND_FACTOR) == ("device", "off")


def test_with_secure_cookies_staff_need_a_second_factor(host: Any) -> None:
    host.SESSION_COOKIE_SECURE = True

    conf.fill()

    assert (host.DEVICE_COOKIE_NAME, host.STAFF_SECOND_FACTOR) == ("__Host-device", "required")


def test_what_is_said_counts_and_the_rest_of_the_limits_stays(host: Any) -> None:
    host.SUNWI = {"RATE_LIMITS": {"write": "7/3", "read": ""}, "ENCRYPTION_KEYS": ["k" * 32], "AUDIT_KEEP_DAYS": 9}

    conf.fill()
    conf.fill()  # each app asks

    assert (host.RATE_LIMITS["write"], host.RATE_LIMITS["read"]) == (Limit(7, 3), None)
    assert host.RATE_LIMITS["page"] == Limit(5_000, 10)
    assert host.ENCRYPTION_KEYS == ["k" * 32, "a-key-of-the-host"]
    assert host.AUDIT_KEEP_DAYS == 9


def test_what_the_project_sets_by_itself_stays(host: Any) -> None:
    host.SITE_URL = "https://mine.example"

    conf.fill()

    assert host.SITE_URL == "https://mine.example"


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
        conf.fill()

    assert str(refused.value).startswith("The setting SUNWI ")
    assert said in str(refused.value)


@pytest.mark.parametrize("name", conf.SECRETS)
def test_a_refused_secret_is_not_repeated(host: Any, name: str) -> None:
    host.SUNWI = {name: "hush" if name == "METRICS_TOKEN" else ["hush"]}

    with pytest.raises(ImproperlyConfigured, match=name) as refused:
        conf.fill()

    assert "hush" not in str(refused.value)


def test_what_is_said_twice_is_refused(host: Any) -> None:
    host.SITE_URL = "https://mine.example"
    host.SUNWI = {"SITE_URL": "https://other.example"}

    with pytest.raises(ImproperlyConfigured, match="has SITE_URL, which the settings also set by itself"):
        conf.fill()


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
