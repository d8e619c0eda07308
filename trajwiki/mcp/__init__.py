"""The memory as tools for agents, over the Model Context Protocol."""
