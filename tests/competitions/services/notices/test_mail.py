"""E-mails: what stands in them, that none is lost, and that one sent twice is one message."""

import smtplib
from collections.abc import Sequence
from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.core import mail as outgoing
from django.core.mail import EmailMessage
from django.core.mail.backends.locmem import EmailBackend

from competitions.models import Change, Mail, Notice
from competitions.services.notices import mail as posting
from competitions.services.notices.mail import retry, send_due
from competitions.services.notices.notices import notify_participants, release_deferred, write_notices
from foundation.webhooks.outbox import event_id
from leaderboards.models import Player
from tests.at_once import at_once
from tests.competitions.factories import HOUR
from tests.competitions.services.mishaps import dying_at
from tests.competitions.services.telling import END, MORNING, NIGHT, NOON, contest, noticed, wants, with_address

pytestmark = pytest.mark.django_db(transaction=True)

MINUTE = timedelta(minutes=1)


def written(*names: str, **settings: object) -> None:
    """A mail for each of them."""
    with_address(*names)
    competition = contest(*names, **settings)
    for name in names:
        noticed(competition, name, "first_taken", rank=1, previous_rank=4)


def html_of(sent: EmailMessage) -> str:
    [alternative] = getattr(sent, "alternatives", [])
    return str(alternative.content)


def test_a_mail_says_what_happened_where_and_how_to_be_told_less(settings: LazySettings) -> None:
    settings.SITE_URL = "https://play.example.com"
    written("ann", name="Tea & <Biscuits>\nBcc: everybody@example.com")

    assert send_due(NOON) == 1

    [sent] = outgoing.outbox
    assert sent.recipients() == ["ann@example.com"]
    assert sent.subject == "Tea & <Biscuits> Bcc: everybody@example.com: you took first place"
    html = html_of(sent)
    assert "You took first place. Before, you were in place 4." in sent.body
    assert "Tea & <Biscuits>" in sent.body
    assert "Tea &amp; &lt;Biscuits&gt;" in html
    competition = Notice.objects.get().competition_id
    for text in (sent.body, html):
        assert f"https://play.example.com/competitions/{competition}/" in text
        assert "https://play.example.com/inbox/settings/" in text
    notice = Notice.objects.get()
    message_id = event_id(f"notice-{notice.pk}", notice.created_at)
    assert sent.extra_headers["Message-ID"] == f"<{message_id}@play.example.com>"


@pytest.mark.parametrize(
    ("site", "chosen", "language", "sentence"),
    [
        ("ko", "", "ko", "1위에 올랐습니다."),
        ("ko", "en", "en", "You took first place."),
        ("en", "tlh", "en", "You took first place."),  # which the site does not speak any more
    ],
)
def test_a_mail_is_written_in_the_language_that_its_player_chose_else_in_the_sites(
    settings: LazySettings, site: str, chosen: str, language: str, sentence: str
) -> None:
    settings.LANGUAGE_CODE = site
    written("ann")
    wants("ann", language=chosen)

    send_due(NOON)

    [sent] = outgoing.outbox
    assert sentence in sent.body
    assert f'<html lang="{language}">' in html_of(sent)


def test_a_summary_tells_all_that_was_held_with_the_time_on_the_players_own_clock() -> None:
    with_address("ann")
    wants("ann", timezone="Asia/Seoul", quiet_from=1, quiet_until=20)
    competition = contest("ann", ends_at=END + 24 * HOUR)
    for hour, kind in enumerate(("first_taken", "first_lost", "top3_entered")):
        noticed(competition, "ann", kind, at=NIGHT + hour * HOUR, rank=2)
    release_deferred(MORNING + 4 * HOUR)

    send_due(MORNING + 4 * HOUR)

    [sent] = outgoing.outbox
    assert sent.subject == "A cup: what happened meanwhile"
    assert "Sat 21 Nov, 11:00 (Asia/Seoul): You took first place." in sent.body
    assert "Sat 21 Nov, 12:00 (Asia/Seoul): You lost first place. You were in place 2 then." in sent.body
    assert "Sat 21 Nov, 13:00 (Asia/Seoul): You entered the top 3. You were in place 2 then." in sent.body


