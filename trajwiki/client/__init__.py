"""A memory on a server, with the names of the embedded one: only the line that opens it is another.

    from trajwiki.client import Memory          # instead of: from trajwiki import Memory
    memory = Memory.open("http://127.0.0.1:8377", key="tw_…")

`AsyncMemory` and `AsyncSpace` are the same to be awaited.
"""

from trajwiki.client.errors import AccessDenied, ServerUnavailable
from trajwiki.client.handles import AsyncMemory, AsyncSpace, Memory, Space

__all__ = ["AccessDenied", "AsyncMemory", "AsyncSpace", "Memory", "ServerUnavailable", "Space"]
