"""The version, of which the package is built and which each request names."""

__version__ = "0.1.0"
