"""Source Planning Optimisation: explore queries, judge what they find, and train a planner on it (Omni-RAG, 4.2)."""
