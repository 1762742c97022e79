"""Which players are hidden, where and from whom."""
