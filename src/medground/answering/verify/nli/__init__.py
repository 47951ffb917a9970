"""The NLI critic. `critic.py` decides, `model.py` runs the model, `open.py` finds it by name."""
