"""Evaluation and training: data sets, runs, metrics, judges, experiments, building of sets, planners of sources.

It uses `medground`, which never imports it. Its commands, and the routes of its page, join by entry points. What goes
wrong is a `MedgroundError` with one line for the user; `Raises` names it where a command begins or a caller acts on it.
"""
