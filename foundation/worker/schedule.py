"""The schedule of all periodic tasks. The settings import this module, so it loads no app.

Each second ``foundation.tasks.look`` checks whether mirroring, resyncing or counting has work, and sends those tasks
(``foundation/worker/due.py``); each is also sent every half minute, in case a check missed something. These urgent
tasks have the highest priority and expire after ten seconds. The trap: without the priority a worker that is busy with
mails, purges and imports would run other tasks first while the urgent ones expire, and SQL would not follow Redis.

All other tasks expire after their interval, so that a worker that was away finds one run waiting, not a thousand. This
saves work but is not needed for correctness: every task may run twice, late or concurrently.
"""

from collections.abc import Collection
from typing import Any

from foundation.worker.urgent import URGENT

NORMAL = 6  # the priority of the other tasks
FALLBACK_SECONDS = 30  # how often urgent tasks are sent without a check


def every(seconds: int, task: str) -> dict[str, Any]:
    """A normal task: it expires after its interval."""
    return {"task": task, "schedule": float(seconds), "options": {"expires": seconds, "priority": NORMAL}}


def urgent(seconds: int, task: str) -> dict[str, Any]:
    """A task that has priority over normal ones."""
    return {"task": task, "schedule": float(seconds), "options": URGENT}


SCHEDULE: dict[str, dict[str, Any]] = {
    # Send the urgent tasks that have work to do.
    "look": urgent(1, "foundation.tasks.look"),
    # Copy standings that only Redis has to SQL.
    "mirror": urgent(FALLBACK_SECONDS, "leaderboards.tasks.mirror"),
    # Resync periods whose data in Redis is stale or may be.
    "settle": urgent(FALLBACK_SECONDS, "leaderboards.tasks.settle"),
    # Let score ranges follow the partitions of their boards, and cut them anew.
    "follow_score_ranges": urgent(FALLBACK_SECONDS, "leaderboards.tasks.follow_score_ranges"),
    # Create the next period's row before the current one ends.
    "open_periods": every(60, "leaderboards.tasks.open_periods"),
    # Write the final ranks of periods whose grace time is over.
    "close_periods": every(10, "leaderboards.tasks.close_periods"),
    # Record the rank history of the top players of running periods (RANK_SNAPSHOT_MINUTES).
    "keep_ranks": every(60, "leaderboards.tasks.keep_ranks"),
    # Take histograms of running periods with many players, for 20 seconds (HISTOGRAM_PLAYERS).
    "take_histograms": every(60, "leaderboards.tasks.take_histograms"),
    # Continue purges of submissions and their undoing, for about four seconds.
    "purge": every(5, "leaderboards.tasks.purge"),
    # Compare standings in Redis and SQL, for 20 seconds.
    "verify": every(300, "leaderboards.tasks.verify"),
    # Delete old keys, submissions, differences and dead letters.
    "retain": every(3600, "leaderboards.tasks.retain"),
    # Fold names that have no folded form yet, for about eight seconds.
    "fold_names": every(30, "leaderboards.tasks.fold_names"),
    # Fetch pictures of players from allowed hosts (PICTURE_HOSTS), for about four seconds.
    "fetch_pictures": every(10, "leaderboards.tasks.fetch_pictures"),
    # Validate, import and undo uploads of staff, for about four seconds.
    "advance_imports": every(2, "leaderboards.tasks.advance_imports"),
    # Freeze competitions, take and compare snapshots, and finish them.
    "advance_competitions": every(5, "competitions.tasks.advance"),
    # Remind of starts, deliver notices deferred by quiet hours, and send e-mails, for up to five seconds.
    "tell": every(5, "competitions.tasks.tell"),
    # Send notices to browsers (PUSH_KEY), for up to three seconds.
    "push": every(5, "competitions.tasks.push"),
    # Send mails about accounts (password reset, sign-up), for up to three seconds.
    "account_mails": every(5, "accounts.tasks.send_mails"),
    # Delete addresses of old invitations, former addresses, and expired sessions.
    "retain_accounts": every(3600, "accounts.tasks.retain"),
    # Grant the rewards of final rankings.
    "reward": every(10, "competitions.tasks.reward"),
    # Score final results in series, for about six seconds.
    "score_series": every(10, "competitions.tasks.score_series"),
    # Start leagues with their boards' periods, fill their groups, and promote and relegate at the end.
    "leagues": every(5, "competitions.tasks.leagues"),
    # Delete notices and most snapshots of old competitions.
    "retain_competitions": every(3600, "competitions.tasks.retain"),
    # Send due webhook messages, for about four seconds.
    "deliver_webhooks": every(5, "foundation.tasks.deliver_webhooks"),
    # Delete old webhook messages that arrived or were dropped.
    "retain_webhooks": every(3600, "foundation.tasks.retain_webhooks"),
    # Delete old audit entries.
    "retain_audit": every(3600, "foundation.tasks.retain_audit"),
    # Delete expired nonces of signed requests, and secrets replaced a day ago.
    "retain_signatures": every(60, "foundation.tasks.retain_signatures"),
    # Add up likes that SQL decided.
    "count_likes": urgent(FALLBACK_SECONDS, "likes.tasks.count"),
    # Copy likes that only Redis has to SQL.
    "mirror_likes": urgent(FALLBACK_SECONDS, "likes.tasks.mirror_likes"),
    # Resync kinds of likes that Redis decides and whose data is stale or may be.
    "settle_likes": urgent(FALLBACK_SECONDS, "likes.tasks.settle_likes"),
    # Compare counts of likes with the likes, in SQL and Redis, for 20 seconds.
    "check_likes": every(300, "likes.tasks.check"),
    # Delete likes that were taken back a day ago.
    "retain_likes": every(3600, "likes.tasks.retain_likes"),
    # Copy page hits, visitors and attendance to SQL.
    "flush_activity": every(60, "likes.tasks.flush_activity"),
    # Delete visitor and attendance sets older than ten weeks; the counts of each day stay.
    "retain_activity": every(3600, "likes.tasks.retain_activity"),
    # Record that beat and the worker are alive, for /readyz and `doctor`.
    "heartbeat": every(10, "foundation.tasks.heartbeat"),
}


def schedule_of(apps: Collection[str]) -> dict[str, dict[str, Any]]:
    """The tasks of these apps (``INSTALLED_APPS``), for ``CELERY_BEAT_SCHEDULE``."""
    return {name: entry for name, entry in SCHEDULE.items() if entry["task"].partition(".")[0] in apps}
