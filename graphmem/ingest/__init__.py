"""Text in, both stores written."""
