"""A competition's page: before, during and after, and to whom it exists."""

import pytest
from django.db import OperationalError
from django.test import Client

from competitions.models import Competition, RewardTier
from competitions.services.cancel import cancel
from competitions.services.disqualify import disqualify
from competitions.services.finish import finish_due
from competitions.services.picture import set_picture
from competitions.services.publish import publish
from competitions.services.reward import grant_due
from competitions.services.snapshot import take_due
from competitions.views import participants
from foundation import clock, sql
from tests.competitions.site import (
    DAY,
    END,
    HOUR,
    MINUTE,
    draft,
    joined,
    make_board,
    open_competition,
    period_of,
    player,
    raced,
    score,
)
from tests.competitions.views.conftest import SetClock
from tests.leaderboards.views.pages import signed_in, text

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def address(competition: Competition, rest: str = "") -> str:
    return f"/competitions/{competition.pk}/{rest}"


def test_it_shows_the_standings_who_waits_and_the_time_left(client: Client) -> None:
    competition = open_competition(name="Spring cup", description="Run.\n\nAs far as you can.", attempts=3)
    raced(competition, {"ann": 9, "bob": 5})
    joined(competition, "cleo")

    page = text(client.get(address(competition, "?player=bob")))

    assert "Spring cup running Ends in 21 h" in page
    assert "3 participants" in page
    assert "1 ann 9" in page
    assert "2 bob highlighted 5" in page
    assert "To the next 4 points ann" in page
    assert "Not started cleo" in page
    assert "Run. As far as you can. Everyone may join." in page
    assert "3 attempts per player." in page


def test_before_its_start_it_counts_down_to_it(client: Client) -> None:
    competition = open_competition(starts_at=clock.now() + HOUR, ends_at=clock.now() + DAY)

    page = text(client.get(address(competition)))

    assert "coming Starts in 59 min" in page
    assert "It has not started yet." in page


def test_a_draft_and_a_private_one_are_for_staff(client: Client) -> None:
    hidden = [
        draft(),
        publish(draft(make_board(name="Hidden board", visibility="private")), clock.now(), None),
    ]
    player_, staff = signed_in(Client(), "ann", "ann"), signed_in(Client(), "boss", is_staff=True)

    for rest in ("", "?fragment=1"):
        for competition in hidden:
            answers = [each.get(address(competition, rest)).status_code for each in (client, player_, staff)]
            assert answers == [404, 404, 200]


@pytest.mark.parametrize("number", ["0", "7", "9" * 19, "9" * 30])
def test_an_unknown_one_is_404(client: Client, number: str) -> None:
    assert client.get(f"/competitions/{number}/").status_code == 404


def test_a_score_changes_the_fragment_and_nothing_else_does(client: Client) -> None:
    competition = open_competition()
    raced(competition, {"ann": 9, "bob": 5})
    first = client.get(address(competition, "?fragment=1"))
    etag = {"If-None-Match": first["ETag"]}

    same = client.get(address(competition, "?fragment=1"), headers=etag)
    score(competition, {"bob": 20}, clock.now())
    changed = client.get(address(competition, "?fragment=1"), headers=etag)

    assert (same.status_code, changed.status_code) == (304, 200)
    assert "1 bob 20" in text(changed)
    assert "<html" not in changed.content.decode()


def test_a_row_can_be_shared_from_the_page_and_from_its_parts(client: Client) -> None:
    competition = open_competition()
    raced(competition, {"ann": 9, "bob": 5})

    page, parts = (client.get(f"{address(competition)}?player=ann{more}").content for more in ("", "&fragment=1"))

    assert b'data-share="?player=ann"' in page
    assert b'data-share="?player=ann"' in parts
    assert b"js/share" in page


def test_a_cancelled_one_says_why(client: Client) -> None:
    competition = open_competition()
    cancel(competition, "The hall is closed.", clock.now(), None)

    assert "The competition was cancelled. Reason: The hall is closed." in text(client.get(address(competition)))


