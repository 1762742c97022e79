"""What reads likes, and what people do, in Redis and SQL."""
