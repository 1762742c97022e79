"""A warning that comes each second is written at once, then ever less often; who was refused stands in the line."""

import json
import logging
import re
from collections.abc import Callable, Iterator
from io import StringIO

import environ
import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client

from config.components.logs import (
    FORGOTTEN_AFTER,
    PAUSES,
    CallerFilter,
    JsonFormatter,
    RepeatedWarningFilter,
    UtcFormatter,
    log_format,
    logging_config,
)
from tests.foundation.factories import KeyFactory
from tests.leaderboards.factories import UserFactory

HOME = "198.51.100.7"
AT = 1_772_625_600.0  # 2026-03-04 12:00:00 UTC


def written(
    log: RepeatedWarningFilter, second: float, words: str = "Redis is away.", level: int = logging.WARNING
) -> str:
    """What is written of a line that comes then, or nothing."""
    record = logging.LogRecord("leaderboards", level, "", 0, "period %s: %s", ("1/2026-10", words), None)
    record.created = AT + second
    return record.getMessage() if log.filter(record) else ""


def test_the_same_words_each_second_are_written_ever_less_often_with_how_often_they_came() -> None:
    log = RepeatedWarningFilter()

    lines = {second: line for second in range(800) if (line := written(log, second))}

    first, second, third, fourth = 0, PAUSES[0], sum(PAUSES[:2]), sum(PAUSES)
    assert [*lines] == [first, second, third, fourth, fourth + PAUSES[2]]
    assert lines[0] == "period 1/2026-10: Redis is away."
    assert lines[10] == "period 1/2026-10: Redis is away. (10 times more since 12:00:00)"
    assert lines[70].startswith("period 1/2026-10: Redis is away. (70 times more since ")


def test_other_words_and_errors_are_written_at_once() -> None:
    log = RepeatedWarningFilter()
    written(log, 0)

    assert written(log, 1, "Redis is full.")
    assert all(written(log, second, level=logging.ERROR) for second in (1, 2))
    assert not written(log, 3)


@pytest.mark.parametrize(("quiet", "is_news"), [(PAUSES[0] + FORGOTTEN_AFTER - 1, False), (120.0, True)])
def test_what_comes_again_after_a_while_is_news(quiet: float, is_news: bool) -> None:
    log = RepeatedWarningFilter()
    written(log, 0)

    assert ("times more" not in written(log, quiet)) is is_news


@pytest.mark.parametrize("page", ["reset/MTE", "sign-up", "email", "invitations"])
def test_the_end_of_a_link_from_a_mail_is_in_no_line(page: str) -> None:
    record = logging.LogRecord(
        "django.request", logging.WARNING, "", 0, "Not Found: %s", (f"/accounts/{page}/s3cr/",), None
    )

    line = UtcFormatter("{message}", style="{").format(record)

    assert line == f"Not Found: /accounts/{page.partition('/')[0]}/***"


def test_a_line_break_from_outside_starts_no_line() -> None:
    record = logging.LogRecord("any", logging.INFO, "", 0, "named %s", ("a\r\n2026-01-01 INFO forged",), None)

    assert UtcFormatter("{message}", style="{").format(record) == r"named a\r\n2026-01-01 INFO forged"


