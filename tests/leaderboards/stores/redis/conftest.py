"""Each test of these stores begins with closed breakers, whatever the test before it left behind."""

from tests.links import links

__all__ = ["links"]
