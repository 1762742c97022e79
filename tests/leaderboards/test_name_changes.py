"""Names that are cached: for long while nobody changes them, and never longer than a moment once somebody does."""

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from foundation import clock
from leaderboards.models import NameChange, Player
from leaderboards.selectors.player_data import name_changes, names
from leaderboards.selectors.player_data.name_changes import KNOWN_SECONDS, MAX_GAP_SECONDS, POLL_SECONDS
from leaderboards.selectors.player_data.names import NAME_SECONDS, TRUST_SECONDS, cached_names, countries_of, names_of
from leaderboards.services.periods.retention import drop_name_changes
from leaderboards.services.players.profiles import set_profile
from tests.playing import name

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ann(stopped_clock: list[float]) -> None:
    """Ann, whose name this process has cached, and whose changes it knows."""
    name("ann", "Ann")
    assert names_of(["ann"]) == {"ann": "Ann"}


def elsewhere(change: Callable[[], object]) -> None:
    """Change something as another process would: nothing in this one is told."""

    def run() -> None:
        change()
        connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()


def by_sql(statement: str) -> Callable[[], object]:
    def run() -> None:
        with connection.cursor() as cursor:
            cursor.execute(statement)

    return run


@pytest.mark.usefixtures("ann")
def test_while_nobody_is_renamed_names_are_not_read_again(stopped_clock: list[float]) -> None:
    for _ in range(20):
        stopped_clock[0] += NAME_SECONDS
        with CaptureQueriesContext(connection) as asked:
            assert cached_names(["ann"]) == names_of(["ann"]) == {"ann": "Ann"}
        assert len(asked) == 1  # for changes
        assert "leaderboards_namechange" in asked[0]["sql"]

    with CaptureQueriesContext(connection) as asked:
        assert [names_of(["ann"]) for _ in range(9)] == 9 * [{"ann": "Ann"}]
    assert len(asked) == 0  # changes are asked for once in a while


@pytest.mark.usefixtures("ann")
@pytest.mark.parametrize(
    ("change", "shown"),
    [
        (lambda: Player.objects.filter(external_id="ann").update(name="Anna"), "Anna"),
        (by_sql("UPDATE leaderboards_player SET name = 'Anna' WHERE external_id = 'ann'"), "Anna"),
        (by_sql("UPDATE leaderboards_player SET external_id = 'erased-1' WHERE external_id = 'ann'"), ""),
        (by_sql("DELETE FROM leaderboards_player WHERE external_id = 'ann'"), ""),
    ],
)
def test_a_change_by_another_process_is_shown_as_soon_as_changes_are_asked_for(
    stopped_clock: list[float], change: Callable[[], object], shown: str
) -> None:
    elsewhere(change)
    stopped_clock[0] += POLL_SECONDS

    assert names_of(["ann"]) == {"ann": shown}


@pytest.mark.usefixtures("ann")
def test_a_country_and_a_name_of_somebody_new_are_shown_likewise(stopped_clock: list[float]) -> None:
    assert names_of(["ann", "bob"]) == {"ann": "Ann", "bob": ""}
    elsewhere(lambda: Player.objects.create(external_id="bob", name="Bob"))
    elsewhere(lambda: Player.objects.filter(external_id="ann").update(country="KR"))
    stopped_clock[0] += POLL_SECONDS

    assert names_of(["ann", "bob"]) == {"ann": "Ann", "bob": "Bob"}
    assert countries_of(["ann"]) == {"ann": "KR"}


@pytest.mark.usefixtures("ann")
def test_an_id_that_somebody_else_gets_brings_no_old_name_back(stopped_clock: list[float]) -> None:
    elsewhere(by_sql("UPDATE leaderboards_player SET external_id = 'erased-1', name = '' WHERE external_id = 'ann'"))
    assert names_of(["erased-1"]) == {"erased-1": ""}  # before changes are asked for
    stopped_clock[0] += POLL_SECONDS

    assert names_of(["ann"]) == {"ann": ""}


