"""The HTTP API: a thin face over `medground.faces.service`. `app.make_app` makes it, `server.serve` runs it."""
