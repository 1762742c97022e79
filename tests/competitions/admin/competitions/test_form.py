"""Making and changing competitions in the admin: what can be typed, and every refusal at its field."""

import re
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from PIL import Image

from competitions.models import Competition, RewardTier
from competitions.models.competitions import default_alerts
from tests.competitions.admin.typed import ADD, LIST, ZONE, change, moment, page, refusals, typed
from tests.competitions.factories import DAY, END, HOUR, MINUTE, START
from tests.competitions.site import draft, joined, make_board, open_competition, reloaded

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]


def picture(size: tuple[int, int] = (2400, 1000), kind: str = "JPEG", **saved: Any) -> SimpleUploadedFile:
    out = BytesIO()
    Image.new("RGB", size, "teal").save(out, kind, **saved)
    return SimpleUploadedFile("p.jpg", out.getvalue())


def tier(**changed: str) -> dict[str, str]:
    """A reward beside the competition, as the form sends it."""
    values = {"name": "Gold", "code": "gold", "kind": "rank", "from_rank": "1", "limit": "1"} | changed
    return {f"reward_tiers-0-{name}": text for name, text in values.items()} | {"reward_tiers-TOTAL_FORMS": "1"}


def test_a_draft_is_made_with_times_on_its_own_clock(admin: Client) -> None:
    answer = admin.post(
        ADD, typed(make_board(), invited="alice\r\n bob \n\nalice", joining="list", description="A\r\n\tb", **tier())
    )

    assert answer.status_code == 302, refusals(answer)
    competition, reward = Competition.objects.get(), RewardTier.objects.get()
    assert (competition.starts_at, competition.ends_at) == (START + DAY, END + DAY)
    assert competition.published_at is None
    assert set(competition.invitations.values_list("external_id", flat=True)) == {"alice", "bob"}
    assert (reward.competition, reward.name, int(reward.limit)) == (competition, "Gold", 1)


def test_a_new_one_has_the_alerts_on_that_a_competition_has_unless_asked_otherwise(admin: Client) -> None:
    html = page(admin, ADD)
    made = draft(alerts=["top3_entered"])

    assert ticked(html) == default_alerts()
    assert ticked(page(admin, change(made))) == ["top3_entered"]
    admin.post(ADD, typed(make_board(), alerts=[]))
    assert Competition.objects.get(name="Cup").alerts == []


def ticked(html: str) -> list[str]:
    """The alerts whose boxes are ticked."""
    return re.findall(r'name="alerts" value="(\w+)"[^>]* checked', html)


def test_the_list_says_where_each_stands_and_what_comes_next(admin: Client) -> None:
    board = make_board()
    draft(board)
    running = open_competition(board, name="Now", timezone=ZONE, freeze_minutes=60)
    joined(running, "alice", "bob")

    html = page(admin, LIST)

    assert "publish it" in html
    assert "freezes " in html
    assert 'class="field-taking_part">2</td>' in html
    assert "KST" in html
    shown = [each for each in ("draft", "running", "hidden", "past") if "Now" in page(admin, f"{LIST}?state={each}")]
    assert shown == ["running"]


@pytest.mark.parametrize(
    ("changed", "field", "said"),
    [
        ({"ends_at": START + DAY}, "ends_at", "must end after it starts"),
        ({"timezone": "Mars/Olympus"}, "timezone", "is no time zone"),
        ({"joining": "code"}, "join_code", "needs a code"),
        ({"invited": "alice\na,b"}, "invited", ","),
        ({"starts_at_0": "tomorrow"}, "starts_at", "valid date"),
        ({"name": "Cu\u202ep"}, "name", "turns the direction"),
        ({"description": "One\r\ntw\u2067o"}, "description", "turns the direction"),
        ({"description": "One\r\ntw\x07o"}, "description", "cannot be shown"),
    ],
)
def test_what_cannot_work_is_refused_at_its_field(
    admin: Client, changed: dict[str, Any], field: str, said: str
) -> None:
    answer = admin.post(ADD, typed(make_board(), **changed))

    assert said in " ".join(answer.context["adminform"].form.errors[field])
    assert not Competition.objects.exists()


@pytest.mark.parametrize(
    ("board", "changed", "said"),
    [
        ({"tie_break": "score", "total_maximum": 2**31 - 1}, {"ends_at": START + 60 * DAY}, "48.5 days"),
        ({"period": "week"}, {}, "period event"),
        ({"criteria": [{"name": "stage", "bits": 15, "order": "desc"}]}, tier(kind="points"), "has no points"),
        ({}, tier(limit="1.5"), "whole number"),
        ({}, tier(limit="2", from_rank="3"), "whole number"),
        ({}, tier(kind="percent", limit="101"), "at most 100"),
    ],
)
def test_what_its_board_cannot_hold_or_nobody_could_earn_is_refused(
    admin: Client, board: dict[str, Any], changed: dict[str, Any], said: str
) -> None:
    assert said in refusals(admin.post(ADD, typed(make_board(**board), **changed)))
    assert not Competition.objects.exists()
    assert not RewardTier.objects.exists()


