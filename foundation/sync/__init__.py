"""Keeping Redis and SQL in step: one room for boards, likes, and whatever else is kept in both.

What belongs together is a family of keys in Redis and one row in SQL (``rows.SyncedRow``). One side decides, the other
follows.

- Redis decides: each change leaves a mark with a version; the mirror copies states to SQL (``mirroring``).
- SQL decides: announce under the row lock, commit, publish (``leaderboards/services/sync/publish.py``).
- Whose memory nobody trusts is settled: a new generation, then what it lacks (``settling``). No script acts under
  another generation than its caller's (``memory``).
- Who decides holds the barrier shared; who changes what deciding rests on holds it alone (``barrier``).

Apps plug in how a row is locked, read, written and placed. No word of theirs is here (decision 0034).
"""
