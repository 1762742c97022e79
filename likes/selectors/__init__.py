"""What reads likes, and what people do, in Redis and SQL."""

from likes.selectors.likes import board_to_take_back, likers, shown

__all__ = ["board_to_take_back", "likers", "shown"]
