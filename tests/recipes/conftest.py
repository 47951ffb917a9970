from rounds import ask, corpus  # noqa: F401
