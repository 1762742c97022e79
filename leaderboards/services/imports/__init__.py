"""Imports by the browser: taken in (``upload``), judged and applied in turns (``turns``), confirmed, undone (``acts``).

What each kind does with its rows stands in ``scores``, ``players`` and ``boards``, each through the services that the
API and the commands use.
"""
