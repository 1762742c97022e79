"""What documents show is run, and what the site's pages of reference are made of."""
