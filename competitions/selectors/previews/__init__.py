"""Previews of actions: what they would change, computed without writing."""
