"""The critic that is an NLI model. `critic.py` decides, `model.py` reads, `open.py` finds the model by its name."""
