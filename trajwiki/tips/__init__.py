"""Procedural memory by rule: what a run shows, why it ended so, and the advice that follows from it."""
