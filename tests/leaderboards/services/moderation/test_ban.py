"""A ban and its end: whom they concern, the record that they leave, and that both are there or neither is."""

from datetime import timedelta

import pytest

from foundation import clock
from foundation.reasons import BadReason
from leaderboards.models import BanRecord, Player
from leaderboards.services.moderation import ban as service
from leaderboards.services.moderation.ban import ban, unban
from leaderboards.services.players.erase import erase_player
from tests.competitions.services.mishaps import dying_at
from tests.leaderboards.factories import AdminFactory, PlayerFactory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def test_whoever_is_banned_already_stays_so_and_the_record_says_who_did_what_when_and_why() -> None:
    ann, bob = (PlayerFactory.create(external_id=name) for name in ("ann", "bob"))
    judge, at = AdminFactory.create(), clock.now()
    later = at + timedelta(minutes=1)

    first = ban([ann.pk], " A bot. ", at, judge)
    second = ban([ann.pk, bob.pk], "A ring.", later, None)
    lifted = unban([ann.pk], "A mistake.", later, judge)

    assert (first, second, lifted) == ([ann], [bob], [ann])
    rows = BanRecord.objects.order_by("pk").values_list("player__external_id", "kind", "at", "by", "reason")
    assert list(rows) == [
        ("ann", "banned", at, judge.pk, "A bot."),
        ("bob", "banned", later, None, "A ring."),
        ("ann", "lifted", later, judge.pk, "A mistake."),
    ]
    assert dict(Player.objects.values_list("external_id", "banned_at")) == {"ann": None, "bob": later}
    judge.delete()
    assert BanRecord.objects.get(reason="A bot.").by is None


@pytest.mark.parametrize("reason", ["", "  ", "x" * 301])
def test_without_a_reason_nobody_is_banned(reason: str) -> None:
    ann = PlayerFactory.create()

    with pytest.raises(BadReason, match="1 to 300"):
        ban([ann.pk], reason, clock.now(), None)

    assert not BanRecord.objects.exists()
    assert Player.objects.get().banned_at is None


def test_a_ban_that_dies_midway_leaves_neither_ban_nor_record() -> None:
    ann = PlayerFactory.create()

    with dying_at(service, "ban.before_commit"):
        ban([ann.pk], "A bot.", clock.now(), None)

    assert (Player.objects.get().banned_at, BanRecord.objects.count()) == (None, 0)


def test_a_ban_while_an_erasure_runs_outlasts_it_and_the_erasure_empties_the_reasons() -> None:
    ann = PlayerFactory.create(external_id="ann")
    at = clock.now()
    ban([ann.pk], "ann used a bot.", at, None)
    unban([ann.pk], "ann says sorry.", at, None)
    Player.objects.update(banned_at=at, erasing_since=at)

    assert ban([ann.pk], "ann again.", at + timedelta(seconds=1), None) == [ann]
    erase_player("ann", at + timedelta(minutes=1))

    assert Player.objects.get().banned_at == at + timedelta(seconds=1)
    assert [(row.kind, row.reason) for row in BanRecord.objects.order_by("pk")] == [
        ("banned", ""),
        ("lifted", ""),
        ("banned", ""),
    ]
