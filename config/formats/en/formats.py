"""Mon 23 Nov 2026 00:00 UTC; everything else as Django has it."""

DATETIME_FORMAT = "D j M Y H:i T"
