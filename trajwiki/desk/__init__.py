"""An order desk with an agent that works at it: where it is tried whether tips help."""
