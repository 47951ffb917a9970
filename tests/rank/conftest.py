from tiny_networks import base, family, ship  # noqa: F401
