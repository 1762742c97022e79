"""The buttons: publish, move the end, reveal, cancel. Each asks once more, and every refusal stands in its form."""

import pytest
from django.test import Client

from competitions.admin import acts
from competitions.models import Change, Competition, Notice
from competitions.services.finish import finish
from foundation import clock
from leaderboards.errors import StorageUnavailable
from tests.competitions.admin.typed import ZONE, act, change, moment, page, refusals
from tests.competitions.site import (
    DAY,
    END,
    HOUR,
    SOON,
    START,
    draft,
    joined,
    make_board,
    open_competition,
    raced,
    reloaded,
    score,
)

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


class TestPublishing:
    """From a draft to what everybody sees."""

    def test_it_is_asked_once_more(self, admin: Client) -> None:
        competition = draft()

        asked = page(admin, act(competition, "publish"))
        assert "Anybody can see it" in asked
        assert reloaded(competition).published_at is None

        admin.post(act(competition, "publish"), YES)
        assert reloaded(competition).published_at is not None
        assert Change.objects.get().by is not None

    def test_what_cannot_work_any_more_is_refused(self, admin: Client) -> None:
        competition = draft(starts_at=START - DAY, ends_at=START)

        answer = admin.post(act(competition, "publish"), YES)

        assert "lies in the past" in refusals(answer)
        assert reloaded(competition).published_at is None


class TestMovingTheEnd:
    """With a reason, after a look at what changes."""

    def sent(self, at: object, reason: str = "It rained.", **more: str) -> dict[str, str]:
        return moment("ends_at", at, ZONE) | {"reason": reason} | more  # type: ignore[arg-type]  # a moment

    def test_it_is_shown_first_and_done_then(self, admin: Client) -> None:
        competition = open_competition(timezone=ZONE)
        raced(competition, {"alice": 30, "bob": 20})

        asked = admin.post(act(competition, "move-end"), self.sent(END + DAY))
        assert "The end moves from" in asked.content.decode()
        assert "2 participants are told." in asked.content.decode()
        assert reloaded(competition).ends_at == END

        done = admin.post(act(competition, "move-end"), self.sent(END + DAY, **YES))
        assert done.status_code == 302, refusals(done)
        assert reloaded(competition).ends_at == END + DAY
        assert Change.objects.get(kind="extended").reason == "It rained."
        assert Notice.objects.filter(kind="extended").count() == 2

    def test_a_reason_is_needed(self, admin: Client) -> None:
        competition = open_competition(timezone=ZONE)

        for reason in ("", "  ", "x" * 301):
            answer = admin.post(act(competition, "move-end"), self.sent(END + DAY, reason, **YES))
            assert refusals(answer)
        assert reloaded(competition).ends_at == END

    def test_into_the_past_before_the_start_or_no_moment_is_refused(self, admin: Client) -> None:
        running = open_competition(timezone=ZONE)
        coming = open_competition(running.board, timezone=ZONE, starts_at=START + 2 * DAY, ends_at=END + 2 * DAY)

        past = admin.post(act(running, "move-end"), self.sent(START + HOUR, **YES))
        early = admin.post(act(coming, "move-end"), self.sent(START + DAY, **YES))
        nothing = admin.post(act(running, "move-end"), self.sent(None, **YES))

        assert "lies in the past" in refusals(past)
        assert "must end after it starts" in refusals(early)
        assert "required" in refusals(nothing)
        assert (reloaded(running).ends_at, reloaded(coming).ends_at) == (END, END + 2 * DAY)

    @pytest.mark.parametrize("state", ["draft", "over", "cancelled"])
    def test_where_there_is_no_end_to_move_it_says_so(self, admin: Client, state: str) -> None:
        competition = draft(timezone=ZONE) if state == "draft" else open_competition(timezone=ZONE)
        if state == "over":
            Competition.objects.filter(pk=competition.pk).update(ends_at=START + HOUR)
        if state == "cancelled":
            admin.post(act(competition, "cancel"), {"reason": "Rain.", **YES})

        answer = admin.post(act(competition, "move-end"), self.sent(END + DAY, **YES))

        assert refusals(answer)
        assert reloaded(competition).ends_at < END + DAY

    def test_where_what_decides_is_away_it_says_so(self, admin: Client, monkeypatch: pytest.MonkeyPatch) -> None:
        competition = open_competition(timezone=ZONE)

        def away(*_: object) -> None:
            raise StorageUnavailable("What decides for this board is away; try again.")

        monkeypatch.setattr(acts, "change_end", away)
        answer = admin.post(act(competition, "move-end"), self.sent(END + DAY, **YES))

        assert "is away; try again" in refusals(answer)

    def test_a_window_that_does_not_fit_is_refused(self, admin: Client) -> None:
        competition = open_competition(make_board(tie_break="score"), timezone=ZONE)

        answer = admin.post(act(competition, "move-end"), self.sent(START + 60 * DAY, **YES))

        assert "48.5 days" in refusals(answer)


class TestCancelling:
    """With a reason; once."""

    def test_participants_are_told_why(self, admin: Client) -> None:
        competition = open_competition()
        joined(competition, "alice")

        asked = admin.post(act(competition, "cancel"), {"reason": "Rain."})
        assert "1 participant is told." in asked.content.decode()
        assert reloaded(competition).cancelled_at is None

        admin.post(act(competition, "cancel"), {"reason": "Rain.", **YES})
        assert reloaded(competition).cancelled_at is not None
        assert Notice.objects.get().change == Change.objects.get(kind="cancelled")
        assert "cancelled" in page(admin, change(competition))

    def test_twice_and_without_a_reason_is_refused(self, admin: Client) -> None:
        competition = open_competition()

        assert "required" in refusals(admin.post(act(competition, "cancel"), {"reason": "", **YES}))
        admin.post(act(competition, "cancel"), {"reason": "Rain.", **YES})
        assert "cancelled before" in refusals(admin.post(act(competition, "cancel"), {"reason": "Rain.", **YES}))
        assert Change.objects.filter(kind="cancelled").count() == 1


class TestRevealing:
    """What a freeze hides."""

    def test_only_staff_see_the_standings_until_the_reveal(self, admin: Client, client: Client) -> None:
        competition = open_competition(freeze_minutes=23 * 60, starts_at=START - DAY, ends_at=END - DAY + HOUR)
        raced(competition, {"alice": 30, "bob": 20}, SOON - DAY)
        score(competition, {"bob": 99}, START)
        address = f"/api/v1/competitions/{competition.pk}/standings"

        early = admin.post(act(competition, "reveal"), YES)
        full = page(admin, f"/admin/competitions/competition/{competition.pk}/standings/")
        assert "not final yet" in refusals(early)
        assert full.index("bob") < full.index("alice")
        assert "The public does not see this" in full
        assert client.get(address).json()["rows"][0]["player"] == "alice"

        finish(reloaded(competition), clock.now())
        assert "reveal it: the result is final" in page(admin, change(competition))
        admin.post(act(competition, "reveal"), YES)
        assert client.get(address).json()["rows"][0]["player"] == "bob"

    def test_where_nothing_is_hidden_there_is_nothing_to_reveal(self, admin: Client) -> None:
        answer = admin.post(act(open_competition(), "reveal"), YES)

        assert "nothing to reveal" in refusals(answer)


def test_an_unknown_competition_has_no_pages(admin: Client) -> None:
    for slug in (*ACTS, "standings"):
        assert admin.get(f"/admin/competitions/competition/999999/{slug}/").status_code == 404
