"""Measuring the product on public data: plain functions, one report each, one line a question."""
