"""A web server with deadlines for each connection, and an end within two seconds."""
