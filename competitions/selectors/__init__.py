"""Queries about competitions. During a freeze, every public answer comes from the frozen copy."""
