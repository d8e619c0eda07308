"""Embedders and, later, chat models: the ports to them and what stands behind."""
