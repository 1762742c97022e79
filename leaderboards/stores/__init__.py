"""Stores of standings, in Redis and in SQL: the only code with Redis commands or bulk SQL for boards."""
