"""Short histories of changing facts, with what the memory must hold at their end."""
