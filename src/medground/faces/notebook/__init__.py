"""Jupyter as a face: an answer as HTML, the steps of a question while it runs, and plots of evaluation runs.

Everything here is inline HTML without scripts, style sheets or addresses of its own, so that a notebook that is not
trusted shows it too. Colours are set for signs only, and text keeps the colour of the notebook, light or dark.
"""
