"""The leaf: Redis, Lua, service keys, the clock and the root of all errors. No domain word lives here."""
