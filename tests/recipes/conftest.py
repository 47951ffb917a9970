from rounds import corpus  # noqa: F401
