"""From a question to evidence: shape, routing, selection, expansion, packing."""
