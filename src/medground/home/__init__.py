"""Settings, secrets, and every file in the user's folder."""
