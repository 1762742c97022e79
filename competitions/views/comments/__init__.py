"""Comments on competitions: listing, writing, liking."""
