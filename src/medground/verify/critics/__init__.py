"""Critics decide whether passages entail a statement. `base.py` is the contract."""
