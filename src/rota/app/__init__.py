"""Wiring, and the user's handles by noun. Everything an interface or a user's program may touch."""
