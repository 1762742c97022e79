"""The freeze, from outside: nobody can read from any address of the site that something changed behind it.

Every URL pattern and every GET operation of the API has examples; one without them fails.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.urls import resolve
from django.utils.module_loading import import_string

from competitions.models import Competition, RewardGrant, Snapshot
from competitions.services.lifecycle.freeze import reveal
from competitions.services.lifecycle.snapshots import take_due_snapshots
from competitions.services.notices.preferences import NoticeSettings, save_preference
from competitions.services.notices.rank_notices import compare_due_snapshots
from config.schedule import SCHEDULE
from foundation import clock
from foundation.http.fast_path import API
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.services.submit.pipeline import submit
from likes.services.like import like
from tests.competitions.addresses import ADMIN, EXAMPLES, addresses, admin_addresses, parameters_of_gets, routes
from tests.competitions.factories import END, HOUR, MINUTE, START, RewardTierFactory, SeriesFactory, TeamFactory
from tests.competitions.grouping import in_division
from tests.competitions.site import joined, make_board, open_competition, player, raced, score
from tests.competitions.talking import say
from tests.foundation.factories import KeyFactory
from tests.leaderboards.views.pages import signed_in

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

FROZEN, DURING, AFTER = END - HOUR + MINUTE, END - HOUR / 2, END + MINUTE
OF_THE_CLOCK = ("heartbeat", "mirror", "keep_ranks")  # ranks of the calendar board: a full hour may lie between

# What nobody but staff and game servers may see at all while the standings are hidden, or what is not to be read.
REFUSED = {
    "inbox/push/",
    *(
        f"accounts/{rest}"
        for rest in ("second-factor/", "passkey/", "passkey/challenge/", "confirm/passkey/", "email/")
    ),
    *(
        f"accounts/{rest}"
        for rest in (
            *("sign-up/", "sign-up/<str:token>/", "invitations/<str:token>/"),
            *("email/<str:token>/", "email/back/<str:token>/"),
        )
    ),
    *(f"accounts/security/{rest}" for rest in ("app/", "app/remove/", "passkeys/", "passkeys/challenge/", "codes/")),
    *("accounts/security/passkeys/<int:number>/remove/", "account/export/", "account/delete/"),
    *("accounts/logout/", "i18n/setlang/", "^api(?:/|$)", "competitions/<int:number>/reveal/"),
    "boards/<int:seq>/calendar.ics",  # neither of the two boards has periods that end by themselves
    *(
        f"competitions/<int:number>/comments/<int:comment>/{rest}"
        for rest in ("", "hide/", "report/", "dismiss/", "like/")
    ),
    "pictures/<slug:digest>/<slug:size>.webp",  # nobody has one
    "players/<str:player>/follow/",  # a form is sent there; who asks for it is led to the player
    "api/v1/likes/<kind>/<id>/<player>",
    *("api/v1/scores", "api/v1/players/<player>", "api/v1/players/<player>/link-code"),
    "api/v1/competitions/<competition>/result.json",
    "api/v1/competitions/<competition>/revisions",
    "api/v1/competitions/<competition>/players/<player>/team",
    *("api/v1/boards/<seq>/league", "api/v1/boards/<seq>/players/<player>/league"),  # the boards have none
}
# For operators alone (METRICS_TOKEN, METRICS_NETWORKS): it counts every request, so it differs in any two walks.
FOR_OPERATORS = {"metrics"}
# What tells of the standings, and so must change when they are revealed.
TELLING = {
    *("competitions/", "competitions/<int:number>/", "competitions/<int:number>/reveal/"),
    *("api/v1/competitions", "api/v1/competitions/<competition>", "api/v1/competitions/<competition>/standings"),
    "api/v1/competitions/<competition>/view",
    "api/v1/competitions/<competition>/players/<player>",
    "api/v1/competitions/<competition>/players/<player>/around",
    "api/v1/competitions/<competition>/players/<player>/history",
    "api/v1/competitions/<competition>/standings.csv",
    "api/v1/competitions/<competition>/result.json",
    "api/v1/competitions/<competition>/revisions",
    "api/v1/competitions/<competition>/rewards",
    *("series/<int:number>/", "api/v1/series", "api/v1/series/<series>", "api/v1/series/<series>/standings"),
    "api/v1/series/<series>/standings.csv",
    *(f"competitions/<int:number>/{rest}" for rest in ("teams/", "teams/<int:team>/", "divisions/<int:division>/")),
    *(f"api/v1/competitions/<competition>/{rest}" for rest in ("teams", "teams.csv", "teams/<team>")),
}
SetClock = Callable[[datetime], None]
ANYBODY, PARTICIPANT, GAME_SERVER = "anybody", "a participant", "a game server"


class Answer(NamedTuple):
    """What a visitor gets."""

    status: int
    headers: dict[str, str]
    body: str


Seen = dict[tuple[str, str], Answer]


@dataclass(frozen=True)
class Site:
    """A competition whose standings freeze an hour before its end, and those who look at it."""

    competition: Competition
    values: dict[str, object]
    visitors: dict[str, Client]

    def walk(self, routes: Iterable[str] = EXAMPLES) -> Seen:
        """What each visitor gets at each address: status, headers and body.

        Game servers ask the API alone. Participants do not ask it, for it answers them as it answers anybody.
        """
        public = [route for route in routes if route not in FOR_OPERATORS]
        every = [address for route in public for address in addresses(route, **self.values)]
        return {
            (who, address): _answer(client, address)
            for who, client in self.visitors.items()
            for address in every
            if who == ANYBODY or address.startswith(API) == (who == GAME_SERVER)
        }

    def asks_the_api(self, who: str) -> dict[str, Answer]:
        """What this visitor gets at each address of the API."""
        every = [address for route in EXAMPLES for address in addresses(route, **self.values)]
        return {address: _answer(self.visitors[who], address) for address in every if address.startswith(API)}


def _answer(client: Client, address: str) -> Answer:
    """Without what differs in any two answers: request ids, tokens of forms, when pages expire that nobody may keep."""
    client.cookies.pop("player", None)  # which an address with ?player= leaves
    response = client.get(address)
    # Sessions are for pages: where none is read, an answer cannot tell who is signed in.
    assert not (address.startswith(API) and hasattr(response.wsgi_request, "session"))
    headers = {name: value for name, value in response.headers.items() if name not in ("Expires", "X-Request-ID")}
    body = re.sub(
        r'(name="(?:csrfmiddlewaretoken|form)" value=")[^"]*',
        r"\1",
        response.getvalue().decode(errors="backslashreplace"),
    )
    return Answer(response.status_code, headers, body)


def route_of(address: str) -> str:
    return resolve(urlsplit(address).path).route


def changed(before: Seen, after: Seen) -> dict[tuple[str, str], str]:
    """Who would see where that something has changed, and what of it comes first."""
    return {each: _difference(before[each], after[each]) for each in before if before[each] != after[each]}


def _difference(one: Answer, other: Answer) -> str:
    lines = [
        "\n".join(map(str, (answer.status, *sorted(answer.headers.items()), answer.body))) for answer in (one, other)
    ]
    place = next(place for place, (left, right) in enumerate(zip_longest(*lines)) if left != right)
    return " became ".join(repr(text[max(0, place - 60) : place + 60]) for text in lines)


@pytest.fixture
def set_clock(monkeypatch: pytest.MonkeyPatch) -> SetClock:
    """From now on it is this moment, until the next; SQL's clock says nothing beside it."""
    return lambda at: monkeypatch.setattr(clock, "_FAST", (0.0, at.timestamp(), 0.0))


