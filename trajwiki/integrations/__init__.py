"""The memory behind the interfaces of other frameworks, one module each, each behind its extra."""
