"""What is done by hand."""
