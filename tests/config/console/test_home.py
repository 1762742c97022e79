"""The admin's home: what it tells, to whom, what it costs, and that one failing source breaks no page."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from config.console import home, needs, status, tiles
from foundation import clock
from foundation.audit.models import AuditEntry
from foundation.db.blocks import Budget, BudgetSpent
from foundation.models import DeadLetter, Heartbeat
from foundation.monitoring import minutes
from foundation.tasks import WORKER
from leaderboards.models import Board, Period
from tests.competitions.site import draft
from tests.leaderboards.factories import BoardFactory
from tests.leaderboards.services.site import make_board, score
from tests.staff import chief, staff

pytestmark = pytest.mark.django_db

HOME = "/admin/"


@pytest.fixture
def admin(links: None) -> Client:
    Heartbeat.note(WORKER, clock.now())
    return chief()


def text(client: Client, address: str = HOME) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return re.sub(r"\s+", " ", answer.content.decode())


def plain(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def test_it_tells_of_servers_boards_and_scores_of_the_last_hour(admin: Client) -> None:
    board = make_board("hybrid", clock.now())
    score(board, {"ann": 5, "bob": 7}, clock.now())
    minutes.write()

    html = text(admin)

    assert "PostgreSQL" in html if connection.vendor == "postgresql" else "SQL" in html
    assert html.count('class="tile is-good"') >= 4
    said = plain(html)
    assert re.search(rf"{board.name} .* 2 ", said)
    assert "Scores a minute" in said
    assert "counted since a moment ago" in said
    assert "Nothing waits for you." in said


def test_what_waits_has_its_count_cause_and_one_verb(admin: Client) -> None:
    at = clock.now()
    DeadLetter.note("standing", "LeaderBoard_5_all/omar", {}, "value too large\nmore of it", at)
    late = draft(name="Winter sprint", starts_at=at - timedelta(hours=3), ends_at=at + timedelta(days=1))

    html = text(admin)

    assert "LeaderBoard_5_all/omar: value too large" in html
    assert "more of it" not in html
    assert f'href="/admin/competitions/competition/{late.pk}/change/" aria-label="Correct: Start in the past"' in html
    assert 'href="/admin/foundation/deadletter/?resolved_at__isempty=1" aria-label="Retry: Dead letter"' in html
    assert html.count('class="rail-badge"') == 2


def test_staff_see_only_what_they_may_look_at(admin: Client) -> None:
    at = clock.now()
    DeadLetter.note("standing", "a-secret-subject", {}, "why", at)
    draft(name="Secret cup", starts_at=at - timedelta(hours=3), ends_at=at + timedelta(days=1))
    BoardFactory.create(name="Secret board", period="day")
    secrets = {"a-secret-subject": "view_deadletter", "Secret cup": "view_competition", "Secret board": "view_board"}

    seen = {
        permission or "none": {
            secret for secret in secrets if secret in text(staff(*[permission] if permission else []))
        }
        for permission in ("", *secrets.values())
    }

    assert seen == {
        "none": set(),
        "view_deadletter": {"a-secret-subject"},
        "view_competition": {"Secret cup"},
        "view_board": {"Secret board"},
    }
    assert set(secrets) <= {secret for secret in secrets if secret in text(admin)}


def test_staff_without_rights_are_told_of_servers_and_of_no_scores() -> None:
    html = text(staff())

    assert "Mirror lag" in html
    assert 'class="tile is-unknown"' in html  # scores and refusals
    assert "Done lately" not in html
    assert "/admin/leaderboards/board/" not in html


def test_what_people_did_is_not_pushed_out_by_what_happens_by_itself(admin: Client) -> None:
    at = clock.now()
    AuditEntry.objects.create(at=at - timedelta(hours=1), act="board.changed", by_name="mina")
    AuditEntry.objects.bulk_create(AuditEntry(at=at, act="period.closed") for _ in range(20))

    html = text(admin).partition("Done lately")[2]

    assert "mina" in html
    assert "by itself" not in html


def test_a_redis_whose_boards_are_brought_up_to_date_is_not_told_as_well(admin: Client) -> None:
    Period.objects.filter(board=make_board("hybrid", clock.now())).update(stale_since=clock.now())

    html = text(admin)

    assert re.search(r'class="tile is-warning" data-key="Redis".*?periods are being brought up to date', html)


def test_a_share_that_is_not_nothing_is_not_told_as_zero() -> None:
    assert [tiles.percent(share) for share in (0, 0.0001, 0.004, 0.2)] == ["0", "< 0.1", "0.4", "20"]
    assert tiles.Tile("Refused", tiles.GOOD, "< 0.1").is_number


def test_without_acts_of_people_the_last_ones_of_the_schedule_are_told(admin: Client) -> None:
    AuditEntry.objects.create(at=clock.now(), act="period.closed")

    assert "by itself" in text(admin).partition("Done lately")[2]


def test_home_reads_the_status_anew_where_other_pages_take_what_is_known(
    admin: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = clock.monotonic()
    monkeypatch.setattr(clock, "monotonic", lambda: seconds)
    text(admin)
    Heartbeat.note(WORKER, clock.now() - timedelta(minutes=5))
    seconds += 2

    elsewhere, home_page = text(admin, "/admin/leaderboards/board/"), text(admin)

    assert "The worker has been silent" not in elsewhere
    assert "The worker has been silent" in home_page


def broken(*_args: object, **_more: object) -> Any:
    raise OperationalError("canceling statement due to statement timeout")


def crashed(*_args: object, **_more: object) -> Any:
    raise RuntimeError("a mistake of ours")


@pytest.mark.parametrize("failure", [broken, crashed])
@pytest.mark.parametrize("source", ["boards_running", "coming", "recent_actions"])
def test_a_part_that_fails_says_so_and_breaks_no_page(
    admin: Client, source: str, failure: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(home, source, failure)

    html = text(admin)

    assert html.count('class="part-failed"') == 1
    for others in ("How the servers do", "Needs you"):
        assert others in html


def test_one_source_of_what_waits_that_fails_hides_no_other(admin: Client) -> None:
    DeadLetter.note("standing", "LeaderBoard_5_all/omar", {}, "why", clock.now())
    kinds = [crashed if kind.__name__ == "_quarantined" else kind for kind in needs.KINDS]

    with patch.object(needs, "KINDS", [crashed_named(kind) for kind in kinds]):
        html = text(admin)

    assert "LeaderBoard_5_all/omar" in html
    assert "part-failed" in html


def crashed_named(kind: Any) -> Any:
    kind.__name__ = getattr(kind, "__name__", "crashed")
    return kind


def test_while_a_broker_is_away_the_queue_is_not_told(admin: Client, settings: Any) -> None:
    with patch.object(tiles, "_read_queue_length", return_value=None):
        assert "the broker does not answer" in text(admin)


def test_a_budget_that_is_spent_asks_no_more() -> None:
    budget, ran = Budget(milliseconds=0), []

    def note(execute: Callable[..., Any], sql: str, *others: Any) -> Any:
        ran.append(sql)
        return execute(sql, *others)

    def count() -> int:
        with connection.execute_wrapper(note):  # inside of the budget's: what that refuses does not come here
            return Board.objects.count()

    block = budget.read("boards", count)

    assert block.value is None
    assert "too long" in block.failed
    assert ran == []
    assert issubclass(BudgetSpent, Exception)


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite ends no statement")
def test_a_slow_statement_ends_by_what_is_left_and_later_ones_go_on() -> None:
    def slow() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_sleep(5)")

    begun = clock.monotonic()
    block = Budget(milliseconds=50).read("slow", slow)

    assert clock.monotonic() - begun < 2
    assert "too long" in block.failed
    assert Budget().read("boards", Board.objects.count).value == 0


def test_the_number_of_statements_does_not_grow_with_what_there_is(admin: Client) -> None:
    def statements() -> int:
        status.forget()
        with CaptureQueriesContext(connection) as asked:
            text(admin)
        return len(asked)

    for number in range(3):
        BoardFactory.create(name=f"Few {number}", period="day")
    few = statements()
    for number in range(30):
        BoardFactory.create(name=f"Many {number}", period="day")
        DeadLetter.note("standing", f"subject {number}", {}, "why", clock.now())

    assert statements() <= few + 2


def test_what_every_page_shows_is_one_look_of_some_seconds(admin: Client) -> None:
    address = "/admin/leaderboards/board/"
    text(admin, address)

    with CaptureQueriesContext(connection) as asked:
        text(admin, address)

    assert not [each for each in asked if re.search("heartbeat|deadletter", each["sql"] or "")]


def test_the_page_asks_for_its_parts_alone_and_these_are_all_of_its_parts(admin: Client) -> None:
    board = make_board("hybrid", clock.now())
    score(board, {"ann": 5}, clock.now())

    whole, fragment = text(admin), text(admin, f"{HOME}?fragment=1")

    parts = re.findall(r'data-part="(\w+)"', whole)
    assert sorted(re.findall(r'data-part="(\w+)"', fragment)) == sorted(parts)
    assert set(parts) == {"rail", "banner", "clock", "tiles", "parts", "next", "lately"}
    assert "<html" not in fragment
    assert "csrfmiddlewaretoken" not in fragment
    assert 'src="/static/js/admin-live.js" data-every="5"' in whole
    assert Client().get(f"{HOME}?fragment=1").status_code == 302


def test_bars_of_all_boards_are_on_one_scale(admin: Client) -> None:
    at = clock.now()
    few, many = (make_board("sql", at, name=name, update="increment") for name in ("Few", "Many"))
    score(few, {"ann": 1}, at)
    score(many, {f"p{nth}": 1 for nth in range(28)}, at)
    minutes.write()

    html = text(admin)

    table = html.partition('class="home-table"')[2].partition("</table>")[0]
    heights = {name: re.findall(r"v-(\d+)h", row) for name, row in re.findall(r">(Few|Many)</a>(.*?)</tr>", table)}
    assert heights == {"Few": ["1"], "Many": ["28"]}
    assert "the highest bar is 28 a minute" in html


@pytest.fixture(autouse=True)
def _no_queue() -> Iterator[None]:
    """Tests have a broker of their own, which is empty."""
    with patch.object(tiles, "_read_queue_length", return_value=0):
        yield
