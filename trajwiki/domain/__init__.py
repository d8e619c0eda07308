"""Frozen values without I/O. Everything above is made of these."""
