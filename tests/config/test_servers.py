"""The servers that tests/servers.py starts are real and configured as the product demands."""

import pytest
from django.core.cache import caches
from django.db import connection
from django_redis import get_redis_connection


def test_redis_keeps_what_it_acknowledged() -> None:
    client = get_redis_connection("boards")

    settings = client.config_get("*")

    assert settings["appendonly"] == "yes"
    assert settings["maxmemory-policy"] == "noeviction"


def test_boards_and_page_cache_do_not_share_a_database() -> None:
    caches["default"].set("page", "cached")

    assert get_redis_connection("boards").dbsize() == 0


@pytest.mark.django_db
def test_sql_answers() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")

        assert cursor.fetchone() == (1,)
