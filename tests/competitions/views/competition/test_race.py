"""The race on a competition's page: from its snapshots, and nothing of what a freeze hides."""

from datetime import timedelta

import pytest
from django.test import Client

from competitions.core.lifecycle import Phase
from competitions.models import Competition, Snapshot
from competitions.selectors.standings import race as selector
from competitions.selectors.standings.race import clear_race_cache, race_snapshots
from competitions.services.lifecycle.cancel import cancel
from competitions.services.lifecycle.finish import finish_due
from competitions.services.lifecycle.freeze import freeze_due, reveal
from competitions.services.lifecycle.snapshots import take_snapshot
from competitions.services.participants.disqualify import disqualify
from leaderboards.core.ranking.rules import Ties
from leaderboards.models import Restriction, RestrictionKind
from leaderboards.selectors.visibility.hidden import clear_hidden_cache
from tests.competitions.factories import END, HOUR, MINUTE, START, CompetitionFactory
from tests.competitions.site import make_board, raced, reloaded, score
from tests.competitions.views.conftest import SetClock, home
from tests.leaderboards.views.pages import signed_in, text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]
LINE = "race-line"


@pytest.fixture
def cup() -> Competition:
    """Ann leads for two hours, then bob: snapshots after one, two and three hours."""
    competition = CompetitionFactory.create(board=make_board(update="increment"), timezone="Asia/Seoul")
    raced(competition, {"ann": 9, "bob": 5, "cleo": 4}, START + MINUTE)
    for hours in (1, 2):
        take_snapshot(competition, START + hours * HOUR, START + hours * HOUR)
    score(competition, {"bob": 20}, START + 2 * HOUR + MINUTE)
    take_snapshot(competition, START + 3 * HOUR, START + 3 * HOUR)
    return competition


def shown_at(competition: Competition, hours: float) -> list[int]:
    """The columns of the race, in hours since the start; as a process sees it that remembers nothing."""
    clear_race_cache()
    found = race_snapshots(reloaded(competition), START + timedelta(hours=hours), Ties.FIRST_COME)
    return [round((each.at - START) / HOUR) for each in found.columns] if found else []


def test_lines_and_a_table_tell_how_places_changed_on_the_competitions_clock(
    cup: Competition, client: Client, set_clock: SetClock
) -> None:
    set_clock(START + 4 * HOUR)

    response = client.get(home(cup))
    page = text(response)

    assert response.content.decode().count(LINE) == 3
    assert "bob leads. The lead changed 1 time." in page
    assert "Places over time, on the clock of Asia/Seoul" in page
    assert "ann 1 1 2 2" in page
    assert "bob 2 2 1 1" in page
    assert LINE in client.get(home(cup, "?fragment=1")).content.decode()


def test_a_players_own_line_stands_out_and_is_theirs_alone(
    cup: Competition, client: Client, bob: Client, set_clock: SetClock
) -> None:
    set_clock(START + 4 * HOUR)

    own, anybodys = (each.get(home(cup)).content.decode() for each in (bob, client))

    assert "race-line is-1 is-me" in own
    assert "is-1 is-me" not in anybodys


def test_there_is_none_before_the_first_snapshot_on_a_later_page_or_once_cancelled(
    client: Client, set_clock: SetClock
) -> None:
    new = CompetitionFactory.create(name="New")
    raced(new, {"ann": 9, "bob": 5}, START + MINUTE)
    set_clock(START + HOUR)
    assert LINE not in client.get(home(new)).content.decode()
    take_snapshot(new, START + HOUR, START + HOUR)
    clear_race_cache()
    set_clock(START + 2 * HOUR)
    assert LINE in client.get(home(new)).content.decode()
    assert LINE not in client.get(home(new, "?page=2")).content.decode()

    cancel(new, "Rain.", START + 2 * HOUR, None)

    assert LINE not in client.get(home(new)).content.decode()


def test_a_freeze_ends_it_at_that_moment_and_the_reveal_shows_all_of_it(client: Client, set_clock: SetClock) -> None:
    competition = CompetitionFactory.create(board=make_board(update="increment"), freeze_minutes=60)
    raced(competition, {"ann": 9, "bob": 5}, START + MINUTE)
    take_snapshot(competition, START + HOUR, START + HOUR)
    freeze_due(END - HOUR)
    score(competition, {"bob": 20}, END - HOUR + MINUTE)
    take_snapshot(competition, END - HOUR / 2, END - HOUR / 2)
    set_clock(END - 10 * MINUTE)

    frozen = text(client.get(home(competition)))
    columns_frozen = shown_at(competition, 23.9)
    finish_due(END + MINUTE)
    reveal(competition, END + HOUR, None)
    set_clock(END + 2 * HOUR)
    clear_race_cache()
    revealed = text(client.get(home(competition)))

    assert "ann led when the standings froze. The lead never changed." in frozen
    assert columns_frozen == [1]
    assert "bob won. The lead changed 1 time." in revealed


