"""Anonymising: a player becomes a number and keeps every score, or all is as it was."""

from contextlib import nullcontext

import pytest
from django.core.management import CommandError, call_command

from foundation.redis import client as redis
from leaderboards.errors import StillRanked
from leaderboards.models import Player, Standing
from leaderboards.services.periods.close import close_due
from leaderboards.services.players.erase import erase_player
from leaderboards.stores.sql.final import content_hash
from tests.leaderboards.services.players.test_erase import OLD, everywhere, played
from tests.leaderboards.services.site import DAY, NOON, final, follow, in_sql, redis_away

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


@pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])
def test_who_keeps_all_scores_is_refused_while_some_run_and_is_a_number_with_all_of_them_afterwards(
    storage: str,
) -> None:
    ended, running = played(storage=storage)  # where Redis decides, SQL has not heard of the running score
    before = final(ended)

    with pytest.raises(StillRanked, match="in 1 periods"):
        erase_player(OLD, NOON + DAY, keep_scores=True)

    player = Player.objects.get(external_id=OLD)
    assert (player.banned_at, player.erasing_since, final(ended)) == (None, None, before)
    follow(running)
    assert len(in_sql(running)) == 3
    close_due(NOON + 2 * DAY)
    erased = erase_player(OLD, NOON + 2 * DAY, keep_scores=True)
    assert OLD not in everywhere()
    assert (erased.removed_from, erased.final_standings) == ([], 2)
    for period in (ended, running):
        period.refresh_from_db()
        assert [row[2].endswith(erased.player) for row in final(period)] == [False, True, False]
        assert content_hash(period) == period.content_hash


@pytest.mark.parametrize("case", ["banned before", "half erased", "away"])
def test_a_refusal_to_anonymise_lifts_no_other_ban_and_ends_its_own_also_where_redis_is_silent(case: str) -> None:
    _, running = played(storage="redis")
    if case == "banned before":
        Player.objects.filter(external_id=OLD).update(banned_at=NOON)
    if case == "half erased":
        Player.objects.filter(external_id=OLD).update(banned_at=NOON, erasing_since=NOON)
    if case == "away":
        follow(running)
        Standing.objects.filter(player__external_id=OLD).delete()

    with redis_away() if case == "away" else nullcontext(), pytest.raises((StillRanked, redis.RedisAway)):
        erase_player(OLD, NOON + DAY, keep_scores=True)

    player = Player.objects.get(external_id=OLD)
    assert player.banned_at == (None if case == "away" else NOON)
    assert player.erasing_since == (NOON if case == "half erased" else None)


def test_the_command_keeps_scores_where_it_is_told_to() -> None:
    played(storage="sql")

    with pytest.raises(CommandError, match="in 1 periods that are not final"):
        call_command("player_erase", OLD, "--keep-scores")

    assert Player.objects.get(external_id=OLD).banned_at is None
