"""The commands that set a site up: boards from a file, service keys, and which period is when."""

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core.management.base import CommandError

from foundation import clock
from foundation.models import ServiceKey
from foundation.security import service_keys
from foundation.throttling.limits import Limit
from leaderboards.core.periods import latest_window
from leaderboards.models import Board
from tests.foundation.factories import WebhookEndpointFactory
from tests.leaderboards.commands.calls import Printed, run
from tests.leaderboards.factories import BoardFactory

pytestmark = pytest.mark.django_db
WEBHOOKS = Path(__file__).parents[3] / "docs/webhooks.md"


def apply(folder: Path, text: str) -> Printed:
    file = folder / "boards.json"
    file.write_text(text)
    return run("apply_boards", file)


def test_boards_are_made_and_then_updated_by_name(tmp_path: Path) -> None:
    exact = '"decimals": 6, "maximum": 2147483.300001, "total_maximum": 4147483.300003'

    made = apply(tmp_path, f'{{"boards": [{{"name": "Weekly"}}, {{"name": "Exact", {exact}}}]}}').json
    updated = apply(tmp_path, '{"boards": [{"name": "Weekly", "maximum": 100}]}').json

    assert made["boards"].keys() == {"Weekly", "Exact"}
    assert updated == {"boards": {"Weekly": made["boards"]["Weekly"]}}
    assert Board.objects.get(name="Weekly").maximum == 100
    board = Board.objects.get(name="Exact")
    assert (str(board.maximum), str(board.total_maximum)) == ("2147483.300001", "4147483.300003")


def test_a_dry_run_tells_of_a_new_board_what_the_file_sets_and_of_another_what_changes(tmp_path: Path) -> None:
    BoardFactory.create(name="Known", order="desc")
    file = tmp_path / "boards.json"
    boards = [{"name": "New", "period": "month", "decimals": 2}, {"name": "Known", "order": "asc"}]
    file.write_text(json.dumps({"boards": boards}))

    new, known = run("apply_boards", file, "--dry-run").json["would"]

    told = {each["setting"]: each for each in new["changes"]}
    assert told.keys() == {"name", "period", "decimals"}
    assert told["period"] == {"setting": "period", "new": "month", "begins": "at_once"}
    assert [(each["setting"], each["old"], each["new"]) for each in known["changes"]] == [("order", "desc", "asc")]
    assert {*Board.objects.values_list("name", flat=True)} == {"Known"}


