"""A competition's page: before, during and after, and to whom it exists. Frozen, it is in ``test_detail_frozen.py``."""

import pytest
from django.db import OperationalError
from django.test import Client

from competitions.models import Competition
from competitions.services.lifecycle.cancel import cancel
from competitions.services.lifecycle.confirm import confirm
from competitions.services.lifecycle.finish import finish_due
from competitions.services.lifecycle.snapshots import take_due_snapshots
from competitions.services.participants.disqualify import disqualify
from competitions.services.picture import set_picture
from competitions.services.rewards.reward import grant_due_rewards
from competitions.views.participants import participants
from foundation import clock
from foundation.db import resilience as sql
from leaderboards import formats
from tests.competitions.factories import DAY, END, HOUR, MINUTE, CompetitionFactory, RewardTierFactory
from tests.competitions.published import revisions
from tests.competitions.site import SOON, draft, joined, make_board, open_competition, player, raced, score
from tests.competitions.talking import say
from tests.competitions.views.conftest import SetClock, home, of
from tests.leaderboards.views.pages import signed_in, text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]


@pytest.fixture
def cup() -> Competition:
    """Ann leads bob."""
    competition = CompetitionFactory.create()
    raced(competition, {"ann": 9, "bob": 5})
    return competition


def test_it_shows_the_standings_who_waits_and_the_time_left(client: Client) -> None:
    competition = open_competition(name="Spring cup", description="Run.\n\nAs far as you can.", attempts=3)
    raced(competition, {"ann": 9, "bob": 5})
    joined(competition, "cleo")

    page = text(client.get(home(competition, "?player=bob")))

    for words in (
        "Spring cup running Ends in 21 h",
        "3 participants",
        "1 ann 9",
        "2 bob highlighted 5",
        "4 points behind ann",
        "Not started cleo",
        "Run. As far as you can. Everyone may join.",
        "3 attempts per player.",
    ):
        assert words in page


def test_before_its_start_it_counts_down_and_once_cancelled_it_says_why(client: Client) -> None:
    competition = open_competition(starts_at=clock.now() + HOUR, ends_at=clock.now() + DAY)

    before = text(client.get(home(competition)))
    cancel(competition, "The hall is closed.", clock.now(), None)

    assert "coming Starts in 59 min" in before
    assert "It has not started yet." in before
    assert "The competition was cancelled. Reason: The hall is closed." in text(client.get(home(competition)))


def test_a_draft_and_a_private_one_are_for_staff_with_all_that_is_said_there(client: Client, ann: Client) -> None:
    loose, private = draft(), open_competition(make_board(name="Hidden board", visibility="private"))
    said = say(private, "ann")
    bare = signed_in(Client(), "bare", is_staff=True)
    staff = signed_in(Client(), "boss", is_staff=True, is_superuser=True)
    pages = [of(private), of(private, f"{said.pk}/likes/")]
    pages += [home(each, rest) for each in (loose, private) for rest in ("", "?fragment=1")]

    for page in pages:
        assert [each.get(page).status_code for each in (client, ann, bare, staff)] == [404, 404, 404, 200], page
    assert client.get(of(loose)).status_code == client.get(of(private, f"{said.pk}/")).status_code == 404
    assert staff.get(of(private, f"{said.pk}/")).status_code == 302


def test_who_is_in_a_private_one_sees_it_until_he_leaves_by_its_page(ann: Client, bob: Client) -> None:
    private = open_competition(make_board(name="Hidden board", visibility="private"), name="Secret cup")
    joined(private, "ann")
    there = [home(private), home(private, "?fragment=1"), home(private, "leave/"), of(private)]

    assert {each: ann.get(each).status_code for each in there} == dict.fromkeys(there, 200)
    assert {each: bob.get(each).status_code for each in there} == dict.fromkeys(there, 404)
    assert ["Secret cup" in text(each.get("/competitions/")) for each in (ann, bob)] == [True, False]
    assert "/boards/" not in ann.get(home(private)).content.decode().partition("<main")[2]
    assert ann.post(home(private, "leave/")).status_code == 302
    assert ann.get(home(private)).status_code == 404


