"""Pure maths on scores: one idea a file."""
