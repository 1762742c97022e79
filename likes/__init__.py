"""Likes of anything, and activity counts. A thing is a kind and an id; the app that registers the kind owns it."""
