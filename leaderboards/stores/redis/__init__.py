"""Stores in Redis: reads, writes, publishing and resyncing, with their Lua scripts."""
