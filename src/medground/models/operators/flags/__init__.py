"""The keyless critic: is a premise evidence about a statement, and how does the statement differ from it?"""
