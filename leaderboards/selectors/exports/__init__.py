"""All rows of a period as files, their cache, and the limit of exports at once."""
