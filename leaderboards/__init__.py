"""Boards, periods, scores and ranks."""
