"""What reads likes, and what people do, in Redis and SQL."""

from likes.selectors.likes import likers, shown

__all__ = ["likers", "shown"]
