"""E-mails: what stands in them, that none is lost, and that one sent twice is one message."""

import smtplib
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import pytest
from django.conf import LazySettings
from django.core import mail as outgoing
from django.core.mail import EmailMessage
from django.core.mail.backends.locmem import EmailBackend

from competitions.models import Change, Mail, Notice
from competitions.services import mail as posting
from competitions.services.mail import retry, send_due
from competitions.services.notices import release_held, tell_participants, write
from leaderboards.models import Player
from tests.at_once import at_once
from tests.competitions.services.telling import END, HOUR, MORNING, NIGHT, NOON, contest, wants, who, with_address

pytestmark = pytest.mark.django_db(transaction=True)

MINUTE = timedelta(minutes=1)


def written(*names: str, **settings: object) -> None:
    """A mail for each of them."""
    competition = contest(*names, **settings)
    for name in names:
        with_address(name)
        write([Notice(competition=competition, player=who(name), kind="first_taken", rank=1, previous_rank=4)], NOON)


def fails(monkeypatch: pytest.MonkeyPatch, step: str, error: Exception) -> None:
    def fail(*_: object) -> int:
        raise error

    monkeypatch.setattr(EmailBackend, step, fail)


def html_of(sent: EmailMessage) -> str:
    [alternative] = getattr(sent, "alternatives", [])
    return str(alternative.content)


def test_a_mail_says_what_happened_where_and_how_to_be_told_less(settings: LazySettings) -> None:
    settings.SITE_URL = "https://play.example.com"
    written("ann", name="Tea & <Biscuits>")

    assert send_due(NOON) == 1

    [sent] = outgoing.outbox
    assert (sent.to, sent.subject) == (["ann@example.com"], "Tea & <Biscuits>: you took first place")
    html = html_of(sent)
    assert "You took first place. Before, you were in place 4." in sent.body
    assert "Tea & <Biscuits>" in sent.body
    assert "Tea &amp; &lt;Biscuits&gt;" in html
    competition = Notice.objects.get().competition_id
    for text in (sent.body, html):
        assert f"https://play.example.com/competitions/{competition}/" in text
        assert "https://play.example.com/inbox/settings/" in text
    assert sent.extra_headers["Message-ID"] == f"<notice-{Notice.objects.get().pk}@play.example.com>"


def test_a_mail_is_written_in_the_language_of_the_site(settings: LazySettings) -> None:
    settings.LANGUAGE_CODE = "ko"
    written("ann")

    send_due(NOON)

    assert "1위" in outgoing.outbox[0].body
    assert '<html lang="ko">' in html_of(outgoing.outbox[0])


def test_a_mail_is_written_in_the_language_that_its_player_chose() -> None:
    with_address("ann")
    wants("ann", language="ko", timezone="Asia/Seoul", quiet_from=1, quiet_until=20)
    competition = contest("ann", ends_at=END + 24 * HOUR)
    for kind, at in (("first_taken", NIGHT), ("top3_entered", NIGHT + HOUR)):
        write([Notice(competition=competition, player=who("ann"), kind=kind, rank=2)], at)
    release_held(MORNING + 4 * HOUR)

    send_due(MORNING + 4 * HOUR)

    [sent] = outgoing.outbox
    assert sent.subject == "A cup: 그동안의 소식"
    assert "11월 21일 (토) 11:00: 1위에 올랐습니다." in sent.body
    assert "11월 21일 (토) 12:00: 3위 안에 들었습니다. 당시 순위는 2위였습니다." in sent.body
    assert '<html lang="ko">' in html_of(sent)
    assert "대회 보기" in html_of(sent)


def test_a_language_that_the_site_no_longer_speaks_gives_way_to_the_sites() -> None:
    written("ann")
    wants("ann", language="tlh")

    send_due(NOON)

    assert outgoing.outbox[0].subject == "A cup: you took first place"


def test_a_name_of_two_lines_adds_no_header() -> None:
    written("ann", name="Cup\nBcc: everybody@example.com")

    send_due(NOON)

    assert outgoing.outbox[0].subject == "Cup Bcc: everybody@example.com: you took first place"
    assert outgoing.outbox[0].recipients() == ["ann@example.com"]


def test_a_summary_tells_all_that_was_held_with_the_time_on_his_own_clock() -> None:
    with_address("ann")
    wants("ann", timezone="Asia/Seoul", quiet_from=1, quiet_until=20)
    competition = contest("ann", ends_at=END + 24 * HOUR)
    for kind, at in (("first_taken", NIGHT), ("first_lost", NIGHT + HOUR)):
        write([Notice(competition=competition, player=who("ann"), kind=kind, rank=2)], at)
    release_held(MORNING + 4 * HOUR)

    send_due(MORNING + 4 * HOUR)

    [sent] = outgoing.outbox
    assert sent.subject == "A cup: what happened meanwhile"
    assert "Sat 21 Nov, 11:00: You took first place." in sent.body
    assert "Sat 21 Nov, 12:00: You lost first place. You were in place 2 then." in sent.body


