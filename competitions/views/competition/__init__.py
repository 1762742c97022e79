"""The list of competitions, a competition's page, its picture and its reveal."""
