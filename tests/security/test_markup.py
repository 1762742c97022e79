"""What people type is shown as text: markup in every name and text, at every address of the site."""

import re

import pytest
from django.test import Client

from foundation import clock
from foundation.audit import record
from leaderboards.models import Board
from leaderboards.services.moderation.ban import ban
from tests.competitions.addresses import EXAMPLES, admin_addresses
from tests.competitions.factories import SeriesFactory, TeamFactory
from tests.competitions.grouping import in_division
from tests.competitions.site import make_board, open_competition, player, raced
from tests.competitions.talking import say
from tests.leaderboards.views.pages import signed_in
from tests.playing import make_board as board_of_weeks
from tests.playing import name, score

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

MARKUP = """'"><img src=x>"""
RAW, ESCAPED = "<img src=x", re.compile(r"&lt;img src=x|\\u003Cimg src=x", re.IGNORECASE)


def site() -> dict[str, object]:
    """A competition, its board, a comment, a team, a division, a series and another board, each called so."""
    board = make_board(name=f"Cups {MARKUP}", format=MARKUP)
    cup = open_competition(board, name=f"Cup {MARKUP}", description=f"About {MARKUP}", team_score="sum")
    team = TeamFactory.create(competition=cup, name=f"Owls {MARKUP}")
    raced(cup, {"ann": 9, "bob": 5})
    division = in_division(cup, f"Juniors {MARKUP}", "ann", "bob")
    cup.participants.update(team=team)
    other = Board.objects.get(seq=board_of_weeks(name=f"Weeks {MARKUP}", format=MARKUP))
    score(other.seq, {"ann": 3, "bob": 2})
    for each in ("ann", "bob"):
        name(each, f"{each} {MARKUP}")
    said = say(cup, "bob", f"Well done {MARKUP}")
    series = SeriesFactory.create(name=f"Series {MARKUP}", competitions=[cup])
    record("board.changed", at=clock.now(), subjects=[("board", other.pk)], reason=MARKUP, before={"name": MARKUP})
    ban([player("cleo").pk], MARKUP, clock.now(), None)
    numbers = {"c": cup.pk, "board": board.seq, "other": other.seq, "series": series.pk, "comment": said.pk}
    return numbers | {"picture": "abc", "team": team.pk, "division": division}


@pytest.mark.long
def test_no_page_shows_markup_that_somebody_typed_as_markup() -> None:
    values = site()
    chief = signed_in(Client(), f"chief {MARKUP}", "ann", is_staff=True, is_superuser=True)
    every = {each.format(player="ann", **values) for some in EXAMPLES.values() for each in some}
    every |= {each for number in set(values.values()) if isinstance(number, int) for each in admin_addresses(number)}

    shown, raw = set(), set()
    for address in sorted(each for each in every if "logout" not in each):
        answer = chief.get(address)
        page = answer.getvalue().decode(errors="replace")
        if answer.get("Content-Type", "").startswith("text/html"):
            shown |= {address} if ESCAPED.search(page) else set()
            raw |= {address} if RAW in page else set()

    assert raw == set()
    assert len(shown) > 50
