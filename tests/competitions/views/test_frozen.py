"""During a freeze pages and their ETags stay as they were; only a participant's own points move, without his place."""

import re

import pytest
from django.test import Client

from competitions.models import Competition
from competitions.services.disqualify import disqualify
from competitions.services.finish import finish_due
from competitions.services.freeze import freeze_due, reveal
from competitions.services.snapshot import take_due
from tests.competitions.site import DAY, END, HOUR, MINUTE, make_board, open_competition, player, raced, score
from tests.competitions.views.conftest import SetClock
from tests.leaderboards.views.pages import signed_in, text

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

FREEZE = END - HOUR
REST = ("", "?fragment=1", "?player=bob", "?player=bob&fragment=1", "?page=2")


def address(competition: Competition, rest: str = "") -> str:
    return f"/competitions/{competition.pk}/{rest}"


def seen(client: Client, competition: Competition) -> list[tuple[str, str]]:
    """Every page about it, with its ETag; the time left and a form's token pass anyway."""
    client.cookies.pop("player", None)  # which a page with ?player= leaves
    answers = [client.get(path) for path in ("/competitions/", *(address(competition, rest) for rest in REST))]
    assert {answer.status_code for answer in answers} == {200}
    return [(_lasting(answer.content.decode()), answer.get("ETag", "")) for answer in answers]


def _lasting(page: str) -> str:
    return re.sub(r'(name="(?:csrfmiddlewaretoken|form)" value=")[^"]*|(data-countdown [^>]*>)[^<]*', r"\1\2", page)


@pytest.fixture
def freezing() -> Competition:
    """Ann leads bob and cleo; the standings freeze an hour before the end."""
    competition = open_competition(make_board(), freeze_minutes=60)
    raced(competition, {"ann": 9, "bob": 5, "cleo": 4})
    take_due(END - DAY + 3 * HOUR)
    return competition


@pytest.mark.parametrize("who", ["anybody", "cleo"])
def test_nothing_tells_of_what_happens_behind(freezing: Competition, set_clock: SetClock, who: str) -> None:
    viewer = Client() if who == "anybody" else signed_in(Client(), "cleo", "cleo")
    freeze_due(FREEZE)
    set_clock(FREEZE + MINUTE)
    before = seen(viewer, freezing)

    score(freezing, {"bob": 7654}, FREEZE + MINUTE)
    take_due(FREEZE + MINUTE)
    after_a_score = seen(viewer, freezing)
    set_clock(END + MINUTE)
    ended = seen(viewer, freezing)
    finish_due(END + MINUTE)

    assert after_a_score == before
    assert seen(viewer, freezing) == ended
    assert "7,654" not in "".join(page for page, _ in ended)


def test_it_says_since_when_and_until_what(freezing: Competition, client: Client, set_clock: SetClock) -> None:
    freeze_due(FREEZE)
    set_clock(FREEZE + MINUTE)

    page = text(client.get(address(freezing)))

    assert "A cup frozen Ends in 59 min" in page
    assert "The standings are frozen since" in page
    assert "1 ann 9" in page


def test_a_participant_sees_his_points_but_not_his_place(freezing: Competition, set_clock: SetClock) -> None:
    freeze_due(FREEZE)
    set_clock(FREEZE + MINUTE)
    score(freezing, {"bob": 7654}, FREEZE + MINUTE)

    own = text(signed_in(Client(), "bob", "bob").get(address(freezing)))
    another = text(Client().get(address(freezing, "?player=bob")))

    assert "Your result now 7,654 points Place before the freeze 2" in own
    assert "7,654" not in another


def test_the_reveal_is_for_staff_before_it_and_for_everybody_after(
    freezing: Competition, client: Client, set_clock: SetClock
) -> None:
    staff = signed_in(Client(), "boss", is_staff=True)
    score(freezing, {"bob": 7654}, FREEZE)
    show = address(freezing, "reveal/")
    set_clock(END)
    early = [each.get(show).status_code for each in (client, staff)]
    finish_due(END + MINUTE)
    set_clock(END + HOUR)
    hidden = [each.get(show) for each in (client, staff)]

    reveal(freezing, END + HOUR, None)
    shown = client.get(show)

    assert early == [404, 404]
    assert [answer.status_code for answer in hidden] == [404, 200]
    assert "Only you and others who run this site see this page." in text(hidden[1])
    assert "1 bob 7,654 points 2 ann 9 points 3 cleo 4 points" in text(hidden[1])
    assert "1 bob 7,654 points 2 ann 9 points 3 cleo 4 points" in text(shown)
    assert "Only you" not in text(shown)
    assert "Final result 1 bob 7,654 points" in text(client.get(address(freezing)))


def test_staff_are_led_to_the_show_once_there_is_something_to_reveal(
    freezing: Competition, client: Client, set_clock: SetClock
) -> None:
    staff = signed_in(Client(), "boss", is_staff=True)
    set_clock(END + HOUR)
    before = text(staff.get(address(freezing)))
    finish_due(END + HOUR)

    assert "Play the reveal" not in before
    assert "The result is final, and hidden from the public. Play the reveal" in text(staff.get(address(freezing)))
    assert "Play the reveal" not in text(client.get(address(freezing)))


def test_who_was_disqualified_after_the_end_is_marked_in_the_reveal(client: Client, set_clock: SetClock) -> None:
    competition = open_competition(make_board("sql"))
    raced(competition, {"ann": 9, "bob": 5})
    finish_due(END + MINUTE)
    set_clock(END + HOUR)
    disqualify(competition, player("bob"), "Two accounts.", END + HOUR, None)

    assert "1 ann 9 points 2 bob disqualified 5 points" in text(client.get(address(competition, "reveal/")))