def test_the_board_that_shows_a_period_final_soon_ends_every_ten_minutes(tmp_path: Path) -> None:
    [shown] = re.findall(r"```json\n(.*Ten minutes.*)\n```", WEBHOOKS.read_text("utf-8"))

    apply(tmp_path, shown)

    board = Board.objects.get(name="Ten minutes")
    window = latest_window(board.calendar, clock.now())
    assert window.ends_at is not None
    assert window.starts_at is not None
    assert (window.ends_at - window.starts_at, board.grace_seconds) == (timedelta(minutes=10), 0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "must hold one object"),
        ('{"boards": [3]}', "must hold one object"),
        ('{"boards": [], "extra": 1}', "must hold one object"),
        ('{"boards": [{"name": "A", "maximum": NaN}]}', "[Tt]he file is not JSON: NaN"),
        ('{"boards": [{"name": "A", "colour": "red"}]}', "no setting 'colour'"),
        ('{"boards": [{"period": "week"}]}', "needs a name"),
        ('{"boards": [{"name": "A", "ties": "none"}]}', "`ties`: .*one of first_come, last_come, shared, dense"),
        ('{"boards": [{"name": "Good"}, {"name": "Bad", "timezone": "Mars/Olympus"}]}', "Bad: .*is no time zone"),
    ],
)
def test_a_file_that_is_not_what_was_meant_makes_nothing(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(CommandError, match=said):
        apply(tmp_path, text)

    assert not Board.objects.exists()


def test_a_key_opens_what_it_was_made_for_and_is_not_made_for_what_is_unknown() -> None:
    seq = BoardFactory.create().seq
    refused = {
        "--scope likes:write --limit many": "reads like 100/10",
        "--scope scores:read": "got scores:read",
        "--scope scores:write --board 77": "no board 77",
    }
    for arguments, said in refused.items():
        with pytest.raises(CommandError, match=said):
            run("create_service_key", "game", *arguments.split())
    assert not ServiceKey.objects.exists()

    printed = run("create_service_key", "game", "--scope", "scores:write", "--scope", "boards:read", "--board", seq).out
    key = service_keys.authenticate(f"Bearer {printed.strip()}")
    run("create_service_key", "wide", "--scope", "likes:write", "--limit", "100/10")
    wide = ServiceKey.objects.get(name="wide")

    assert printed.count("\n") == 1  # the key, alone on a line
    assert (key.name, key.scopes, key.boards, key.limit) == ("game", ["scores:write", "boards:read"], [seq], None)
    assert (wide.boards, wide.limit) == (None, Limit(100, 10))


def test_a_key_that_demands_more_is_made_whole_or_not_at_all() -> None:
    with pytest.raises(CommandError, match="is no block of addresses"):
        run("create_service_key", "game", "--scope", "scores:write", "--signed", "--address", "192.0.2.0/24", "here")
    assert not ServiceKey.objects.exists()

    more = ("--signed", "--address", "192.0.2.0/24", "2001:db8::/32")
    text, secret = run("create_service_key", "game", "--scope", "scores:write", *more).out.split()
    key = service_keys.authenticate(f"Bearer {text}")

    assert key.signing_secrets(clock.now()) == [secret]
    assert key.addresses == ["192.0.2.0/24", "2001:db8::/32"]


def test_secrets_are_encrypted_anew_by_a_command_that_names_what_it_cannot_open(settings: LazySettings) -> None:
    old, new = "the-old-key-of-this-site-and-long", "the-new-key-of-this-site-and-long"
    settings.ENCRYPTION_KEYS = [old]
    WebhookEndpointFactory.create(name="shop")
    settings.ENCRYPTION_KEYS = [new, old]

    looked = run("reencrypt_secrets", "--dry-run").json
    done = run("reencrypt_secrets").json
    again = run("reencrypt_secrets").json
    settings.ENCRYPTION_KEYS = [old]
    with pytest.raises(CommandError, match="opens the secrets of: webhook endpoint shop"):
        run("reencrypt_secrets")

    assert looked == {"current": 0, "would_be_reencrypted": 1, "unreadable": []}
    assert done == {"current": 0, "reencrypted": 1, "unreadable": []}
    assert again == {"current": 1, "reencrypted": 0, "unreadable": []}


def test_between_two_windows_of_a_schedule_there_is_no_period_but_the_next_ones_are_told() -> None:
    settings = {"period": "schedule", "schedule": "0 18 * * 5", "open_minutes": 3120, "timezone": "Asia/Seoul"}
    board = BoardFactory.create(name="Cup", at=clock.now(), **settings).seq

    between = run("periods", "--board", board, "--at", "2026-11-24T00:00:00Z", "--next", 10).json
    running = run("periods", "--board", board, "--at", "2026-11-28T00:00:00Z", "--next", 1).json

    cup = {"label": "2026-11-27-1800", "starts_at": "2026-11-27T09:00:00Z", "ends_at": "2026-11-29T13:00:00Z"}
    assert (between["period"], between["next"][0], len(between["next"])) == (None, cup, 10)
    assert (running["period"], running["next"][0]["label"]) == (cup, "2026-12-04-1800")


def test_a_week_that_turns_on_sunday_evening_in_seoul_and_all_time_have_their_periods() -> None:
    weekly = BoardFactory.create(timezone="Asia/Seoul", week_start="sunday", cutoff="18:00").seq
    all_time = BoardFactory.create(period="all_time").seq

    of_weeks = run("periods", "--board", weekly, "--at", "2026-11-22T08:59:59Z", "--next", 1).json
    of_one = run("periods", "--board", all_time, "--at", "2026-11-22T08:59:59Z").json

    assert of_weeks == {
        "period": {"label": "2026-46", "starts_at": "2026-11-15T09:00:00Z", "ends_at": "2026-11-22T09:00:00Z"},
        "next": [{"label": "2026-47", "starts_at": "2026-11-22T09:00:00Z", "ends_at": "2026-11-29T09:00:00Z"}],
    }
    assert of_one == {"period": {"label": "all", "starts_at": None, "ends_at": None}, "next": []}
    with pytest.raises(CommandError, match="RFC 3339"):
        run("periods", "--board", weekly, "--at", "2026-11-22 08:00")
    with pytest.raises(CommandError, match="competitions"):
        run("periods", "--board", BoardFactory.create(period="event").seq)
