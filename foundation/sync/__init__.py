"""Keep Redis and SQL in step, for boards, likes and any other data that is stored in both.

A family of keys in Redis and one row in SQL (``rows.SyncedRow``) belong together. One side decides, the other follows.

- Redis decides: each change sets a dirty mark with a version; the mirror copies dirty states to SQL (``mirroring``).
- SQL decides: announce under the row lock, commit, publish (``leaderboards/services/sync/publish.py``).
- If Redis's memory cannot be trusted, the row is resynced: it gets a new generation, then Redis gets what it lacks
  (``resyncing``). Scripts act only under their caller's generation (``redis_state``).
- Writers hold the barrier shared. Changes to what writers rely on (rules, end, generation) hold it exclusively
  (``barrier``).

Apps say how a row is locked, read, written and placed; this package knows neither of them (decision 0034).
"""
