"""What is done with competitions on a terminal."""
