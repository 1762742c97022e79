"""What the doctor says of the page cache of a project that keeps it elsewhere than in Redis."""

from django.utils.translation import override
from pytest_django import Settings

from foundation import clock
from leaderboards.management import doctor_checks as checkup
from leaderboards.management.findings import State


def test_a_page_cache_that_is_no_redis_is_well(settings: Settings) -> None:
    backend = "django.core.cache.backends.locmem.LocMemCache"
    settings.CACHES = {**settings.CACHES, "default": {"BACKEND": backend}}

    [english] = checkup.page_cache(clock.now())
    with override("ko"):
        [korean] = checkup.page_cache(clock.now())

    assert (english.state, english.detail) == (State.OK, "Django's own cache (LocMemCache), not Redis")
    assert korean.detail == "Redis가 아닌 Django 자체 캐시(LocMemCache)"