def test_when_nothing_is_shown_before_the_reveal_there_is_no_race(set_clock: SetClock) -> None:
    hidden = CompetitionFactory.create(freeze_minutes=24 * 60)
    raced(hidden, {"ann": 9, "bob": 5}, START + MINUTE)
    Snapshot.objects.create(competition=hidden, due_at=START + HOUR, taken_at=START + HOUR, total=2)

    assert hidden.phase(START + 2 * HOUR) is Phase.FROZEN
    assert shown_at(hidden, 2) == []


def test_what_was_kept_before_a_freeze_that_came_early_is_not_shown_behind_it(cup: Competition) -> None:
    assert shown_at(cup, 4) == [1, 2, 3]

    Competition.objects.filter(pk=cup.pk).update(freeze_minutes=60, frozen_at=START + 2 * HOUR)

    assert shown_at(cup, 4) == [1]


def test_the_disqualified_have_no_line_any_more(cup: Competition, client: Client, set_clock: SetClock) -> None:
    set_clock(START + 4 * HOUR)
    disqualify(cup, cup.participants.get(player__external_id="bob").player, "Cheated.", START + 4 * HOUR, None)
    clear_hidden_cache()

    page = client.get(home(cup)).content.decode()

    assert page.count(LINE) == 2
    assert "bob" not in page.partition('class="race"')[2].partition("</section>")[0]


def test_who_is_shadowed_sees_no_race_since_snapshots_lack_them(
    cup: Competition, client: Client, set_clock: SetClock
) -> None:
    set_clock(START + 4 * HOUR)
    cleo = cup.participants.get(player__external_id="cleo").player
    Restriction.objects.create(player=cleo, kind=RestrictionKind.SHADOWED, reason="Test.", since=START)
    clear_hidden_cache()

    own = signed_in(Client(), "cleo", "cleo").get(home(cup)).content.decode()

    assert LINE not in own
    assert client.get(home(cup)).content.decode().count(LINE) == 2


def test_of_thousands_of_snapshots_a_bounded_number_is_looked_at(
    cup: Competition, monkeypatch: pytest.MonkeyPatch
) -> None:
    Competition.objects.filter(pk=cup.pk).update(snapshot_minutes=1)
    rows = [
        Snapshot(competition=cup, due_at=START + n * MINUTE, taken_at=START + n * MINUTE, total=2)
        for n in range(1, 20 * 60)
        if n % 60
    ]
    Snapshot.objects.bulk_create(rows)
    monkeypatch.setattr(selector, "MOST_CANDIDATES", 30)

    found = shown_at(cup, 20)

    assert 5 <= len(found) <= 13
    assert found == sorted(found)


def test_dense_ranks_have_rows_of_their_own(client: Client, set_clock: SetClock) -> None:
    board = make_board(name="Dense", ties="dense", update="increment")
    competition = CompetitionFactory.create(board=board)
    raced(competition, {"ann": 9, "bob": 9, "cleo": 4}, START + MINUTE)
    take_snapshot(competition, START + HOUR, START + HOUR)
    set_clock(START + 2 * HOUR)

    found = race_snapshots(reloaded(competition), START + 2 * HOUR, Ties.DENSE)

    assert found is not None
    assert found.columns[0].above is not None
    assert found.columns[0].above[2] == 2
    assert client.get(home(competition)).content.decode().count(LINE) == 3


def test_the_head_says_who_leads_by_how_much_and_nothing_of_it_once_the_result_waits(
    client: Client, cup: Competition, set_clock: SetClock
) -> None:
    set_clock(START + 3 * HOUR + MINUTE)
    page = client.get(home(cup)).content.decode()
    fragment = client.get(home(cup, "?fragment=1")).content.decode()

    for each in (page, fragment):
        head = each.partition('data-part="head"')[2].partition("</header>")[0]
        assert "In the lead" in head
        assert ">bob<" in head
        assert "25 points · 16 points ahead" in head

    set_clock(END + MINUTE)
    head = client.get(home(cup)).content.decode().partition('data-part="head"')[2].partition("</header>")[0]
    assert "board-lead" not in head
