"""The actions of the competition admin, with their forms and preview pages."""
