"""bge-small-en-v1.5 on ONNX Runtime, without torch: text to tokens, tokens to vectors."""

import importlib
import importlib.util
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from graphmem.errors import ModelUnavailableError
from graphmem.models.embedder import Vector, unit_length

MODEL_FILE = "model.onnx"
TOKENIZER_FILE = "tokenizer.json"
LIBRARIES = ("onnxruntime", "tokenizers")
REMEDY = "or ask a server (GRAPHMEM_EMBEDDER__KIND=openai), or go without vectors (GRAPHMEM_EMBEDDER__KIND=none)."

MAX_TOKENS = 512
# English has 4 to 5 characters a token; only runs of blanks and words over 100 characters (one token each) have more
# than 32. Tokenising 16,384 characters takes 7 ms, and 1,000,000 half a second.
MAX_CHARACTERS = 32 * MAX_TOKENS

_loading = threading.Lock()


@dataclass(frozen=True)
class Tokens:
    """What the model reads of a text."""

    ids: list[int]
    truncated: bool


def missing(folder: Path) -> str | None:
    """What the local model lacks, with the remedy; None when it can be loaded."""
    for library in LIBRARIES:
        if importlib.util.find_spec(library) is None:
            return f"The local embedder needs the package {library}: install graphmem[local], {REMEDY}"
    for name in (MODEL_FILE, TOKENIZER_FILE):
        if not (folder / name).is_file():
            return f"The embedding model is not there ({folder / name}): run `graphmem fetch`, {REMEDY}"
    return None


class OnnxModel:
    """A loaded model; its methods compute, so they belong in a thread."""

    def __init__(self, session: Any, tokenizer: Any) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self.dimensions: int = session.get_outputs()[0].shape[-1]

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """What is read of each text: at most 512 tokens with the two that mark its ends."""
        encodings = self._tokenizer.encode_batch_fast([readable(text) for text in texts])
        return [
            Tokens(encoding.ids, bool(encoding.overflowing) or len(text) > MAX_CHARACTERS)
            for text, encoding in zip(texts, encodings, strict=True)
        ]

    def vectors(self, batch: Sequence[list[int]]) -> Vector:
        """The vectors of texts that have equally many tokens: without padding, none depends on its batch-mates."""
        ids = np.array(batch, dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        (hidden,) = self._session.run(None, inputs)
        return unit_length(hidden[:, 0])


def loaded(folder: Path, *, threads: int) -> OnnxModel:
    """The model in a folder, on so many threads (0: all cores); a process loads it once."""
    with _loading:
        return _load(folder, threads or cores())


@lru_cache(maxsize=1)
def _load(folder: Path, threads: int) -> OnnxModel:
    if reason := missing(folder):
        raise ModelUnavailableError(reason)
    try:
        return OnnxModel(open_session(folder / MODEL_FILE, threads), open_tokenizer(folder / TOKENIZER_FILE))
    except Exception as error:  # both libraries raise plain exceptions for a damaged file
        raise ModelUnavailableError(
            f"The embedding model in {folder} cannot be read: delete that folder and run `graphmem fetch`, {REMEDY}"
        ) from error


def readable(text: str) -> str:
    """The beginning of a text that is worth tokenising, with half surrogates replaced."""
    return text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")


def open_session(file: Path, threads: int) -> Any:
    """The model's graph, ready to run on so many threads."""
    runtime: Any = importlib.import_module("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_ENABLE_ALL
    options.log_severity_level = 3
    # Threads that wait by spinning take the cores from the databases beside us: 14-30 texts/s against 46-100 when busy.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return runtime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


def open_tokenizer(file: Path) -> Any:
    """The model's tokenizer, which cuts at 512 tokens and takes no word of a text for a mark of its own."""
    tokenizer: Any = importlib.import_module("tokenizers").Tokenizer.from_file(str(file))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.encode_special_tokens = True
    return tokenizer


def cores() -> int:
    """The cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
