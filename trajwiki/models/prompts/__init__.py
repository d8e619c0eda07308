"""The prompts: one module each, the instructions beside the type of the reply."""