def test_an_unknown_one_is_404(client: Client) -> None:
    assert {client.get(f"/competitions/{number}/").status_code for number in ("0", "7", "9" * 19, "9" * 30)} == {404}


def test_a_score_changes_the_fragment_and_nothing_else_does(client: Client, cup: Competition) -> None:
    etag = {"If-None-Match": client.get(home(cup, "?fragment=1"))["ETag"]}

    same = client.get(home(cup, "?fragment=1"), headers=etag)
    score(cup, {"bob": 20}, clock.now())
    changed = client.get(home(cup, "?fragment=1"), headers=etag)

    assert (same.status_code, changed.status_code) == (304, 200)
    assert "1 bob 20" in text(changed)
    assert "<html" not in changed.content.decode()
    for rest in ("?player=ann", "?player=ann&fragment=1"):
        assert f'href="{home(cup)}share/?player=ann"' in client.get(home(cup, rest)).content.decode()


def test_the_final_result_has_a_podium_a_hash_and_files(client: Client, cup: Competition, set_clock: SetClock) -> None:
    raced(cup, {"cleo": 4, "dan": 1})
    finish_due(END + MINUTE)
    set_clock(END + HOUR)
    unchanged = client.get(home(cup, "?fragment=1"))
    disqualify(cup, player("bob"), "Two <accounts>.", clock.now(), None)

    answer = client.get(home(cup))
    html, words = answer.content.decode(), text(answer)

    assert "Final result 1 ann 9 points 2 cleo 4 points 3 dan 1 point Play the reveal" in words
    one, two = revisions(cup)
    assert two.content_hash in words
    assert one.content_hash not in words
    assert "A cup final · revision 2 3 participants" in words
    assert "A cup final 4 participants" in text(unchanged)
    assert "without these 64 digits" in words
    assert f"python3 check_result.py competition-{cup.pk}-result-2.json" in words
    assert 'href="/static/check_result.py"' in html
    assert "Two <accounts>. 3" in words
    assert "The result became final. 4" in words
    assert [f'href="/api/v1{home(cup, "result.json")}?revision={nth}"' in html for nth in (1, 2)] == [True, True]
    assert unchanged["ETag"] != client.get(home(cup, "?fragment=1"))["ETag"]
    assert f"http://testserver{home(cup)}" in words
    assert "data-live" not in html
    for file in ("standings.csv", "result.json"):
        assert f'href="/api/v1{home(cup, file)}"' in html
        assert b"ann" in b"".join(client.get(f"/api/v1{home(cup, file)}"))
    assert "1 ann 9 points 2 cleo 4 points" in text(client.get(home(cup, "reveal/")))


def test_rewards_say_who_earns_them_and_who_has(client: Client, cup: Competition, set_clock: SetClock) -> None:
    RewardTierFactory.create(competition=cup)
    RewardTierFactory.create(competition=cup, name="Silver", from_rank=2, limit=3)
    RewardTierFactory.create(competition=cup, name="Badge", kind="percent", limit=50)
    RewardTierFactory.create(competition=cup, name="Medal", kind="points", limit=1000)

    before = text(client.get(home(cup, "?player=ann")))
    finish_due(END + MINUTE)
    grant_due_rewards(END + MINUTE)
    set_clock(END + HOUR)
    after = text(client.get(home(cup, "?player=ann")))

    offered = "Gold place 1 Silver places 2–3 Badge the best 50 % Medal 1,000 points or more"
    assert f"Rewards {offered}" in before
    assert f"Rewards ann has won: Gold , Badge {offered}" in after


