"""Sharing a competition: pictures hide what a freeze hides, frames and screens too; calendar files; reminders."""

from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client

from competitions.models import Competition, StartReminder
from competitions.services.lifecycle.cancel import cancel
from competitions.services.lifecycle.change_end import change_end
from competitions.services.lifecycle.finish import finish_due
from competitions.services.lifecycle.freeze import freeze_due
from foundation import clock
from leaderboards.drawing import BoardPicture, OwnPicture
from leaderboards.models import Board
from leaderboards.views.components import pictures
from tests.competitions.factories import DAY, END, HOUR, MINUTE
from tests.competitions.site import open_competition, race, reloaded, score
from tests.competitions.views.conftest import SetClock, home
from tests.leaderboards.services.restricting import keep_out
from tests.leaderboards.views.pages import signed_in, text

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

FREEZE = END - HOUR


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What was drawn since, as text."""
    made: list[Any] = []

    def note(picture: object) -> bytes:
        made.append(picture)
        return b"\x89PNG" + repr(picture).encode()

    monkeypatch.setattr(pictures, "draw_own", note)
    monkeypatch.setattr(pictures, "draw_card", note)
    return made


def entries(client: Client, competition: Competition) -> dict[str, dict[str, str]]:
    """Of its calendar file, by the part of the id that names the moment."""
    file = client.get(home(competition, "calendar.ics")).content.decode().replace("\r\n ", "")
    rows = [
        dict(line.split(":", 1) for line in each.split("\r\n") if ":" in line) for each in file.split("BEGIN:VEVENT")
    ]
    return {each["UID"].partition("@")[0].rpartition("-")[2]: each for each in rows[1:]}


def test_a_picture_shows_what_the_freeze_lets_be_seen_until_the_reveal(
    client: Client, drawn: list[Any], set_clock: SetClock
) -> None:
    cup = race({"ann": 9, "bob": 5}, freeze_minutes=60)
    ann = signed_in(Client(), "ann", "ann")
    set_clock(FREEZE + MINUTE)
    freeze_due(FREEZE + MINUTE)
    score(cup, {"bob": 20}, FREEZE + 2 * MINUTE)
    set_clock(FREEZE + 3 * MINUTE)

    for who in (client, ann):
        assert who.get(home(cup, "card.png?player=bob")).status_code == 200
        assert who.get(home(cup, "card.png")).status_code == 200

    own = [each for each in drawn if isinstance(each, OwnPicture)]
    assert {(each.name, each.rank, each.result, each.move) for each in own} == {("bob", "2", "5 points", "")}
    assert all(each.footer.startswith("Frozen · As of ") for each in drawn)
    boards = [each for each in drawn if isinstance(each, BoardPicture)]
    assert [row.name for row in boards[0].places] == ["ann", "bob"]


def test_what_is_hidden_from_the_start_has_no_row_to_show(client: Client, drawn: list[Any]) -> None:
    cup = race({"ann": 9}, freeze_minutes=24 * 60)

    assert client.get(home(cup, "card.png?player=ann")).status_code == 404
    assert client.get(home(cup, "card.png")).status_code == 200
    assert (drawn[0].places, drawn[0].empty) == ([], "Nothing is shown before the reveal.")
    assert "Nothing is shown before the reveal." in text(client.get(home(cup, "?screen=1")))
    assert 'og:description" content="Nothing is shown before the reveal."' in client.get(home(cup)).content.decode()


def test_a_final_result_says_so(client: Client, drawn: list[Any], set_clock: SetClock) -> None:
    cup = race({"ann": 9, "bob": 5})
    finish_due(END + MINUTE)
    set_clock(END + 30 * DAY)

    assert client.get(home(cup, "card.png?player=ann")).status_code == 200
    page = client.get(home(cup, "?player=ann")).content.decode()

    assert (drawn[0].rank, drawn[0].total, drawn[0].title) == ("1", "of 2", cup.name)
    assert f"{home(cup)}card.png?player=ann" in page


def test_of_a_private_one_participants_alone_have_pictures_and_others_keep_none(client: Client) -> None:
    cup = race({"ann": 9, "bob": 5})
    Board.objects.filter(pk=cup.board_id).update(visibility="private")
    ann, stranger = signed_in(Client(), "ann", "ann"), signed_in(Client(), "zoe", "zoe")

    for rest in ("card.png?player=bob", "share/", "calendar.ics", "reminder/"):
        assert stranger.get(home(cup, rest)).status_code == 404, rest
    seen = ann.get(home(cup, "card.png?player=bob"))

    assert (seen.status_code, seen["Cache-Control"]) == (200, "private, no-cache")
    assert client.get(home(cup, "card.png?player=bob")).status_code == 404
    assert "og:image" not in ann.get(home(cup)).content.decode()


@pytest.mark.parametrize("how", ["hidden", "shadowed"])
def test_who_is_not_shown_has_no_picture_and_the_shadowed_do_not_notice(client: Client, how: str) -> None:
    cup = race({"ann": 9, "bob": 5})
    keep_out(how, cup.board, "ann")

    own = signed_in(Client(), "ann", "ann").get(home(cup, "card.png?player=ann"))

    assert client.get(home(cup, "card.png?player=ann")).status_code == 404
    assert own.status_code == (200 if how == "shadowed" else 404)


def test_the_menu_is_of_the_page_the_row_or_the_reveal(client: Client) -> None:
    cup = race({"ann": 9, "bob": 5})

    menu = client.get(home(cup, "share/?player=ann&menu=1")).content.decode()
    reveal = client.get(home(cup, "share/?of=reveal")).content.decode()

    assert f'value="http://testserver{home(cup)}?player=ann"' in menu
    assert f'src="{home(cup)}card.png?player=ann"' in menu
    assert f'value="http://testserver{home(cup)}reveal/"' in reveal
    assert f'href="{home(cup)}?screen=1"' in reveal


def test_it_may_be_framed_where_the_settings_say_so_and_then_has_the_standings_alone(
    client: Client, settings: LazySettings
) -> None:
    settings.EMBED_SITES = ["https://example.org"]
    cup = race({"ann": 9, "bob": 5})

    framed, whole = client.get(home(cup, "?embed=1")), client.get(home(cup))

    assert "frame-ancestors https://example.org" in framed["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in whole["Content-Security-Policy"]
    assert "1 ann 9" in text(framed)
    for words in ("Sign in", "Comments", "About", "Share"):
        assert words not in text(framed), words


def test_a_big_screen_has_ten_rows_and_hides_what_the_page_hides(client: Client, set_clock: SetClock) -> None:
    cup = race({f"p{number:02d}": 100 - number for number in range(12)}, freeze_minutes=60)
    set_clock(FREEZE + MINUTE)
    freeze_due(FREEZE + MINUTE)
    score(cup, {"p11": 500}, FREEZE + 2 * MINUTE)

    pages = [client.get(home(cup, f"?screen=1&page={page}")).content.decode() for page in (1, 2)]

    assert [page.count("hall-row ") for page in pages] == [10, 2]
    assert (
        pages[0].partition("<h1")[2].partition("</header>")[0].count(f'<span class="zone">{cup.timezone}</span>') == 1
    )
    assert "p11" not in pages[0]


def test_its_calendar_has_each_moment_by_an_id_that_stays_while_the_sequence_grows(
    client: Client, set_clock: SetClock
) -> None:
    start = clock.now() + DAY
    cup = open_competition(name="Spring cup", starts_at=start, ends_at=start + DAY, freeze_minutes=60)
    before = entries(client, cup)
    later = clock.now() + 5 * MINUTE
    set_clock(later)

    change_end(cup, start + 2 * DAY, "More time", later, None)
    after = entries(client, cup)
    cancel(reloaded(cup), "Rain", later + MINUTE, None)
    off = entries(client, cup)

    assert [set(each) for each in (before, after, off)] == [{"start", "freeze", "end"}] * 3
    assert {each["UID"] for each in before.values()} == {each["UID"] for each in after.values()}
    assert before["start"]["SUMMARY"] == "Spring cup starts"
    assert before["start"]["DTSTART"] == after["start"]["DTSTART"] == f"{start:%Y%m%dT%H%M%SZ}"
    assert after["end"]["DTSTART"] == f"{start + 2 * DAY:%Y%m%dT%H%M%SZ}"
    assert after["freeze"]["DTSTART"] == f"{start + 2 * DAY - HOUR:%Y%m%dT%H%M%SZ}"
    sequences = [int(each["end"]["SEQUENCE"]) for each in (before, after, off)]
    assert sequences[0] < sequences[1] < sequences[2]
    assert [each["end"]["STATUS"] for each in (before, after, off)] == ["CONFIRMED", "CONFIRMED", "CANCELLED"]


def test_a_player_asks_to_be_reminded_on_the_page_and_takes_it_back(client: Client) -> None:
    cup = open_competition(starts_at=clock.now() + HOUR, ends_at=clock.now() + DAY)
    ann, newcomer = signed_in(Client(), "ann", "ann"), signed_in(Client(), "new")

    assert "Remind me when it starts" in text(ann.get(home(cup)))
    assert ann.post(home(cup, "reminder/"), {"wanted": "1"})["Location"] == home(cup)
    assert "You will be told when it starts. Do not remind me" in text(ann.get(home(cup)))
    assert "You will be told when it starts." in text(ann.get(home(cup, "reminder/")))
    assert StartReminder.objects.count() == 1
    ann.post(home(cup, "reminder/"), {"wanted": "0"})
    assert not StartReminder.objects.exists()

    assert "Remind me when it starts" in text(client.get(home(cup)))
    assert client.get(home(cup, "reminder/"))["Location"].startswith("/accounts/login/?next=")
    unlinked = newcomer.get(home(cup, "reminder/"))
    assert "Reminders are told to players, in their inbox, and your account is not linked to one yet." in text(unlinked)
    for way in (f"/account/?next={home(cup, 'reminder/')}", home(cup, "calendar.ics"), home(cup)):
        assert f'href="{way}"' in unlinked.content.decode()


def test_of_what_has_started_nobody_is_reminded(client: Client) -> None:
    cup = race({"ann": 9})
    ann = signed_in(Client(), "ann", "ann")

    refused = ann.post(home(cup, "reminder/"), {"wanted": "1"})

    assert (refused.status_code, "has started already" in text(refused)) == (409, True)
    assert "Remind me" not in text(ann.get(home(cup)))


def test_pictures_have_the_hue_that_the_board_chose(client: Client, drawn: list[Any]) -> None:
    cup = race({"ann": 9})
    Board.objects.filter(pk=cup.board_id).update(hue="teal")

    for address in ("card.png", "card.png?player=ann"):
        assert client.get(home(cup, address)).status_code == 200

    assert {each.hue for each in drawn} == {"teal"}
