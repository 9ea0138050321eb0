"""Inputs by chance, by the million: nothing but rota's own errors, never a 500, nothing slow (`python -m chaos fuzz`)."""
