"""What accounts leave behind goes: addresses of invitations that came to nothing, and sessions that are over."""

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from accounts.models import Invitation
from accounts.services.retention import blank_invitations, drop_sessions
from accounts.tasks import retain
from tests.accounts.people import PASSWORD, sign_in, who
from tests.leaderboards.factories import UserFactory

pytestmark = pytest.mark.django_db

AT, DAY = datetime(2026, 3, 1, 12, tzinfo=UTC), timedelta(days=1)


def test_whom_an_invitation_was_for_goes_90_days_after_it_ended_unless_they_came() -> None:
    ends = {"expired": AT - 91 * DAY, "lately": AT - 89 * DAY, "revoked": AT + DAY, "came": AT - 91 * DAY}
    ann = UserFactory.create(username="ann")
    for name, ends_at in ends.items():
        Invitation.objects.create(
            email=f"{name}@example.org",
            note=name,
            created_at=AT - 100 * DAY,
            expires_at=ends_at,
            revoked_at=AT - 91 * DAY if name == "revoked" else None,
            used_by=ann if name == "came" else None,
        )

    assert [blank_invitations(AT), blank_invitations(AT)] == [2, 0]

    assert list(Invitation.objects.order_by("pk").values_list("email", "note")) == [
        ("", ""),
        ("lately@example.org", "lately"),
        ("", ""),
        ("came@example.org", "came"),
    ]


def test_sessions_that_are_over_go_and_others_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    UserFactory.create(username="ann", password=PASSWORD)
    client = Client()
    sign_in(client, "ann")
    over = [Session(session_key=f"old-{nth}", expire_date=timezone.now() - DAY) for nth in range(3)]
    Session.objects.bulk_create(over)
    monkeypatch.setattr("accounts.services.retention.BATCH", 2)

    assert drop_sessions() == 3

    assert who(client) == "ann"
    assert retain() == [0, 0, 0]
