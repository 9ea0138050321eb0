"""Declared state: rota.yaml to values, values to rows."""
