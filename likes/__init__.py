"""Likes of anything, and counting what people do. A thing is a kind and an id; what it is, its registrant knows."""
