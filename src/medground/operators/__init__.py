"""What a language model is asked to do, and how the same is done without one."""
