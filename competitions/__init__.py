"""Competitions: a window of its own over a board's rules, with participants, snapshots, alerts, results and rewards."""
