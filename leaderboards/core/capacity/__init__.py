"""Capacity on paper: what a number of players needs, computed from measured figures that a reader can replace."""
