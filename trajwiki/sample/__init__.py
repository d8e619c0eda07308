"""The sample conversation that ships with the project, and questions about it."""
