"""Ranked rows of a period from Redis or SQL: pages, players, distributions, and their JSON."""
