"""The inbox and its settings: a player's own, and nobody else's."""

from typing import Any

import pytest
from django.test import Client

from competitions.models import Competition, Notice, Participant, Preference
from leaderboards.models import Board
from tests.competitions.services.telling import NOON, contest, wants, who
from tests.leaderboards.views.pages import signed_in, text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]

WISHES = {"told": ["first_taken", "cancelled"], "timezone": "Asia/Seoul", "quiet_from": "22", "quiet_until": "7"}


def tell(player: str, kind: str = "first_taken", **more: Any) -> Notice:
    return Notice.objects.create(competition=contest(player), player=who(player), kind=kind, created_at=NOON, **more)


def test_it_tells_what_happened_on_the_players_own_clock_and_what_is_new(ann: Client) -> None:
    tell("ann", previous_rank=4)
    tell("ann", "first_lost", rank=2, read_at=NOON)
    tell("ann", "top3_entered", held_until=NOON)
    tell("bob", "top10_entered")
    wants("ann", timezone="Asia/Seoul")

    page = text(ann.get("/inbox/"))

    assert "Inbox 1 unread" in page
    assert "A cup: you took first place You took first place. Before, you were in place 4. new" in page
    assert "Fri 20 Nov, 21:00 ( Asia/Seoul )" in page
    assert "A cup: you lost first place You lost first place. You were in place 2 then." in page
    assert "entered the top" not in page


def test_each_time_is_an_element_in_the_zone_that_is_named_beside_it(ann: Client) -> None:
    notice = tell("ann", "extended", details={"ends_at": "2026-11-21T03:00:00+00:00"})
    Competition.objects.filter(pk=notice.competition_id).update(timezone="Asia/Seoul", name="<b>Cup")

    page = ann.get("/inbox/").content.decode()

    named = '(<span class="zone">Asia/Seoul</span>)'
    assert 'class="message is-unread" data-zone="Asia/Seoul"' in page
    assert f'ends on <time datetime="2026-11-21T03:00:00Z">Sat 21 Nov, 12:00</time> {named}.' in page
    assert f'<time datetime="2026-11-20T12:00:00Z">Fri 20 Nov, 21:00</time> {named}' in page
    assert "<b>Cup" not in page


def test_a_zone_that_the_player_chose_is_not_converted(ann: Client) -> None:
    tell("ann")
    wants("ann", timezone="America/New_York")

    page = ann.get("/inbox/").content.decode()

    assert "data-zone" not in page
    assert 'Fri 20 Nov, 07:00</time> (<span class="zone">America/New_York</span>)' in page


def test_one_is_marked_as_read_or_all_that_were_shown(ann: Client) -> None:
    first, second, of_bob = tell("ann"), tell("ann"), tell("bob")
    tell("ann")

    def read_after(**sent: object) -> set[int]:
        ann.post("/inbox/", sent)
        return set(Notice.objects.exclude(read_at=None).values_list("pk", flat=True))

    assert read_after(notice=first.pk, shown=[first.pk, second.pk]) == {first.pk}
    assert read_after(shown=[second.pk, of_bob.pk, "x", "9" * 30]) == {first.pk, second.pk}
    assert "Inbox 1 unread Account" in text(ann.get("/account/"))


def test_a_private_competition_is_linked_for_who_is_in_it_and_named_for_who_has_left(ann: Client) -> None:
    notice = tell("ann")
    link = f'href="/competitions/{notice.competition_id}/"'
    Board.objects.update(visibility="private")
    Participant.objects.filter(player=notice.player).delete()
    taking_part = Participant.objects.create(competition=notice.competition, player=notice.player, joined_at=NOON)
    assert link in ann.get("/inbox/").content.decode()
    assert ann.get(f"/competitions/{notice.competition_id}/").status_code == 200

    Participant.objects.filter(pk=taking_part.pk).update(left_at=NOON)

    page = ann.get("/inbox/")
    assert link not in page.content.decode()
    assert "A cup: you took first place" in text(page)


def test_it_is_for_players_who_have_signed_in() -> None:
    unlinked = signed_in(Client(), "bob")

    for path in ("/inbox/", "/inbox/settings/"):
        assert Client().get(path)["Location"] == f"/accounts/login/?next={path}"
        said = "your account is not linked to one yet" if path == "/inbox/" else "as messages of a browser"
        assert said in text(unlinked.get(path))
        assert said in text(unlinked.post(path, WISHES))
    assert 'href="/inbox/settings/"' in unlinked.get("/account/").content.decode()


def test_wishes_are_shown_and_kept_and_what_cannot_be_kept_is_refused_in_words(ann: Client) -> None:
    for wrong, sentence in (
        ({"timezone": "Mars/Olympus"}, "There is no such time zone."),
        ({"quiet_from": "24"}, "Select a valid choice."),
        ({"told": ["gossip"]}, "Select a valid choice."),
    ):
        assert sentence in text(ann.post("/inbox/settings/", WISHES | wrong))
        assert not Preference.objects.exists()

    before = ann.get("/inbox/settings/").content.decode()
    page = text(ann.post("/inbox/settings/", WISHES | {"language": "ko"}, follow=True))

    stored = Preference.objects.get(player__external_id="ann")
    assert before.count(" checked") == 9
    assert '<option value="23" selected>23:00</option>' in before
    assert "You are always told when you are removed, brought back, disqualified or reinstated" in before
    assert "Saved." in page
    assert stored.muted == ["extended", "first_lost", "result", "rewarded", "top10_entered", "top3_entered"]
    assert (stored.by_mail, stored.timezone, stored.language) == (False, "Asia/Seoul", "ko")
    assert (stored.quiet_from, stored.quiet_until) == (22, 7)
