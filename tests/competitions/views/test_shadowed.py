"""The shadowed see a competition, their team and their division as if nothing was; nobody else sees them there."""

import pytest
from django.test import Client

from competitions.selectors.standings.group_standings import clear_group_standings
from competitions.services.lifecycle.finish import finish_due
from competitions.services.results.revisions import publish_due_revisions
from foundation import clock
from leaderboards.models import Player
from tests.competitions.factories import END, MINUTE, TeamFactory
from tests.competitions.grouping import in_division
from tests.competitions.site import race
from tests.leaderboards.services.restricting import keep_out
from tests.leaderboards.views.pages import signed_in, text, timeless_text

pytestmark = pytest.mark.django_db(transaction=True)

CHEAT = "Zoe Quux"


def read(client: Client, address: str) -> str:
    """What they read, whenever that is."""
    return timeless_text(client.get(address))


def test_pages_of_a_competition_are_for_the_shadowed_what_they_were() -> None:
    competition = race({"zoe": 9, "mina": 7}, team_score="sum")
    Player.objects.filter(external_id="zoe").update(name=CHEAT)
    team = TeamFactory.create(competition=competition, name="Owls")
    competition.participants.update(team=team)
    division = in_division(competition, "Juniors", "zoe", "mina")
    zoe, mina = signed_in(Client(), "someone", "zoe"), signed_in(Client(), "another", "mina")
    there = f"/competitions/{competition.pk}/"
    addresses = [there, f"{there}teams/", f"{there}teams/{team.pk}/", f"{there}divisions/{division}/"]
    before = {address: read(zoe, address) for address in addresses}
    keep_out("shadowed", competition.board, "zoe")
    clear_group_standings()

    own = {address: read(zoe, address) for address in addresses}
    others = [read(each, address) for each in (mina, Client()) for address in addresses]

    assert own == before
    assert CHEAT in before[there]
    assert [CHEAT in page for page in others] == [False] * len(others)
    assert [read(Client(), there) == before[there], "16" in read(mina, addresses[1])] == [False, False]


def test_a_final_result_gives_no_shadow_away(monkeypatch: pytest.MonkeyPatch) -> None:
    competition = race({"zoe": 9, "mina": 7})
    Player.objects.filter(external_id="zoe").update(name=CHEAT)
    zoe, there = signed_in(Client(), "someone", "zoe"), f"/competitions/{competition.pk}/"
    finish_due(END + MINUTE)
    keep_out("shadowed", competition.board, "zoe", at=END + MINUTE)
    assert publish_due_revisions(END + 2 * MINUTE) == 1
    monkeypatch.setattr(clock, "now", lambda: END + 3 * MINUTE)

    own, others = text(zoe.get(there)), text(Client().get(there))
    told = Client().get(f"/api/v1/competitions/{competition.pk}/revisions").json()["rows"]

    assert "Who is shown in the result has changed. 2" in own
    assert "Who is shown in the result has changed. 1" in others
    assert [(each["reason"], each["total"]) for each in told] == [
        ("", 2),
        ("Who is shown in the result has changed.", 1),
    ]
    assert not any(word in page.lower() for word in ("banned", "let in") for page in (own, others))