def test_a_moved_end_and_a_cancelling_are_mailed_with_their_reason() -> None:
    with_address("ann")
    competition = contest("ann")
    for kind in ("extended", "cancelled"):
        tell_participants(Change.objects.create(competition=competition, kind=kind, at=NOON, reason="Rain & wind"))

    send_due(NOON)

    moved, cancelled = (sent.body for sent in outgoing.outbox)
    assert "The competition now ends on Sat 21 Nov, 10:00. Reason: Rain & wind" in moved
    assert "The competition was cancelled. Reason: Rain & wind" in cancelled


@pytest.mark.parametrize("user", [{"user": None}, {"user__email": ""}, {"user__is_active": False}])
def test_who_has_no_address_or_account_gets_none(user: dict[str, object]) -> None:
    with_address("ann")
    ann = Player.objects.select_related("user").get(external_id="ann")
    assert ann.user is not None
    for field, value in user.items():
        owner, _, name = field.rpartition("__")
        setattr(ann.user if owner else ann, name, value)
    write([Notice(competition=contest("ann"), player=ann, kind="first_taken")], NOON)

    assert not Mail.objects.exists()


def test_mails_are_sent_once_however_many_send_at_once() -> None:
    names = [f"p{number}" for number in range(8)]
    written(*names)

    at_once([lambda: send_due(NOON)] * 4)

    assert sorted(sent.to[0] for sent in outgoing.outbox) == [f"{name}@example.com" for name in names]
    assert not Mail.objects.filter(sent_at=None).exists()


def test_one_that_was_sent_and_not_marked_is_sent_again_as_the_same_message(monkeypatch: pytest.MonkeyPatch) -> None:
    written("ann")

    def dies(name: str) -> None:
        raise SystemExit(name)

    with monkeypatch.context() as patch:
        patch.setattr(posting, "failpoint", dies)
        with pytest.raises(SystemExit):
            send_due(NOON)
    assert (len(outgoing.outbox), send_due(NOON + MINUTE)) == (1, 0)  # it may be under way still

    assert send_due(NOON + 2 * MINUTE) == 1

    first, second = outgoing.outbox
    assert first.extra_headers["Message-ID"] == second.extra_headers["Message-ID"]
    assert send_due(NOON + HOUR) == 0


def test_a_refused_mail_holds_up_no_other_and_is_tried_ever_more_seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    written("ann", "bob")
    deliver: Callable[[EmailBackend, Sequence[EmailMessage]], int] = EmailBackend.send_messages

    def refuse(self: EmailBackend, messages: Sequence[EmailMessage]) -> int:
        if messages[0].to == ["ann@example.com"]:
            raise smtplib.SMTPRecipientsRefused({"ann@example.com": (550, b"nobody here")})
        return deliver(self, messages)

    monkeypatch.setattr(EmailBackend, "send_messages", refuse)

    tried = [at for at in (NOON + minutes * MINUTE for minutes in range(20)) if _tries(at)]

    assert [sent.to for sent in outgoing.outbox] == [["bob@example.com"]]
    assert [(at - NOON) // MINUTE for at in tried] == [0, 2, 6, 14]
    assert "nobody here" in Mail.objects.get(to="ann@example.com").error


def _tries(at: datetime) -> bool:
    before = Mail.objects.get(to="ann@example.com").tries
    send_due(at)
    return Mail.objects.get(to="ann@example.com").tries > before


def test_a_mail_is_given_up_after_two_days_and_may_be_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    written("ann")
    with monkeypatch.context() as patch:
        fails(patch, "send_messages", smtplib.SMTPException("no"))
        for hours in range(49):
            send_due(NOON + hours * HOUR)
    late = NOON + 49 * HOUR
    assert send_due(late) == 0
    assert Mail.objects.get().dead_at == NOON + 48 * HOUR

    assert retry(Mail.objects.all(), late) == 1

    assert send_due(late) == 1


def test_while_the_server_cannot_be_reached_all_wait_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    written("ann", "bob")
    calls = []

    def refuse(self: EmailBackend) -> None:
        calls.append(self)
        raise ConnectionRefusedError("nobody listens")

    with monkeypatch.context() as patch:
        patch.setattr(EmailBackend, "open", refuse)
        for seconds in range(0, 55, 5):
            send_due(NOON + timedelta(seconds=seconds))

    assert len(calls) == 1
    assert send_due(NOON + MINUTE) == 2