def run(*entries: str) -> None:
    """What happens by itself, by its names in the schedule."""
    for entry in entries:
        import_string(SCHEDULE[entry]["task"])()


def frozen_site(storage: str = "hybrid") -> Site:
    other, board = make_board(name="Of all time", period="all_time"), make_board(storage, name="Cups")
    submit([read_entry({"board": other.seq, "player": "ann", "points": 3}, 0)], Caller("tests"), START)
    competition = open_competition(board, freeze_minutes=60, team_score="sum")
    Competition.objects.filter(pk=competition.pk).update(picture=b"a picture", picture_hash="abc")
    RewardTierFactory.create(competition=competition)
    save_preference(player("dan"), NoticeSettings(quiet_from=0, quiet_until=0))
    raced(competition, {"ann": 9, "bob": 5, "dan": 4})
    joined(competition, "cleo")
    team = TeamFactory.create(competition=competition, name="Owls")
    TeamFactory.create(competition=competition, name="Foxes")
    division = in_division(competition, "Juniors", "ann", "bob", "cleo")
    competition.participants.filter(player__external_id__in=("bob", "cleo")).update(team=team)
    take_due_snapshots(END - 3 * HOUR)
    score(competition, {"dan": 30}, END - 3 * HOUR)
    take_due_snapshots(END - 2 * HOUR)
    compare_due_snapshots(END - 2 * HOUR)
    comment = say(competition, "dan", "Nobody has seen me yet.", at=END - 2 * HOUR)
    like("comment", str(comment.pk), "ann", END - 2 * HOUR)
    visitors = {
        ANYBODY: Client(),
        PARTICIPANT: signed_in(Client(), "dan", "dan"),
        GAME_SERVER: Client(headers={"Authorization": f"Bearer {KeyFactory.create()}"}),
    }
    numbers = {"c": competition.pk, "board": board.seq, "other": other.seq, "comment": comment.pk}
    series = SeriesFactory.create(competitions=[competition])
    numbers |= {"team": team.pk, "division": division, "series": series.pk}
    return Site(competition, {**numbers, "picture": "abc"}, visitors)


