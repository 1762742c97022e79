"""Run everything on one machine: servers, a supervisor, and a demo with simulated players.

Not part of a deployment: only this package and the tests import it.
"""
