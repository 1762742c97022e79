"""Numbers in attributes are for machines: in a project with ``USE_THOUSAND_SEPARATOR`` they are written as without it.

An address with ``?board=12,346`` leads nowhere, and a form with such a number refuses its own buttons.
"""

import re
from collections.abc import Iterator

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client
from django.test.utils import override_settings

from competitions.services.lifecycle.finish import finish
from foundation import clock
from foundation.audit import record
from leaderboards.models import Board, RestrictionKind
from leaderboards.services.moderation.ban import ban
from leaderboards.services.moderation.restrict import RestrictionScope, restrict
from tests.competitions.addresses import EXAMPLES, admin_addresses
from tests.competitions.factories import DAY, HOUR, START, RewardTierFactory, SeriesFactory, TeamFactory
from tests.competitions.grouping import in_division
from tests.competitions.site import make_board, open_competition, player, raced, reloaded
from tests.competitions.talking import say
from tests.leaderboards.views.pages import signed_in
from tests.playing import make_board as board_of_weeks
from tests.playing import score

pytestmark = [
    pytest.mark.long,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("links", "large_numbers"),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="the numbers are raised by PostgreSQL's sequences"),
]

LAST = 12_345  # the number of the last row of each table, before the test makes its own
FOR_PEOPLE = {"alt", "aria-description", "aria-label", "aria-valuetext", "content", "placeholder", "title"}
ATTRIBUTE = re.compile(r"""\s([a-zA-Z:-]+)="([^"]*)\"""")
SEPARATED = re.compile("(?<![0-9.])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])")
ACTION = re.compile(r'<option value="([a-z_]+)"')


@pytest.fixture
def large_numbers() -> None:
    with connection.cursor() as cursor:
        for model in apps.get_models():
            cursor.execute("SELECT pg_get_serial_sequence(%s, %s)", [model._meta.db_table, model._meta.pk.column])
            [sequence] = cursor.fetchone()
            if sequence:
                cursor.execute("SELECT setval(%s, %s)", [sequence, LAST])


def site() -> dict[str, object]:
    """A competition that runs and one that is over, with all that they have; a board of weeks; a ban, a restriction."""
    board = make_board(name="Cups")
    cup = open_competition(board, name="Cup", team_score="sum")
    team = TeamFactory.create(competition=cup, name="Owls")
    RewardTierFactory.create(competition=cup)
    raced(cup, {"ann": 98_765, "bob": 54_321})
    division = in_division(cup, "Juniors", "ann", "bob")
    cup.participants.update(team=team)
    over = open_competition(board, name="Over", starts_at=START - DAY, ends_at=START + HOUR)
    raced(over, {"ann": 98_765, "bob": 54_321}, START - DAY + HOUR)
    finish(reloaded(over), clock.now())
    other = Board.objects.get(seq=board_of_weeks(name="Weeks"))
    score(other.seq, {"ann": 98_765, "bob": 54_321, "cleo": 12_345})
    said = say(cup, "bob", "Well done")
    series = SeriesFactory.create(name="Series", competitions=[cup, over])
    record("board.changed", at=clock.now(), subjects=[("board", other.pk)], reason="So.", before={"name": "W"})
    ban([player("cleo").pk], "A bot.", clock.now(), None)
    restrict([player("bob").pk], RestrictionScope(RestrictionKind.HIDDEN, other), "A bot.", clock.now(), None)
    numbers = {"c": cup.pk, "board": board.seq, "other": other.seq, "series": series.pk, "comment": said.pk}
    return numbers | {"picture": "abc", "team": team.pk, "division": division}


def separated(page: str) -> set[str]:
    """Each attribute for machines in which a number is separated."""
    found = ((name, SEPARATED.search(value)) for name, value in ATTRIBUTE.findall(page) if name not in FOR_PEOPLE)
    return {f'{name}="…{number[0]}…"' for name, number in found if number}


def pages(client: Client, addresses: set[str]) -> Iterator[tuple[str, str]]:
    """Each address and its page; of a list in the admin, also what each of its actions asks."""
    for address in sorted(addresses):
        answer = client.get(address)
        if not answer.get("Content-Type", "").startswith("text/html"):
            continue
        page = answer.getvalue().decode(errors="replace")
        yield address, page
        rows = re.findall(r'name="_selected_action" value="([^"]+)"', page)
        for action in ACTION.findall(page) if rows and address.startswith("/admin/") else ():
            asked = client.post(address, {"action": action, "_selected_action": rows})
            yield f"{address} {action}", asked.getvalue().decode(errors="replace")


def test_no_number_in_an_attribute_is_separated() -> None:
    values = site()
    chief = signed_in(Client(), "chief", "ann", is_staff=True, is_superuser=True)
    every = {each.format(player="ann", **values) for some in EXAMPLES.values() for each in some}
    every |= {each for number in (LAST + 1, LAST + 2) for each in admin_addresses(number)}

    found: dict[str, set[str]] = {}
    with override_settings(USE_THOUSAND_SEPARATOR=True):
        shown = dict(pages(chief, {each for each in every if "logout" not in each}))
    for address, page in shown.items():
        for attribute in separated(page):
            found.setdefault(attribute, set()).add(address)

    assert {each: sorted(where)[:3] for each, where in found.items()} == {}
    assert sum(str(LAST + 1) in page for page in shown.values()) > 50
    assert sum(bool(SEPARATED.search(page)) for page in shown.values()) > 10, "nothing is separated at all"
