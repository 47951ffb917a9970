"""Evaluation: data sets, runs that resume, metrics, comparisons, audits and reports."""
