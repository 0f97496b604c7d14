"""Prompts from files: what a language model is told stands beside the module that tells it."""

from functools import cache
from pathlib import Path


@cache
def prompt(module_file: str) -> str:
    """The text of the .md file beside that module: `PROMPT = prompt(__file__)`."""
    return Path(module_file).with_suffix(".md").read_text(encoding="utf-8").strip()
