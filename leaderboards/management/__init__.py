"""Shared code of the management commands: each command parses options, calls a service or selector, and prints."""
