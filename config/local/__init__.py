"""What runs everything on one machine: servers, a supervisor, a demo with simulated players.

Never part of a deployment: nothing outside this package and the tests imports it.
"""