def test_a_moved_end_and_a_cancelling_are_mailed_with_their_reason() -> None:
    with_address("ann")
    competition = contest("ann")
    for kind in ("extended", "cancelled"):
        notify_participants(Change.objects.create(competition=competition, kind=kind, at=NOON, reason="Rain & wind"))

    send_due(NOON)

    moved, cancelled = (sent.body for sent in outgoing.outbox)
    assert "The competition now ends on Sat 21 Nov, 10:00 (UTC). Reason: Rain & wind" in moved
    assert "The competition was cancelled. Reason: Rain & wind" in cancelled


def test_who_has_no_address_or_account_gets_none() -> None:
    with_address("ann")
    competition = contest("ann")

    for nobody in ({"user": None}, {"email": ""}, {"is_active": False}):
        ann = Player.objects.select_related("user").get(external_id="ann")
        for field, value in nobody.items():
            setattr(ann if field == "user" else ann.user, field, value)
        write_notices([Notice(competition=competition, player=ann, kind="first_taken")], NOON)

    assert Notice.objects.count() == 3
    assert not Mail.objects.exists()


def test_mails_are_sent_once_however_many_send_at_once() -> None:
    names = [f"p{number}" for number in range(4)]
    written(*names)

    at_once([lambda: send_due(NOON)] * 3)

    assert sorted(sent.to[0] for sent in outgoing.outbox) == [f"{name}@example.com" for name in names]
    assert not Mail.objects.filter(sent_at=None).exists()


def test_one_that_was_sent_and_not_marked_is_sent_again_as_the_same_message() -> None:
    written("ann")
    with dying_at(posting):
        send_due(NOON)
    assert (len(outgoing.outbox), send_due(NOON + MINUTE)) == (1, 0)  # it may be under way still

    assert send_due(NOON + 2 * MINUTE) == 1

    first, second = outgoing.outbox
    assert first.extra_headers["Message-ID"] == second.extra_headers["Message-ID"]
    assert send_due(NOON + HOUR) == 0


def test_a_refused_mail_holds_up_no_other_is_tried_ever_more_seldom_and_given_up_after_two_days(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written("ann", "bob")
    deliver = EmailBackend.send_messages
    now, tried = NOON, []

    def refuse(self: EmailBackend, messages: Sequence[EmailMessage]) -> int:
        if messages[0].to != ["ann@example.com"]:
            return deliver(self, messages)
        tried.append(now)
        raise smtplib.SMTPRecipientsRefused({"ann@example.com": (550, b"nobody here")})

    with monkeypatch.context() as patch:
        patch.setattr(EmailBackend, "send_messages", refuse)
        for minutes in (*range(20), 24 * 60, 47 * 60, 48 * 60):
            now = NOON + minutes * MINUTE
            send_due(now)
    late = NOON + 49 * HOUR

    refused = Mail.objects.get(to="ann@example.com")
    assert [sent.to for sent in outgoing.outbox] == [["bob@example.com"]]
    assert [(at - NOON) // MINUTE for at in tried] == [0, 2, 6, 14, 24 * 60, 47 * 60]
    assert "nobody here" in refused.error
    assert (refused.dead_at, send_due(late)) == (NOON + 48 * HOUR, 0)
    assert (retry(Mail.objects.all(), late), send_due(late)) == (1, 1)


def test_while_the_server_cannot_be_reached_all_wait_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    written("ann", "bob")
    calls = []

    def refuse(self: EmailBackend) -> None:
        calls.append(self)
        raise ConnectionRefusedError("nobody listens")

    with monkeypatch.context() as patch:
        patch.setattr(EmailBackend, "open", refuse)
        for seconds in (0, 5, 30, 55):
            send_due(NOON + timedelta(seconds=seconds))

    assert len(calls) == 1
    assert send_due(NOON + MINUTE) == 2
