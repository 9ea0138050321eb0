"""Attacks on whole processes of rota, judged afterwards: `python -m chaos` (`make chaos`). Not part of the package."""
