"""The buttons: publish, move the end, reveal, cancel. Each asks once more, and every refusal stands in its form."""

from typing import Any

import pytest
from django.test import Client

from competitions.admin import acts
from competitions.models import Change, Competition, Notice
from competitions.services.finish import finish
from foundation import clock
from leaderboards.errors import StorageUnavailable
from tests.competitions.admin.typed import ZONE, act, change, moment, page, refusals
from tests.competitions.factories import DAY, END, HOUR, START
from tests.competitions.site import SOON, draft, joined, make_board, open_competition, raced, reloaded, score

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

ACTS = ("publish", "move-end", "reveal", "cancel")
YES = {"confirmed": "1"}


def offered(client: Client, competition: Competition) -> list[str]:
    html = page(client, change(competition))
    return [slug for slug in ACTS if f'href="../{slug}/"' in html]


def test_each_state_offers_what_is_possible(admin: Client) -> None:
    board = make_board()

    assert offered(admin, draft(board)) == ["publish"]
    assert offered(admin, open_competition(board)) == ["move-end", "cancel"]
    assert offered(admin, open_competition(board, freeze_minutes=24 * 60)) == ["move-end", "reveal", "cancel"]
    assert offered(admin, open_competition(board, starts_at=START - DAY, ends_at=START)) == ["cancel"]


def test_the_course_is_drawn_with_its_times_and_says_where_it_stands(admin: Client) -> None:
    competition = open_competition(timezone=ZONE, freeze_minutes=60)

    html = page(admin, change(competition))

    drawn = html[html.index('<ol class="course"') : html.index("</ol>", html.index('<ol class="course"'))]
    assert drawn.count("<li") == 6
    assert drawn.count('aria-current="step"') == 1
    assert '<li class="course-now" aria-current="step"> <strong>running</strong>' in drawn
    assert "KST" in drawn
    assert drawn.count("<em>done</em>") == 2
    assert drawn.count("<em>to come</em>") == 3


def test_publishing_is_asked_once_more_and_refused_where_it_cannot_work_any_more(admin: Client) -> None:
    competition = draft()
    past = draft(competition.board, starts_at=START - DAY, ends_at=START)

    assert "Anybody can see it" in page(admin, act(competition, "publish"))
    assert "lies in the past" in refusals(admin.post(act(past, "publish"), YES))
    assert not Competition.objects.exclude(published_at=None).exists()

    admin.post(act(competition, "publish"), YES)
    assert reloaded(competition).published_at is not None
    assert Change.objects.get().by is not None


class TestMovingTheEnd:
    """With a reason, after a look at what changes."""

    def moved(self, client: Client, competition: Competition, at: object = END + DAY, **more: str) -> Any:
        sent = moment("ends_at", at, ZONE) | {"reason": "It rained."} | more  # type: ignore[arg-type]  # a moment
        return client.post(act(competition, "move-end"), sent)

    def test_it_is_shown_first_and_done_then(self, admin: Client) -> None:
        competition = open_competition(timezone=ZONE)
        raced(competition, {"alice": 30, "bob": 20})

        asked = self.moved(admin, competition).content.decode()
        assert "The end moves from" in asked
        assert "2 participants are told." in asked
        assert reloaded(competition).ends_at == END

        done = self.moved(admin, competition, **YES)
        assert done.status_code == 302, refusals(done)
        assert reloaded(competition).ends_at == END + DAY
        assert Change.objects.get(kind="extended").reason == "It rained."
        assert Notice.objects.filter(kind="extended").count() == 2

    @pytest.mark.parametrize(
        ("settings", "at", "reason", "why"),
        [
            ({}, END + DAY, "", "required"),
            ({}, END + DAY, "  ", "required"),
            ({}, END + DAY, "x" * 301, "at most 300"),
            ({}, None, "It rained.", "required"),
            ({}, START + HOUR, "It rained.", "lies in the past"),
            ({"starts_at": END, "ends_at": END + 2 * DAY}, END - HOUR, "It rained.", "must end after it starts"),
            ({"starts_at": START - DAY, "ends_at": START}, END + DAY, "It rained.", "It has ended"),
            ({"published_at": None}, END + DAY, "It rained.", "It is a draft"),
            ({"cancelled_at": START}, END + DAY, "It rained.", "It was cancelled"),
            ({}, START + 60 * DAY, "It rained.", "48.5 days"),
        ],
    )
    def test_what_cannot_be_is_refused(
        self, admin: Client, settings: dict[str, Any], at: object, reason: str, why: str
    ) -> None:
        competition = open_competition(make_board(tie_break="score"), timezone=ZONE)
        Competition.objects.filter(pk=competition.pk).update(**settings)
        before = reloaded(competition).ends_at

        answer = self.moved(admin, competition, at, reason=reason, **YES)

        assert why in refusals(answer)
        assert reloaded(competition).ends_at == before

    def test_where_what_decides_is_away_it_says_so(self, admin: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        def away(*_: object) -> None:
            raise StorageUnavailable("What decides for this board is away; try again.")

        monkeypatch.setattr(acts, "change_end", away)

        assert "is away; try again" in refusals(self.moved(admin, open_competition(timezone=ZONE), **YES))


def test_participants_are_told_why_it_is_cancelled_once(admin: Client) -> None:
    competition = open_competition()
    joined(competition, "alice")
    cancel = act(competition, "cancel")

    assert "1 participant is told." in admin.post(cancel, {"reason": "Rain."}).content.decode()
    assert "required" in refusals(admin.post(cancel, {"reason": "", **YES}))
    assert reloaded(competition).cancelled_at is None

    admin.post(cancel, {"reason": "Rain.", **YES})
    assert reloaded(competition).cancelled_at is not None
    assert Notice.objects.get().change == Change.objects.get(kind="cancelled")
    assert "cancelled" in page(admin, change(competition))
    assert "cancelled before" in refusals(admin.post(cancel, {"reason": "Rain.", **YES}))
    assert Change.objects.filter(kind="cancelled").count() == 1


def test_only_staff_see_the_standings_until_the_reveal(admin: Client, client: Client) -> None:
    competition = open_competition(freeze_minutes=23 * 60, starts_at=START - DAY, ends_at=END - DAY + HOUR)
    raced(competition, {"alice": 30, "bob": 20}, SOON - DAY)
    score(competition, {"bob": 99}, START)
    address = f"/api/v1/competitions/{competition.pk}/standings"

    early = admin.post(act(competition, "reveal"), YES)
    full = page(admin, act(competition, "standings"))
    assert "not final yet" in refusals(early)
    assert full.index("bob") < full.index("alice")
    assert "The public does not see this" in full
    assert client.get(address).json()["rows"][0]["player"] == "alice"

    finish(reloaded(competition), clock.now())
    assert "reveal it: the result is final" in page(admin, change(competition))
    admin.post(act(competition, "reveal"), YES)
    assert client.get(address).json()["rows"][0]["player"] == "bob"


def test_where_nothing_is_hidden_there_is_nothing_to_reveal(admin: Client) -> None:
    assert "nothing to reveal" in refusals(admin.post(act(open_competition(), "reveal"), YES))


def test_an_unknown_competition_has_no_pages(admin: Client) -> None:
    for slug in (*ACTS, "standings"):
        assert admin.get(f"/admin/competitions/competition/999999/{slug}/").status_code == 404
