"""HTTP for the API: authentication, parameters, bodies, dispatch and responses."""
