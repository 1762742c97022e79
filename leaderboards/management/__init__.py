"""The commands that people and scripts call by hand: parse, call a service or a selector, print."""