def test_once_published_times_and_rules_stay_whatever_is_sent_and_who_may_join_can_change(
    admin: Client,
) -> None:
    competition = open_competition(attempts=3)
    sent = {"name": "Renamed", "attempts": "9", "starts_at": START - DAY, "ends_at": START + MINUTE, "joining": "code"}

    refused = admin.post(change(competition), typed(make_board("sql"), **sent))
    done = admin.post(change(competition), typed(make_board("sql"), **sent, join_code="FRIENDS"))

    stored = reloaded(competition)
    assert "needs a code" in refusals(refused)
    assert done.status_code == 302
    assert (stored.name, stored.attempts, stored.board_id) == ("Renamed", 3, competition.board_id)
    assert (stored.starts_at, stored.ends_at, stored.join_code) == (START, END, "FRIENDS")
    assert "is fixed since it was published" in page(admin, change(competition))


def test_whether_places_stay_empty_is_chosen_for_a_draft_and_fixed_once_it_is_published(admin: Client) -> None:
    drafted, running = draft(make_board(), name="Cup"), open_competition(make_board(), vacated_places="stay_empty")

    chosen = admin.post(change(drafted), typed(drafted.board, vacated_places="stay_empty"))
    refused = admin.post(change(drafted), typed(drafted.board, vacated_places="whatever"))
    admin.post(change(running), typed(running.board))

    assert (chosen.status_code, reloaded(drafted).vacated_places) == (302, "stay_empty")
    assert "whatever" in refusals(refused)
    assert reloaded(running).vacated_places == "stay_empty"
    assert "they stay empty" in page(admin, change(running))


def test_what_is_over_can_still_be_described(admin: Client) -> None:
    competition = open_competition(starts_at=START - DAY, ends_at=START, join_until=START - HOUR)
    sent = typed(competition.board, description="Well run.") | moment("join_until", START - HOUR, "UTC")

    answer = admin.post(change(competition), sent)

    assert answer.status_code == 302, refusals(answer)
    assert reloaded(competition).description == "Well run."


def test_a_picture_becomes_webp_of_a_size_without_metadata_and_can_be_taken_away(admin: Client) -> None:
    board, exif = make_board(), Image.Exif()
    exif[0x010F] = "A camera in the garden"

    admin.post(ADD, typed(board, upload=picture(exif=exif)))

    competition = Competition.objects.get()
    assert competition.picture is not None
    with Image.open(BytesIO(competition.picture)) as stored:
        assert (stored.format, stored.size) == ("WEBP", (1200, 500))
        assert not stored.getexif()
    assert b"garden" not in bytes(competition.picture)
    assert f"{competition.picture_hash}.webp" in page(admin, change(competition))

    admin.post(change(competition), typed(board, no_picture="on"))
    assert reloaded(competition).picture_hash == ""


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (lambda: picture().read()[:200], "no picture that can be read"),
        (lambda: b"<svg xmlns='http://www.w3.org/2000/svg'/>", "no picture that can be read"),
        (lambda: b"x" * (5 * 1024 * 1024 + 1), "at most 5 MB"),
        (lambda: picture((9000, 9000), "PNG").read(), "40 million pixels"),  # refused before it is unpacked
    ],
    ids=["cut off", "svg", "large", "bomb"],
)
def test_what_is_no_picture_is_refused(admin: Client, content: Callable[[], bytes], said: str) -> None:
    answer = admin.post(ADD, typed(make_board(), upload=SimpleUploadedFile("p.jpg", content())))

    assert said in refusals(answer)
    assert not Competition.objects.exists()


def test_a_draft_can_be_deleted_and_neither_a_published_one_nor_its_board(admin: Client) -> None:
    board = make_board()
    loose, published = draft(board), open_competition(board, name="Spring cup")

    gone = admin.post(f"{LIST}{loose.pk}/delete/", {"post": "yes"})
    kept = admin.post(f"{LIST}{published.pk}/delete/", {"post": "yes"})
    of_board = admin.post(f"/admin/leaderboards/board/{board.seq}/delete/", {"post": "yes"})

    assert (gone.status_code, kept.status_code, of_board.status_code) == (302, 403, 200)
    assert "competition: Spring cup" in of_board.content.decode()
    assert list(Competition.objects.all()) == [published]
