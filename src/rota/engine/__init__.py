"""The engine: the only room that runs loops."""
