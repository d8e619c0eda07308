"""The wiki as pages for people, rendered on the server; thin over `Memory` and `Space`."""

from trajwiki.web.mounting import mount

__all__ = ["mount"]
