from tiny_networks import base, ship  # noqa: F401