@pytest.mark.usefixtures("ann")
def test_a_transaction_that_ends_after_younger_ones_is_not_missed(stopped_clock: list[float]) -> None:
    changed, may_end = threading.Event(), threading.Event()

    def rename_slowly() -> None:
        with transaction.atomic():
            Player.objects.filter(external_id="ann").update(name="Anna")
            changed.set()
            assert may_end.wait(20)
        connection.close()

    slow = threading.Thread(target=rename_slowly)
    slow.start()
    assert changed.wait(20)
    elsewhere(lambda: Player.objects.create(external_id="bob", name="Bob"))  # a younger transaction, which ends sooner
    stopped_clock[0] += POLL_SECONDS
    assert names_of(["ann", "bob"]) == {"ann": "Ann", "bob": "Bob"}
    may_end.set()
    slow.join()
    stopped_clock[0] += POLL_SECONDS

    assert names_of(["ann"]) == {"ann": "Anna"}


@pytest.mark.usefixtures("ann")
def test_a_name_that_was_read_before_a_change_is_not_cached_after_it(
    stopped_clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    name("bob", "Bob")
    select = names._select_names

    def select_slowly(ids: list[str]) -> object:
        found = list(select(ids))
        elsewhere(lambda: Player.objects.filter(external_id="bob").update(name="Bobby"))
        stopped_clock[0] += POLL_SECONDS
        monkeypatch.setattr(names, "_select_names", select)
        names_of(["ann"])  # another reader, who asks for changes meanwhile
        return found

    monkeypatch.setattr(names, "_select_names", select_slowly)
    assert names_of(["bob"]) == {"bob": "Bob"}

    assert names_of(["bob"]) == {"bob": "Bobby"}


@pytest.mark.usefixtures("ann")
@pytest.mark.parametrize("seconds", [POLL_SECONDS, 2 * MAX_GAP_SECONDS])
def test_many_changes_and_a_long_pause_make_all_names_be_read_again(
    stopped_clock: list[float], monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    monkeypatch.setattr(name_changes, "MAX_CHANGES", 0)
    elsewhere(lambda: Player.objects.filter(external_id="ann").update(name="Anna"))
    stopped_clock[0] += seconds

    assert names_of(["ann"]) == {"ann": "Anna"}


ERASED = "UPDATE leaderboards_player SET external_id = 'erased-1', name = '', country = '' WHERE external_id = 'ann'"


@pytest.mark.parametrize("change", [ERASED, "DELETE FROM leaderboards_player WHERE external_id = 'ann'"])
def test_who_is_erased_while_they_are_first_read_is_forgotten(
    stopped_clock: list[float], monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    name("ann", "Ann")
    Player.objects.filter(external_id="ann").update(country="KR")
    name("zoe", "Zoe")
    assert names_of(["zoe"]) == {"zoe": "Zoe"}  # changes are known from here on
    select = names._select_names

    def select_slowly(ids: list[str]) -> object:
        found = list(select(ids))
        elsewhere(by_sql(change))
        stopped_clock[0] += POLL_SECONDS
        monkeypatch.setattr(names, "_select_names", select)
        names_of(["zoe"])  # another reader, who asks for changes meanwhile
        return found

    monkeypatch.setattr(names, "_select_names", select_slowly)
    names_of(["ann"])
    elsewhere(lambda: Player.objects.create(external_id="ann"))  # the game gives the id to somebody new
    stopped_clock[0] += POLL_SECONDS

    assert names_of(["ann"]) == {"ann": ""}
    assert countries_of(["ann"]) == {}


def test_who_is_read_while_all_are_forgotten_is_still_heard_of(
    stopped_clock: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    name("ann", "Ann")
    assert names_of(["ann"]) == {"ann": "Ann"}
    reader = threading.Thread(target=lambda: names_of(["ann"]))

    class Slow(dict[int, str]):
        def clear(self) -> None:
            reader.start()
            reader.join(0.2)  # it waits for the lock, or has read by now
            super().clear()

    monkeypatch.setattr(names, "_players", Slow(names._players))
    names._forget()
    reader.join(20)
    elsewhere(by_sql(ERASED))
    stopped_clock[0] += POLL_SECONDS

    assert names_of(["ann"]) == {"ann": ""}


@pytest.mark.usefixtures("ann")
@pytest.mark.parametrize(
    "seen",
    [
        {"snapshot": "9000000:9000000:"},  # of a server that has lost some transactions since
        {"server": "another"},
        {"at": 0.0},  # this machine was suspended, and its monotonic clock with it
    ],
)
def test_another_server_and_a_suspended_machine_make_all_names_be_read_again(
    stopped_clock: list[float], seen: dict[str, Any]
) -> None:
    before = names._changes._seen
    assert before is not None
    names._changes._seen = before._replace(**seen)
    elsewhere(by_sql(f"SET session_replication_role = replica; {ERASED}; SET session_replication_role = origin"))
    NameChange.objects.all().delete()
    stopped_clock[0] += POLL_SECONDS

    assert names_of(["ann"]) == {"ann": ""}


@pytest.mark.usefixtures("ann")
def test_changes_of_another_server_that_were_restored_are_not_taken_for_new_ones(stopped_clock: list[float]) -> None:
    by_sql(
        "INSERT INTO leaderboards_namechange (player, xid, at) SELECT 1, 9000000, now() FROM generate_series(1, 1500)"
    )()
    for _ in range(3):
        stopped_clock[0] += POLL_SECONDS
        with CaptureQueriesContext(connection) as asked:
            assert names_of(["ann"]) == {"ann": "Ann"}
        assert len(asked) == 1


@pytest.mark.usefixtures("ann")
def test_a_session_with_another_search_path_lists_changes_too(stopped_clock: list[float]) -> None:
    elsewhere(by_sql("SET search_path = ''; UPDATE public.leaderboards_player SET name = 'Anna' WHERE name = 'Ann'"))
    stopped_clock[0] += POLL_SECONDS

    assert names_of(["ann"]) == {"ann": "Anna"}


@pytest.mark.usefixtures("ann")
def test_while_changes_cannot_be_asked_for_names_end_by_their_age(stopped_clock: list[float]) -> None:
    elsewhere(lambda: Player.objects.filter(external_id="ann").update(name="Anna"))
    with transaction.atomic():
        stopped_clock[0] += KNOWN_SECONDS
        assert names_of(["ann"]) == {"ann": "Ann"}
        stopped_clock[0] += NAME_SECONDS - KNOWN_SECONDS

        assert names_of(["ann"]) == {"ann": "Anna"}


@pytest.mark.usefixtures("ann")
def test_a_name_that_no_trigger_saw_change_ends_by_its_age(stopped_clock: list[float]) -> None:
    elsewhere(
        by_sql("""
        ALTER TABLE leaderboards_player DISABLE TRIGGER leaderboards_player_renamed;
        UPDATE leaderboards_player SET name = 'Anna' WHERE external_id = 'ann';
        ALTER TABLE leaderboards_player ENABLE TRIGGER leaderboards_player_renamed;
    """)
    )
    stopped_clock[0] += TRUST_SECONDS

    assert names_of(["ann"]) == {"ann": "Anna"}


def test_only_what_is_shown_is_listed_and_not_for_long() -> None:
    at = clock.now()
    NameChange.objects.all().delete()
    Player.objects.create(external_id="nobody")
    assert NameChange.objects.count() == 0
    set_profile("ann", {"name": "Ann", "avatar_url": ""}, at)
    set_profile("ann", {"name": "Ann"}, at)
    Player.objects.filter(external_id="ann").update(banned_at=at)

    assert [*NameChange.objects.values_list("player", flat=True)] == [Player.objects.get(external_id="ann").pk]
    assert drop_name_changes(clock.now()) == 0
    assert drop_name_changes(clock.now() + timedelta(hours=25)) == 1
