"""The links as a fresh process has them."""

from tests.links import links

__all__ = ["links"]
