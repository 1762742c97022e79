"""Whoever is banned, hidden, shadowed or disqualified is at no address that anybody may read, and comes back there.

Only what was published before, and is asked for by its number, names them still.
"""

from collections.abc import Iterable

import pytest
from django.test import Client

from competitions.models import Competition
from competitions.selectors.standings.group_standings import clear_group_standings
from competitions.services.lifecycle.finish import finish
from competitions.services.lifecycle.snapshots import take_snapshot
from competitions.services.participants.disqualify import disqualify, reinstate
from competitions.services.results.revisions import publish_due_revisions
from competitions.services.rewards.reward import grant_due_rewards
from competitions.services.series.count_results import count_due_series
from competitions.views.competition import leaders
from foundation import clock
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.models import Board, Player, Restriction, RestrictionKind
from leaderboards.selectors.visibility.hidden import clear_hidden_cache
from leaderboards.services.moderation.restrict import RestrictionScope, lift_restrictions, restrict
from leaderboards.services.submit.pipeline import submit
from tests.competitions.addresses import EXAMPLES, addresses
from tests.competitions.factories import DAY, HOUR, START, RewardTierFactory, SeriesFactory, TeamFactory
from tests.competitions.grouping import in_division
from tests.competitions.site import SOON, make_board, open_competition, player, raced, reloaded
from tests.competitions.talking import say

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

BANNED, OUT = "Zoe Quux", "Yan Quux"  # the names of ann and bob
PUBLISHED = ("result.json?revision=1", "/revisions")
Seen = dict[str, tuple[str, str, str]]


def walk(values: dict[str, object], routes: Iterable[str] = EXAMPLES) -> Seen:
    """Status and ETag, and the body, of each address as anybody reads it, who has no cookie of the one before."""
    seen, anybody = {}, Client()
    for address in sorted({each for route in routes for each in addresses(route, **values)}):
        anybody.cookies.clear()
        response = anybody.get(address)
        told = f"{response.status_code}", response.headers.get("ETag", "")
        seen[address] = (*told, response.getvalue().decode(errors="replace"))
    return seen


def naming(seen: Seen, name: str) -> set[str]:
    return {address for address, (_, _, body) in seen.items() if name in body}


def leave_out(competition: Competition, how: str) -> None:
    if how == "banned":
        Player.objects.filter(external_id="ann").update(banned_at=clock.now() - HOUR)
    else:  # on each board where they stand
        on = [None] if how.endswith("everywhere") else list(Board.objects.all())
        for board in on:
            what = RestrictionScope(RestrictionKind(how.split(maxsplit=1)[0]), board)
            restrict([player("ann").pk], what, "A bot.", clock.now() - HOUR, None)
    disqualify(competition, player("bob"), "Two accounts.", clock.now(), None)
    let_know()


def let_back(competition: Competition) -> None:
    Player.objects.filter(external_id="ann").update(banned_at=None)
    lift_restrictions(Restriction.objects.values_list("pk", flat=True), "No bot.", clock.now(), None)
    reinstate(competition, player("bob"), "One account.", clock.now(), None)
    let_know()


def of_a_player(address: str, external_id: str) -> bool:
    """Whether it is about somebody who plays on, whatever became of one competition: beside others, or a row's menu."""
    return address.startswith((f"/players/{external_id}/menu/", "/compare/"))


def let_know() -> None:
    leaders.forget()
    clear_hidden_cache()
    clear_group_standings()
    publish_due_revisions(clock.now())
    count_due_series(clock.now())


@pytest.mark.long
@pytest.mark.parametrize(
    ("how", "vacated", "stages"),
    [
        ("banned", "close_up", ("running", "final")),
        ("hidden everywhere", "close_up", ("running",)),
        ("shadowed", "stay_empty", ("final",)),
    ],
)
def test_no_address_shows_them_running_and_final_and_all_show_them_again(
    how: str, vacated: str, stages: tuple[str, ...]
) -> None:
    other, board = make_board(name="By day", period="day"), make_board(name="Cups")
    now = clock.now()
    submit([read_entry({"board": other.seq, "player": "ann", "points": 3}, 0)], Caller("tests"), now)
    competition = open_competition(
        board, starts_at=START - DAY, ends_at=now + HOUR, vacated_places=vacated, team_score="sum"
    )
    Competition.objects.filter(pk=competition.pk).update(picture=b"a picture", picture_hash="abc")
    RewardTierFactory.create(competition=competition, limit=2)
    raced(competition, {"ann": 9, "bob": 8, "cleo": 5, "dan": 4}, SOON - DAY)
    for name, shown in (("ann", BANNED), ("bob", OUT)):
        Player.objects.filter(external_id=name).update(name=shown)
    take_snapshot(competition, SOON - DAY, SOON - DAY)
    comment = say(competition, "dan", "Well run.", at=SOON)
    team = TeamFactory.create(competition=competition, name="Owls")
    competition.participants.update(team=team)
    values: dict[str, object] = {
        "c": competition.pk, "board": board.seq, "other": other.seq, "comment": comment.pk, "picture": "abc",
        "team": team.pk, "division": in_division(competition, "Juniors", "ann", "bob", "cleo"),
        "series": SeriesFactory.create(competitions=[competition]).pk,
    }  # fmt: skip  # as a table

    for stage in stages:
        if stage == "final":
            Competition.objects.filter(pk=competition.pk).update(ends_at=now - HOUR)
            held = reloaded(competition)
            _end(held)
            assert finish(held, now)
            grant_due_rewards(now)
        let_know()
        before = walk(values)
        own_page = before["/players/bob/"][2]
        leave_out(reloaded(competition), how)
        without = walk(values)
        let_back(reloaded(competition))
        after = walk(values)

        there = naming(before, BANNED) | naming(before, OUT)
        assert {f"/competitions/{competition.pk}/", f"/api/v1/competitions/{competition.pk}/standings"} <= there
        left = {each for each in naming(without, BANNED) if not each.endswith(PUBLISHED)}
        left |= {
            each
            for each in naming(without, OUT)
            if not each.endswith((*PUBLISHED, "/players/bob/", "/search/?q=bob")) and not of_a_player(each, "bob")
        }
        # Excluded from single boards they still have a page, without those boards and their competitions, and their
        # whole id finds it.
        found = {"/players/ann/", "/search/?q=ann", "/search/suggestions/?q=ann"}
        if how == "shadowed":
            left = {each for each in left if not of_a_player(each, "ann")}
        assert left == (found if how == "shadowed" else set())
        assert competition.name not in without["/players/ann/"][2]
        assert "By day" not in without["/players/ann/"][2]
        assert competition.name in own_page
        assert competition.name not in without["/players/bob/"][2]
        tagged = {each for each in there if before[each][1] and not each.endswith(PUBLISHED)}
        assert tagged
        assert {each for each in tagged if without[each][1] == before[each][1]} == set()
        assert naming(after, BANNED) == naming(before, BANNED)
        assert naming(after, OUT) == naming(before, OUT)


def _end(competition: Competition) -> None:
    """Its period ends with it."""
    competition.board.periods.filter(label=competition.label).update(ends_at=competition.ends_at)
