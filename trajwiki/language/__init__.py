"""Deterministic reading: words, sentences, names, relations, times and numbers, by rule."""
