"""Competitions: events on a board's rules, with participants, snapshots, alerts, results and rewards."""
