"""Values and rules of likes: standard library only, no clock, no input or output."""