@pytest.mark.parametrize("ends", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("seen_before", [False, True])
def test_the_words_of_an_error_start_no_line_of_the_logs_own_form(ends: str, *, seen_before: bool) -> None:
    """Of the error, of what it came of and of a stack; also where another formatter has made the traceback before."""
    forged = "2026-01-01T00:00:00.000Z INFO accounts.services.sign_ins Sign-in: account 1, forged"
    error = RuntimeError(f"b{ends}{forged}")
    error.__cause__ = ValueError(f"a{ends}{forged}")
    told = (RuntimeError, error, None)
    record = logging.LogRecord("any", logging.ERROR, "", 0, "Broken", (), told, sinfo=f"d{ends}{forged}")
    if seen_before:
        logging.Formatter().format(record)

    first, *under = re.split(r"[\r\n]", UtcFormatter("{message}", style="{").format(record))

    assert first == "Broken"
    assert sum(forged in line for line in under) == 3
    assert [line for line in under if not line.startswith("  ")] == []


@pytest.fixture
def lines() -> Iterator[Callable[[], list[str]]]:
    """What the site's own handler writes, line by line."""
    stream = StringIO()
    handler = logging.StreamHandler(stream)
    for each in (CallerFilter(), RepeatedWarningFilter()):
        handler.addFilter(each)
    handler.setFormatter(UtcFormatter("{message}", style="{"))
    logging.getLogger("django").addHandler(handler)
    yield lambda: stream.getvalue().splitlines()
    logging.getLogger("django").removeHandler(handler)


@pytest.mark.django_db
def test_each_refusal_says_who_was_refused_and_no_caller_hides_behind_anothers(lines: Callable[[], list[str]]) -> None:
    real = KeyFactory.create(scopes=["boards:read"])
    made_up = f"sunwi_0123abcd_{'0' * 40}"

    for key, address in ((made_up, "203.0.113.1"), (made_up, "203.0.113.1"), (made_up, "203.0.113.2"), (real, HOME)):
        headers = {"Authorization": f"Bearer {key}"}
        Client().post("/api/v1/scores", {}, "application/json", headers=headers, REMOTE_ADDR=address)

    said = "{}: /api/v1/scores; {} POST from {}, key {}"
    assert lines() == [
        *(said.format("Unauthorized", 401, f"203.0.113.{nth}", "0123abcd") for nth in (1, 2)),
        said.format("Forbidden", 403, HOME, real.split("_")[1]),
    ]
    assert real.split("_")[2] not in "".join(lines())


@pytest.mark.django_db
def test_who_lacks_a_permission_is_one_line_with_their_account_and_no_traceback(
    lines: Callable[[], list[str]],
) -> None:
    user = UserFactory.create(is_staff=True)
    client = Client()
    client.force_login(user)

    client.get("/admin/auth/user/", REMOTE_ADDR=HOME)

    assert lines() == [f"Forbidden (Permission denied): /admin/auth/user/; 403 GET from {HOME}, account {user.pk}"]


@pytest.mark.django_db
@pytest.mark.parametrize("broken", ["a\nb", "x" * 5000, "sunwi_"])
def test_what_a_caller_writes_into_headers_makes_no_line(lines: Callable[[], list[str]], broken: str) -> None:
    Client().get("/nothing", headers={"Authorization": f"Bearer {broken}"}, REMOTE_ADDR=HOME)

    assert lines() == [f"Not Found: /nothing; 404 GET from {HOME}"]


@pytest.mark.django_db
def test_a_host_that_is_not_ours_is_one_line_as_well(lines: Callable[[], list[str]]) -> None:
    Client().get("/", headers={"Host": "elsewhere.example"}, REMOTE_ADDR=HOME)

    assert [line.partition(": ")[0] for line in lines()] == ["Invalid HTTP_HOST header"]
    assert lines()[0].endswith(f"; 400 GET from {HOME}")


def test_what_a_worker_finds_expired_makes_no_line_each() -> None:
    assert logging_config("INFO")["loggers"]["celery.worker.request"]["level"] == "WARNING"


def test_the_handler_that_is_set_up_asks_who() -> None:
    handler = logging_config("INFO")["handlers"]["console"]

    assert handler["filters"] == ["who_asked", "said_before", "request"]


def json_line(record: logging.LogRecord) -> dict[str, object]:
    """A record in the format for machines, which is one line whatever it says."""
    line = JsonFormatter().format(record)
    assert len(line.splitlines()) == 1
    return dict(json.loads(line))


def test_a_line_for_machines_has_the_same_masks_and_no_break_from_outside() -> None:
    said = "Not Found: %s"
    record = logging.LogRecord("any", logging.INFO, "", 0, said, ("/accounts/email/s3cr/\r\n\u2028x\udcff",), None)
    record.created, record.msecs = AT, 0

    assert json_line(record) == {
        "time": "2026-03-04T12:00:00.000Z",
        "level": "INFO",
        "logger": "any",
        "message": "Not Found: /accounts/email/***\r\n\u2028x\udcff",
    }


def test_a_traceback_for_machines_stands_in_its_own_field() -> None:
    error = ValueError("at /accounts/email/s3cr\nforged")
    record = logging.LogRecord("any", logging.ERROR, "", 0, "Broken", (), (ValueError, error, None), sinfo="stack")

    told = json_line(record)

    assert (told["message"], told["stack"]) == ("Broken", "stack")
    assert told["exception"] == "ValueError: at /accounts/email/***\nforged"


@pytest.mark.parametrize(("given", "form"), [("", "plain"), ("plain", "plain"), ("JSON", "json")])
def test_the_format_is_plain_unless_the_environment_says_json(given: str, form: str) -> None:
    env = environ.Env()
    env.ENVIRON = {"LOG_FORMAT": given}

    assert log_format(env) == form
    assert logging_config("INFO", form)["handlers"]["console"]["formatter"] == form


def test_another_format_is_refused_with_those_there_are() -> None:
    env = environ.Env()
    env.ENVIRON = {"LOG_FORMAT": "xml"}

    with pytest.raises(ImproperlyConfigured, match="LOG_FORMAT is xml: set it to plain or json"):
        log_format(env)
