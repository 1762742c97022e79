"""Numbers of periods: those of periods with tables of their own in SQL are far from all others."""

FIRST_OWN = 1 << 40  # shared tables have a check that their periods' numbers are smaller


def has_own_tables(number: int) -> bool:
    """Whether the standings of the period with this number are in tables of its own."""
    return number >= FIRST_OWN
