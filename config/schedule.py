"""Everything that happens by itself, on one page.

Each second somebody looks whether mirroring, settling or counting has anything to do, and sends what has
(``foundation/worker/due.py``); those come by themselves every half minute too, should a look ever miss something.
They go first, and wait ten seconds for a thread of the worker. The trap: without that a worker whose threads are all
busy with mails, purges and imports takes the others one by one while these expire, and SQL does not follow Redis for
as long as it lasts. Everything else expires after its interval: a worker that was away finds one run waiting, not a
thousand. That is thrift, not safety: every task here may run twice, late, or twice at once and do no harm.
"""

from typing import Any

from foundation.worker.urgent import URGENT

USUAL = 6  # the priority of all others
BY_ITSELF = 30  # seconds


def every(seconds: int, task: str) -> dict[str, Any]:
    """A task that waits for others: it expires after its interval."""
    return {"task": task, "schedule": float(seconds), "options": {"expires": seconds, "priority": USUAL}}


def urgent(seconds: int, task: str) -> dict[str, Any]:
    """A task that others wait for."""
    return {"task": task, "schedule": float(seconds), "options": URGENT}


SCHEDULE: dict[str, dict[str, Any]] = {
    # What of the urgent has something to do is sent.
    "look": urgent(1, "foundation.tasks.look"),
    # Standings that only Redis knows are copied to SQL.
    "mirror": urgent(BY_ITSELF, "leaderboards.tasks.mirror"),
    # Periods whose view in Redis is stale, or not known to be right, are put right.
    "settle": urgent(BY_ITSELF, "leaderboards.tasks.settle"),
    # The next period's row exists before the running one ends.
    "open_periods": every(60, "leaderboards.tasks.open_periods"),
    # Periods past their grace get their final ranks.
    "close_periods": every(10, "leaderboards.tasks.close_periods"),
    # The best of each running period are kept where that is due, each hour unless set otherwise.
    "keep_ranks": every(60, "leaderboards.tasks.keep_ranks"),
    # Purges of submissions, and their undoing, go on for about four seconds.
    "purge": every(5, "leaderboards.tasks.purge"),
    # Redis and SQL are compared, standing by standing, for 20 seconds at a time.
    "verify": every(300, "leaderboards.tasks.verify"),
    # Keys, submissions and records of trouble that have been kept long enough go.
    "retain": every(3600, "leaderboards.tasks.retain"),
    # Names from before search was folded are folded, for about eight seconds.
    "fold_names": every(30, "leaderboards.tasks.fold_names"),
    # What staff have uploaded is judged, imported and undone, for about four seconds.
    "advance_imports": every(2, "leaderboards.tasks.advance_imports"),
    # Competitions freeze, are kept in snapshots, compared, and brought to their end.
    "advance_competitions": every(5, "competitions.tasks.advance"),
    # What was held through the night is told, and e-mails are sent, for up to five seconds.
    "tell": every(5, "competitions.tasks.tell"),
    # Mails about accounts (a new password, signing up) are sent, for up to three seconds.
    "account_mails": every(5, "accounts.tasks.send_mails"),
    # Addresses of invitations that ended long ago go, and sessions that are over.
    "retain_accounts": every(3600, "accounts.tasks.retain"),
    # Final rankings are rewarded.
    "reward": every(10, "competitions.tasks.reward"),
    # Final results are counted in series, for about six seconds.
    "score_series": every(10, "competitions.tasks.score_series"),
    # Leagues begin with their boards' periods, fill their groups, and move players when a period is final.
    "leagues": every(5, "competitions.tasks.leagues"),
    # What was told of competitions long over goes, and most of their snapshots.
    "retain_competitions": every(3600, "competitions.tasks.retain"),
    # Webhook messages that are due are sent, for about four seconds.
    "deliver_webhooks": every(5, "foundation.tasks.deliver_webhooks"),
    # Webhook messages that arrived, or were dropped, long ago go.
    "retain_webhooks": every(3600, "foundation.tasks.retain_webhooks"),
    # Entries of the audit log that were kept long enough go.
    "retain_audit": every(3600, "foundation.tasks.retain_audit"),
    # Nonces of signed requests that are too old to be sent again go, and secrets that were replaced a day ago.
    "retain_signatures": every(60, "foundation.tasks.retain_signatures"),
    # Likes that SQL decided are added up.
    "count_likes": urgent(BY_ITSELF, "likes.tasks.count"),
    # Likes that only Redis knows are copied to SQL.
    "mirror_likes": urgent(BY_ITSELF, "likes.tasks.mirror_likes"),
    # Kinds of likes that Redis decides over, and does not have as they are, are put right.
    "settle_likes": urgent(BY_ITSELF, "likes.tasks.settle_likes"),
    # Counts of likes are compared with the likes, in SQL and Redis, for 20 seconds at a time.
    "check_likes": every(300, "likes.tasks.check"),
    # Likes that were taken back a day ago go.
    "retain_likes": every(3600, "likes.tasks.retain_likes"),
    # Hits of pages are counted in SQL, and visitors and attendance kept there.
    "flush_activity": every(60, "likes.tasks.flush_activity"),
    # Who was there more than ten weeks ago goes; the numbers of each day stay.
    "retain_activity": every(3600, "likes.tasks.retain_activity"),
    # A sign of life of beat and worker, which /readyz and `doctor` read.
    "heartbeat": every(10, "foundation.tasks.heartbeat"),
}
