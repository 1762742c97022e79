"""Find boards and periods: cached rows, labels, running periods, reserved boards, cache versions."""
