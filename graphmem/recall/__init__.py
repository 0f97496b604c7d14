"""A question in, a context out."""
