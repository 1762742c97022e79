"""What is not public, from outside: at every address each visitor sees what their permissions allow, no more.

Being staff opens nothing by itself. What is looked for are words that stand nowhere but in what is kept from somebody.
"""

import pytest
from django.test import Client

from competitions.models import Competition, Team
from competitions.services.comments.moderate import hide
from competitions.services.lifecycle.finish import finish
from foundation import clock
from foundation.http.fast_path import API
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.services.submit.pipeline import submit
from tests.competitions.addresses import EXAMPLES, admin_addresses
from tests.competitions.factories import SeriesFactory
from tests.competitions.grouping import in_division
from tests.competitions.site import DAY, HOUR, START, draft, joined, make_board, open_competition, raced, score
from tests.competitions.talking import say
from tests.leaderboards.views.pages import signed_in
from tests.staff import chief, staff

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

SECRETS = {
    "a private board": "4321098",
    "a private competition": "Secret cup",
    "a draft": "Draft cup",
    "the ranking behind a freeze": "7654321",
    "a hidden comment": "Unkind words",
}
RUN = {"a private competition", "a draft", "the ranking behind a freeze"}
MAY = {
    "nobody": set(),
    "a player": set(),
    "a player in the private competition": {"a private competition"},
    "staff": set(),
    "a viewer": {"a private board", *RUN},
    "a judge": RUN,
    "a moderator": {"a hidden comment"},
    "a superuser": set(SECRETS),
}
NO_STAFF = {"nobody", "a player", "a player in the private competition"}


def visitors() -> dict[str, Client]:
    return {
        "nobody": Client(),
        "a player": signed_in(Client(), "ann", "ann"),
        "a player in the private competition": signed_in(Client(), "dan", "dan"),
        "staff": staff(),
        "a viewer": staff("view_board", "view_competition", name="viewer"),
        "a judge": staff("change_competition", name="judge"),
        "a moderator": staff("change_comment", name="moderator"),
        "a superuser": chief(),
    }


def site() -> list[dict[str, object]]:
    """What stands in the addresses: of a frozen competition that is final, a private one, and a draft."""
    secret, cups = make_board(name="Hidden", period="all_time", visibility="private"), make_board(name="Cups")
    submit(
        [read_entry({"board": secret.seq, "player": "ann", "points": int(SECRETS["a private board"])}, 0)],
        Caller("tests"),
        START,
    )
    over = open_competition(cups, team_score="sum", freeze_minutes=23 * 60, starts_at=START - DAY, ends_at=START + HOUR)
    raced(over, {"ann": 9, "bob": 5}, START - DAY + HOUR)
    team = Team.objects.create(competition=over, name="Owls", key="owls")
    division = in_division(over, "Juniors", "ann", "bob")
    over.participants.update(team=team)
    score(over, {"bob": int(SECRETS["the ranking behind a freeze"])}, START)
    said = say(over, "bob", SECRETS["a hidden comment"])
    hide(said.pk, "Be kind.", clock.now(), None)
    finish(Competition.objects.get(pk=over.pk), clock.now())
    private = open_competition(make_board(name="Cups of friends", visibility="private"), name="Secret cup")
    joined(private, "dan")
    loose = draft(cups, name="Draft cup")
    public = SeriesFactory.create(competitions=[over, loose])
    secret_series = SeriesFactory.create(name="Secret cup series", competitions=[private], visibility="private")
    numbers = {"board": cups.seq, "other": secret.seq, "comment": said.pk, "picture": "abc"}
    numbers |= {"team": team.pk, "division": division}
    in_series = {over: public, private: secret_series, loose: public}
    return [numbers | {"c": each.pk, "series": one.pk} for each, one in in_series.items()]


def every_address(places: list[dict[str, object]]) -> set[str]:
    """Of pages and of the API."""
    every = {each.format(player="bob", **values) for values in places for some in EXAMPLES.values() for each in some}
    return {each for each in every if "logout" not in each}


def of_admin(places: list[dict[str, object]]) -> set[str]:
    """All with the first one's number; of the others, what is about a competition."""
    first, *others = (admin_addresses(int(str(values["c"]))) for values in places)
    every = {*first, *(each for found in others for each in found if "/competition/" in each)}
    return {each for each in every if "logout" not in each}


def once_each(addresses: set[str]) -> set[str]:
    """Each place with one of its queries."""
    return set({each.split("?")[0]: each for each in sorted(addresses)}.values())


def secrets_at(client: Client, addresses: set[str]) -> dict[str, list[str]]:
    """Each secret that the client was shown, and where."""
    found: dict[str, list[str]] = {}
    for address in sorted(addresses):
        for secret in secrets_in(client, address):
            found.setdefault(secret, []).append(address)
    return found


def secrets_in(client: Client, address: str) -> set[str]:
    client.cookies.pop("player", None)
    response = client.get(address)
    # Sessions are for pages: where none is read, an answer cannot tell who is signed in.
    assert not (address.startswith(API) and hasattr(response.wsgi_request, "session"))
    body = response.getvalue().decode(errors="replace")
    return {secret for secret, word in SECRETS.items() if word in body or (word.isdigit() and f"{int(word):,}" in body)}


@pytest.mark.long
def test_each_sees_at_all_addresses_what_their_permissions_allow_and_nothing_else() -> None:
    places = site()
    every, admin = every_address(places), of_admin(places)
    api = {each for each in every if each.startswith(API)}
    pages = every - api
    everybody = visitors()

    for who, client in everybody.items():
        # Who may see least asks for everything; the others for one address of each place.
        asked = pages if who in ("nobody", "staff") else once_each(pages)
        # That the admin lets in nobody but staff is in test_freeze_walk.py, for the same addresses.
        seen = secrets_at(client, asked if who in NO_STAFF else asked | admin)
        assert seen.keys() == MAY[who], (who, seen)
    assert secrets_at(everybody["nobody"], api) == {}
    assert secrets_at(everybody["a superuser"], once_each(api)) == {}
