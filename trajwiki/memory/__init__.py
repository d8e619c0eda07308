"""From messages to trajectories: plain functions from values to values."""
