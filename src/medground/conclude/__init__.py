"""From checked sentences to an answer: the policy, the decision, its limits."""