def test_every_url_pattern_has_examples_and_every_get_operation_each_of_its_parameters() -> None:
    values = {"c": 1, "board": 1, "other": 2, "comment": 1, "series": 1, "picture": "abc", "team": 1, "division": 1}

    assert {route for route in routes() if not route.startswith(ADMIN)} == set(EXAMPLES)
    for route in EXAMPLES:
        assert {route_of(address) for address in addresses(route, **values)} == {route}
    for route, parameters in parameters_of_gets().items():
        asked = {name for each in addresses(route, **values) for name in parse_qs(urlsplit(each).query)}
        assert parameters <= asked, route


def test_the_admin_is_for_staff_alone() -> None:
    site = frozen_site()

    seen = [
        (address, site.visitors[who].get(address))
        for address in admin_addresses(site.competition.pk)
        for who in (ANYBODY, PARTICIPANT)
    ]

    assert {address for address, answer in seen if answer.status_code == 200} == {"/admin/login/"}


@pytest.mark.long
def test_nothing_tells_of_what_happens_behind_the_freeze(set_clock: SetClock) -> None:
    site = frozen_site("redis")
    set_clock(FROZEN)
    run(*SCHEDULE)
    set_clock(DURING)
    run(*OF_THE_CLOCK)
    before = site.walk()
    shown = {route_of(address) for (_, address), answer in before.items() if answer.status == 200}
    assert (
        set(EXAMPLES) - shown == REFUSED | FOR_OPERATORS
    )  # there is something to be seen, but where nothing is to be read

    score(site.competition, {"bob": 7654, "cleo": 50}, DURING)
    scored = site.walk()
    run(*SCHEDULE)
    kept = site.walk()
    kept_for_them = site.asks_the_api(PARTICIPANT)
    set_clock(AFTER)
    run(*OF_THE_CLOCK)
    ended = site.walk()
    run(*SCHEDULE)
    closed = site.walk()
    closed_for_them = site.asks_the_api(PARTICIPANT)
    reveal(site.competition, AFTER, None)
    run(*SCHEDULE)
    revealed = site.walk(TELLING)

    assert changed(before, scored) == {}
    assert changed(before, kept) == {}
    assert changed(ended, closed) == {}
    for them, seen in ((kept_for_them, kept), (closed_for_them, closed)):
        assert {address for address in them if them[address] != seen[ANYBODY, address]} == set()
    assert {route_of(address) for _, address in changed(revealed, closed)} == TELLING
    assert Snapshot.objects.filter(due_at=DURING).exists()
    assert RewardGrant.objects.filter(player__external_id="bob").exists()


@pytest.mark.long
def test_nothing_tells_when_the_copy_was_made(set_clock: SetClock) -> None:
    site = frozen_site("hybrid")
    set_clock(DURING)
    run("heartbeat", "mirror")
    before = site.walk()
    assert Competition.objects.get().frozen_at is None

    score(site.competition, {"bob": 7654, "cleo": 50}, DURING)

    assert Competition.objects.get().frozen_at == END - HOUR
    assert changed(before, site.walk()) == {}
