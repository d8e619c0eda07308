"""REST: the engine behind HTTP, without logic of its own. `create_app` makes the application."""

from trajwiki.server.app import create_app
from trajwiki.server.settings import ServerSettings

__all__ = ["ServerSettings", "create_app"]
