"""What is not public, from outside: at every address of the site each visitor sees what his permissions allow, no more.

Being staff opens nothing by itself. What is looked for are words that stand nowhere but in what is kept from somebody.
"""

from collections import defaultdict

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from competitions.models import Competition, Team
from competitions.services.finish import finish
from competitions.services.moderate import hide
from foundation import clock
from leaderboards.core.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.services.submit import submit
from tests.competitions.addresses import EXAMPLES, admin_addresses
from tests.competitions.factories import SeriesFactory
from tests.competitions.grouping import in_division
from tests.competitions.site import DAY, HOUR, START, draft, joined, make_board, open_competition, raced, score
from tests.competitions.talking import say
from tests.leaderboards.views.pages import signed_in

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

SECRETS = {
    "a private board": "43210",
    "a private competition": "Secret cup",
    "a draft": "Draft cup",
    "the ranking behind a freeze": "76543",
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


def staff(name: str, *permissions: str) -> Client:
    client = signed_in(Client(), name, is_staff=True)
    user = User.objects.get(username=name)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    assert user.user_permissions.count() == len(permissions)
    return client


def visitors() -> dict[str, Client]:
    return {
        "nobody": Client(),
        "a player": signed_in(Client(), "ann", "ann"),
        "a player in the private competition": signed_in(Client(), "dan", "dan"),
        "staff": staff("staff"),
        "a viewer": staff("viewer", "view_board", "view_competition"),
        "a judge": staff("judge", "change_competition"),
        "a moderator": staff("moderator", "change_comment"),
        "a superuser": signed_in(Client(), "chief", is_staff=True, is_superuser=True),
    }


def site() -> list[dict[str, object]]:
    """What stands in the addresses: of a frozen competition that is final, a private one, and a draft."""
    secret, cups = make_board(name="Hidden", period="all_time", visibility="private"), make_board(name="Cups")
    submit([read_entry({"board": secret.seq, "player": "ann", "points": 43210}, 0)], Caller("tests"), START)
    over = open_competition(cups, team_score="sum", freeze_minutes=23 * 60, starts_at=START - DAY, ends_at=START + HOUR)
    raced(over, {"ann": 9, "bob": 5}, START - DAY + HOUR)
    team = Team.objects.create(competition=over, name="Owls", key="owls")
    division = in_division(over, "Juniors", "ann", "bob")
    over.participants.update(team=team)
    score(over, {"bob": 76543}, START)
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


@pytest.mark.long
def test_each_sees_at_all_addresses_what_his_permissions_allow_and_nothing_else() -> None:
    places = site()
    every = {each.format(player="bob", **values) for values in places for some in EXAMPLES.values() for each in some}
    every |= set(admin_addresses(int(str(places[0]["c"]))))  # of the others, what is about a competition
    others = [int(str(values["c"])) for values in places[1:]]
    every |= {each for number in others for each in admin_addresses(number) if "/competition/" in each}
    every -= {each for each in every if "logout" in each}
    seen: dict[str, dict[str, set[str]]] = {who: defaultdict(set) for who in MAY}

    for who, client in visitors().items():
        # Who may see least asks for everything; the others for one address of each place.
        asked = every if who in ("nobody", "staff") else {each.split("?")[0]: each for each in sorted(every)}.values()
        for address in sorted(asked):
            client.cookies.pop("player", None)
            body = client.get(address).getvalue().decode(errors="replace")
            for secret, word in SECRETS.items():
                if word in body or (word.isdigit() and f"{int(word):,}" in body):
                    seen[who][secret].add(address)

    assert {who: set(found) for who, found in seen.items()} == MAY
