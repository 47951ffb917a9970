"""The keyless critic: is a premise evidence about a statement, and how does the statement differ from it?

Nothing here says that a premise supports a statement. On SciFact, word statistics do not separate SUPPORT from REFUTE
better than the majority class. They do separate `related` from `not related`, and they point out differences to check.
"""
