"""What the pages of a competition say before an act is whole, and nothing is offered that is refused."""

from datetime import timedelta

import pytest
from django.test import Client

from competitions.models import Change
from competitions.services.lifecycle.finish import finish
from competitions.services.results.late_scores import LateScore, accept_late
from foundation import clock
from tests.competitions.admin.judging import PLAYED, provisional
from tests.competitions.admin.participants.test_teams import of_divisions, of_kept
from tests.competitions.admin.typed import act, change, page, refusals, typed
from tests.competitions.factories import DAY, HOUR, START, DivisionFactory
from tests.competitions.site import draft, joined, make_board, open_competition, player
from tests.staff import staff

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

LISTS = ("participant", "snapshot", "notice", "rewardgrant")


@pytest.mark.parametrize("kind", ["", *LISTS])
def test_lists_are_offered_to_whom_they_open_alone(kind: str) -> None:
    competition = open_competition()
    rights = ["competitions.change_competition", *([f"competitions.view_{kind}"] if kind else [])]
    client = staff(*rights)

    html = page(client, change(competition))

    addresses = {each: f"/admin/competitions/{each}/?competition__id__exact={competition.pk}" for each in LISTS}
    offered = {each for each, address in addresses.items() if f'href="{address}"' in html}
    opened = {each for each, address in addresses.items() if client.get(address).status_code == 200}
    assert offered == opened == ({kind} if kind else set())


def test_a_final_result_offers_no_division_to_make_or_delete_and_what_is_sent_all_the_same_is_refused(
    admin: Client,
) -> None:
    competition = open_competition(starts_at=START - DAY, ends_at=START + HOUR)
    masters = DivisionFactory.create(competition=competition, name="Masters")
    before = page(admin, change(competition))
    finish(competition, clock.now())

    html = page(admin, change(competition))

    for offer in ('name="divisions-0-DELETE"', 'name="divisions-__prefix__-name"'):
        assert offer in before
        assert offer not in html
    [name] = [tag for tag in html.split("<input") if 'name="divisions-0-name"' in tag]
    assert " readonly" in name
    kept = of_kept(masters.pk, "Masters", "3") | {"divisions-0-competition": str(competition.pk)}
    deleted = admin.post(change(competition), typed(competition.board, **kept, **{"divisions-0-DELETE": "on"}))
    added = admin.post(change(competition), typed(competition.board, **of_divisions("Under 18")))
    assert "they were published" in refusals(deleted)
    assert "they were published" in refusals(added)
    moved = admin.post(change(competition), typed(competition.board, **kept))
    assert moved.status_code == 302, refusals(moved)
    assert list(competition.divisions.values_list("name", "position")) == [("Masters", 3)]


def test_publishing_says_all_that_it_fixes_and_what_may_still_change(admin: Client) -> None:
    board = make_board()
    plain = draft(board)
    whole = draft(
        board, freeze_minutes=30, review_hours=2, attempts=3, team_score="sum", team_size=5, snapshot_minutes=7
    )
    DivisionFactory.create(competition=whole, name="Under 18")

    said = page(admin, act(whole, "publish"))

    assert (
        "Fixed from now on: attempts per player: 3; freeze before the end, minutes: 30; snapshot every, minutes: 7; "
        "places of the disqualified: " in said
    )
    assert "best members that count: all; at most, members of a team: 5." in said
    assert "these may still change: review of the result: 2 hours; divisions: Under 18." in said
    none = page(admin, act(plain, "publish"))
    assert "attempts per player: no limit; freeze before the end, minutes: none;" in none
    assert "teams rank by: none." in none
    assert "review of the result: 0 hours; divisions: none." in none


def test_the_page_of_the_reveal_says_how_many_take_part_and_names_nobody(admin: Client) -> None:
    competition = provisional(freeze_minutes=60)

    said = page(admin, act(competition, "reveal"))

    assert "2 players take part." in said
    assert "This can not be undone." in said
    assert "alice" not in said.partition("<h1")[2].partition("</form>")[0]


@pytest.mark.parametrize(("minutes", "seconds"), [(9, ":41"), (10, "")])
def test_a_competition_of_minutes_shows_seconds_everywhere(admin: Client, minutes: int, seconds: str) -> None:
    starts_at = START.replace(second=41, microsecond=0) + DAY
    competition = open_competition(starts_at=starts_at, ends_at=starts_at + timedelta(minutes=minutes), timezone="UTC")

    times = [f"{at:%H:%M}{seconds}" for at in (competition.starts_at, competition.ends_at)]
    public = page(Client(), f"/competitions/{competition.pk}/")
    listed = page(Client(), "/competitions/")

    for said in times:
        assert f"{said}</time>" in public
        assert f"{said}</time>" in listed
        assert f"{said} UTC" in page(admin, change(competition))


def test_the_record_and_late_scores_show_seconds(admin: Client) -> None:
    competition = provisional()
    happened_at = PLAYED.replace(second=7)

    accept_late(competition, LateScore(player("bob"), happened_at, 25), "No network.", clock.now(), None)

    done = Change.objects.get(kind="accepted")
    html = page(admin, change(competition))
    assert f":{done.at:%S} KST</time>" in html
    assert ":07 KST</div>" in html


def test_how_many_are_told_of_a_moved_end_is_those_who_hear_of_it(admin: Client) -> None:
    competition = open_competition()
    ann, _ = joined(competition, "ann", "bob")
    ann.banned_at = clock.now()
    ann.save(update_fields=["banned_at"])

    assert (
        "1 participant is told."
        in page(admin, act(competition, "cancel"))
        + admin.post(act(competition, "cancel"), {"reason": "Rain."}).content.decode()
    )
