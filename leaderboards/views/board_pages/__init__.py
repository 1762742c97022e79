"""The pages of boards, the home page and the search of the site."""
