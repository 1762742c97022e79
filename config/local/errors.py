"""Errors of the demo."""


class DemoError(RuntimeError):
    """The demo cannot run. The message is the whole line shown: what is wrong, and what to do."""


class Stopped(Exception):
    """A signal arrived during the start."""
