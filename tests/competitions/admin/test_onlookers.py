"""Staff who may look at competitions, and do nothing to them."""

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from competitions.admin.acts import ACTS, Act
from competitions.models import Competition
from tests.competitions.admin.typed import LIST, act
from tests.competitions.site import draft, open_competition
from tests.leaderboards.factories import UserFactory


@pytest.mark.django_db
@pytest.mark.usefixtures("links")
@pytest.mark.parametrize("wanted", ACTS, ids=lambda wanted: wanted.slug)
def test_whoever_may_look_sees_the_standings_and_may_do_none_of_the_acts(client: Client, wanted: Act) -> None:
    onlooker = UserFactory.create(username="onlooker", is_staff=True)
    onlooker.user_permissions.add(Permission.objects.get(codename="view_competition"))
    client.force_login(onlooker)
    competition = draft() if wanted.slug == "publish" else open_competition(freeze_minutes=24 * 60)
    before = Competition.objects.filter(pk=competition.pk).values().get()

    asked = client.get(act(competition, wanted.slug))
    done = client.post(act(competition, wanted.slug), {"confirmed": "1", "reason": "Because."})

    assert (asked.status_code, done.status_code) == (403, 403)
    assert Competition.objects.filter(pk=competition.pk).values().get() == before
    assert client.get(f"{LIST}{competition.pk}/standings/").status_code == 200
