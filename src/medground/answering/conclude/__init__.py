"""From checked sentences to an answer: the release policy, the decision and its limits."""
