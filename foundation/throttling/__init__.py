"""Rate limits: sliding windows in Redis, or in the process while Redis is unavailable."""
