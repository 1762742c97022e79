"""Between a ban and the revision that follows it, page and files say what is so: another result is worked out."""

import pytest
from django.test import Client

from competitions.models import Competition
from competitions.services.lifecycle.finish import finish_due
from competitions.services.results.revisions import publish_due_revisions
from leaderboards.services.moderation.ban import ban, unban
from tests.competitions.factories import END, HOUR, MINUTE
from tests.competitions.grouping import in_division
from tests.competitions.site import joined, open_competition, player, raced
from tests.competitions.views.conftest import SetClock, home
from tests.leaderboards.views.pages import text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

AGAIN = "final · being worked out again"
BANNED, LIFTED = END + HOUR, END + 2 * HOUR


@pytest.fixture
def cup(set_clock: SetClock) -> Competition:
    competition = open_competition(name="Spring cup", team_score="sum")
    raced(competition, {"ann": 9, "bob": 5})
    joined(competition, "cleo")
    in_division(competition, "Masters", "bob")
    finish_due(END + MINUTE)
    publish_due_revisions(END + MINUTE)
    set_clock(BANNED)
    return competition


def test_who_is_banned_is_neither_counted_nor_in_any_answer_of_now_until_the_next_revision(
    client: Client, cup: Competition
) -> None:
    file = f"/api/v1/competitions/{cup.pk}/result.json"
    assert "3 participants" in text(client.get(home(cup)))
    assert AGAIN not in text(client.get(home(cup)))
    ban([player("ann").pk], "A bot.", BANNED, None)

    for _ in range(2):  # also where a revision was kept before
        between = text(client.get(home(cup)))
        assert AGAIN in between
        assert "2 participants" in between
        assert "result.json" not in between.replace("?revision", "")
        assert "ann" not in between.split()
    assert AGAIN in text(client.get(home(cup, "teams/")))
    refused = client.get(file)
    assert (refused.status_code, refused.json()["code"]) == (503, "unavailable")
    assert "Revision 1 stays readable" in refused.json()["detail"]
    assert b'"ann"' in b"".join(client.get(f"{file}?revision=1"))

    publish_due_revisions(BANNED + MINUTE)
    assert "final · revision 2" in text(client.get(home(cup)))
    assert b'"ann"' not in b"".join(client.get(file))
    unban([player("ann").pk], "No bot.", LIFTED, None)
    assert AGAIN in text(client.get(home(cup)))
    publish_due_revisions(LIFTED + MINUTE)
    assert "final · revision 3" in text(client.get(home(cup)))
    assert "3 participants" in text(client.get(home(cup)))