def test_the_final_result_has_a_podium_a_hash_and_files(client: Client, set_clock: SetClock) -> None:
    competition = open_competition()
    raced(competition, {"ann": 9, "bob": 5, "cleo": 4, "dan": 1})
    finish_due(END + MINUTE)
    set_clock(END + HOUR)
    disqualify(competition, player("bob"), "Two accounts.", clock.now(), None)

    page = client.get(address(competition))
    words = text(page)

    assert "Final result 1 ann 9 points 2 bob disqualified 5 points 3 cleo 4 points Play the reveal" in words
    assert period_of(competition).content_hash in words
    assert f"http://testserver{address(competition)}" in words
    assert "data-live" not in page.content.decode()
    for file in ("standings.csv", "result.json"):
        assert f'href="/api/v1{address(competition, file)}"' in page.content.decode()
        assert b"ann" in b"".join(client.get(f"/api/v1{address(competition, file)}"))


def test_rewards_say_who_earns_them_and_who_has(client: Client, set_clock: SetClock) -> None:
    competition = open_competition()
    for tier in (
        {"name": "Gold", "kind": "rank", "limit": 1},
        {"name": "Silver", "kind": "rank", "from_rank": 2, "limit": 3},
        {"name": "Badge", "kind": "percent", "limit": 50},
        {"name": "Medal", "kind": "points", "limit": 1000},
    ):
        RewardTier.objects.create(competition=competition, **tier)
    raced(competition, {"ann": 9, "bob": 5})

    before = text(client.get(address(competition, "?player=ann")))
    finish_due(END + MINUTE)
    grant_due(END + MINUTE)
    set_clock(END + HOUR)
    after = text(client.get(address(competition, "?player=ann")))

    offered = "Gold place 1 Silver places 2–3 Badge the best 50 % Medal 1,000 points or more"
    assert f"Rewards {offered}" in before
    assert f"Rewards ann has won: Gold , Badge {offered}" in after


def test_a_players_way_is_drawn_and_told(client: Client, set_clock: SetClock) -> None:
    competition = open_competition()
    raced(competition, {"ann": 9, "bob": 5})
    nothing = text(client.get(address(competition, "?player=bob")))
    for hours, points in ((2, 6), (3, 20)):
        score(competition, {"bob": points}, END - DAY + hours * HOUR)
        take_due(END - DAY + hours * HOUR)
    set_clock(END - DAY + 4 * HOUR)

    page = client.get(address(competition, "?player=bob"))

    assert "No history yet: places are kept from time to time." in nothing
    assert "From place 2 to place 1; the best was 1." in text(page)
    assert '<polyline class="chart-line" points="12.0,188.0 588.0,12.0"/>' in page.content.decode()
    assert "Changes of place, the latest first When Rank" in text(page)


def test_a_picture_is_kept_for_ever_and_gone_with_its_hash(client: Client) -> None:
    competition = open_competition()
    set_picture(competition, b"RIFF-webp")
    picture = address(competition, f"picture/{competition.picture_hash}.webp")

    answer = client.get(picture)

    assert picture in client.get(address(competition)).content.decode()
    assert (answer.content, answer["Content-Type"]) == (b"RIFF-webp", "image/webp")
    assert answer["Cache-Control"] == "public, max-age=31536000, immutable"
    assert client.get(address(competition, "picture/0000.webp")).status_code == 404
    assert client.get(address(competition, "picture/%00.webp")).status_code == 404
    assert client.get(address(draft(competition.board), "picture/.webp")).status_code == 404


def test_while_sql_is_silent_live_standings_are_shown_without_the_rest(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    competition = open_competition()
    raced(competition, {"ann": 9})

    def away(*_: object, **__: object) -> None:
        raise OperationalError

    monkeypatch.setattr(participants, "not_started", away)
    page = text(client.get(address(competition, "?player=ann")))
    sql._Breaker.silent_until = 0.0

    assert "1 ann highlighted 9" in page
    assert "participant" not in page
