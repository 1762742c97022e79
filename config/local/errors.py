"""What keeps the demo from running, as one clear line for the person who started it."""


class DemoError(RuntimeError):
    """The message is the whole line: what is wrong, and what to do."""


class Stopped(Exception):
    """A signal asked for the end while something was still being started."""
