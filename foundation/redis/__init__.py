"""The client of the boards' Redis: connections, circuit breaker, INFO, and Lua scripts."""
