"""The same methods from a shell."""
