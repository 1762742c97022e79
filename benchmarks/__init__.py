"""Numbers that anyone can run again: `make bench`. What they do not say is in README.md."""
