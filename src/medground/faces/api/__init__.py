"""The HTTP API: a thin face over `medground.faces.service`. `app.make_app` makes it, `server.serve` runs it."""

from importlib import import_module

from medground.errors import needing

with needing("serve", "the HTTP API"):
    for package in ("fastapi", "sqlalchemy", "uvicorn"):
        import_module(package)