def test_a_players_way_is_drawn_and_told(client: Client, cup: Competition, set_clock: SetClock) -> None:
    nothing = text(client.get(home(cup, "?player=bob")))
    for hours, points in ((2, 6), (3, 20)):
        score(cup, {"bob": points}, END - DAY + hours * HOUR)
        take_due_snapshots(END - DAY + hours * HOUR)
    set_clock(END - DAY + 4 * HOUR)

    page = client.get(home(cup, "?player=bob"))

    assert "No history yet: places are kept from time to time." in nothing
    assert "From place 2 to place 1; the best was 1." in text(page)
    assert '<polyline class="chart-line" points="12,188 588,12"/>' in page.content.decode()
    assert "Changes of place, the latest first When Rank" in text(page)


def test_a_picture_is_kept_for_ever_and_gone_with_its_hash(client: Client, cup: Competition) -> None:
    set_picture(cup, b"RIFF-webp")
    picture = home(cup, f"picture/{cup.picture_hash}.webp")

    answer = client.get(picture)

    assert picture in client.get(home(cup)).content.decode()
    assert (answer.content, answer["Content-Type"]) == (b"RIFF-webp", "image/webp")
    assert answer["Cache-Control"] == "public, max-age=31536000, immutable"
    for competition, none in ((cup, "0000"), (cup, "%00"), (draft(cup.board), "")):
        assert client.get(home(competition, f"picture/{none}.webp")).status_code == 404


def test_a_provisional_result_says_so_has_no_podium_and_is_looked_at_again(client: Client, set_clock: SetClock) -> None:
    competition = open_competition(timezone="Asia/Seoul", review_hours=3)
    raced(competition, {"ann": 9, "bob": 5})
    finish_due(END + MINUTE)
    set_clock(END + HOUR)

    answer = client.get(home(competition))
    html, words = answer.content.decode(), text(answer)
    etag = {"If-None-Match": client.get(home(competition, "?fragment=1"))["ETag"]}
    same = client.get(home(competition, "?fragment=1"), headers=etag)
    listed = text(client.get("/competitions/"))
    show = text(client.get(home(competition, "reveal/")))
    disqualify(competition, player("ann"), "Two accounts.", clock.now(), None)
    judged = client.get(home(competition, "?fragment=1"), headers=etag)
    confirm(competition, clock.now(), None)

    until = formats.moment(END + MINUTE + 3 * HOUR, "Asia/Seoul")
    assert f"Provisional until {until}. The jury may still change it." in words
    assert "A cup provisional 2 participants" in words
    assert "1 ann 9" in words
    assert ("Final result" in words, "data-live" in html) == (False, True)
    assert "Past A cup provisional" in listed
    assert "This result is provisional: the jury may still change it. 1 ann 9 points" in show.replace(
        "From the last place to the first. To the competition Share 2 took part Next place Play Show all "
        "The space bar shows the next place. ",
        "",
    )
    assert (same.status_code, judged.status_code) == (304, 200)
    assert "1 bob 5" in text(judged)
    final = text(client.get(home(competition)))
    assert "Final result 1 bob 5 points" in final
    assert "rovisional" not in final + text(client.get(home(competition, "reveal/")))


@pytest.mark.django_db(transaction=True)
def test_while_sql_is_silent_live_standings_are_shown_without_the_rest(
    client: Client, cup: Competition, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object, **__: object) -> None:
        raise OperationalError

    monkeypatch.setattr(participants, "not_started", away)
    page = text(client.get(home(cup, "?player=ann")))
    sql._Breaker.silent_until = 0.0

    assert "1 ann highlighted 9" in page
    assert "participant" not in page


def test_why_this_place_says_times_on_the_clock_of_the_competition(client: Client) -> None:
    seoul = open_competition(timezone="Asia/Seoul")
    raced(seoul, {"ann": 9})

    page = text(client.get(home(seoul, "?player=ann")))

    assert f"It has stood so since {formats.moment(SOON, 'Asia/Seoul')}." in page
