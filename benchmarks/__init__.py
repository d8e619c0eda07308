"""Benchmarks: figures that anyone can rerun."""
