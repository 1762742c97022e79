"""The servers that tests/servers.py starts are real and configured as the product demands."""

import pytest
import redis
from django.conf import settings
from django.core.cache import caches
from django.db import connection


def test_redis_keeps_what_it_acknowledged(redis_server: list[redis.Redis]) -> None:
    with redis.Redis.from_url(settings.REDIS_URL, decode_responses=True) as client:
        configured = client.config_get("*")

    assert configured["appendonly"] == "yes"
    assert configured["maxmemory-policy"] == "noeviction"


def test_boards_and_page_cache_do_not_share_a_database(redis_server: list[redis.Redis]) -> None:
    caches["default"].set("page", "cached")

    with redis.Redis.from_url(settings.REDIS_URL) as client:
        assert client.dbsize() == 0


@pytest.mark.django_db
def test_sql_answers() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")

        assert cursor.fetchone() == (1,)
