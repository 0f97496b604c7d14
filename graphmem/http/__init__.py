"""Litestar: parse, call one method, answer."""
