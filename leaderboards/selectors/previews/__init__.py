"""Previews of changes: how ranks, places and settings would change."""
