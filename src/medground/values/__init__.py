"""What everyone shares: values without behaviour of their own. This room imports only itself."""
