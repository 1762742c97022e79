"""Reading likes and activity from Redis and SQL."""

from likes.selectors.likes import board_for_unlike, likers, read_like_summaries

__all__ = ["board_for_unlike", "likers", "read_like_summaries"]
