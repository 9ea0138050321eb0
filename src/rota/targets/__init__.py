"""Targets: what a job runs that is not a Python function; one file each, called by the engine."""
