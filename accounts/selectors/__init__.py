"""What reads accounts."""
