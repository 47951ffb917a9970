"""Networks that read two texts together: a public model and the small file of what training changed in it."""
