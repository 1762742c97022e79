"""The admin of reward tiers and granted rewards."""
