"""Evaluation and training: data sets, runs, metrics, judges, experiments, building of sets, planners of sources.

It uses `medground`, which never imports it. Its commands, and the routes of its page, join by entry points.
"""
