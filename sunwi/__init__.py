"""Sunwi as a command, from a checkout or from an installed package; its apps are packages of their own beside it."""
