"""The HTTP API: a thin face over `medground.service`. `app.make_app` makes it, `serve.serve` runs it."""
