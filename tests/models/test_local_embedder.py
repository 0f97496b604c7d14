"""The model in the cache folder, on real text."""

from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import numpy as np
import pytest

from graphmem import settings as settings_module
from graphmem.errors import ModelUnavailableError
from graphmem.models import onnx_model
from graphmem.models.embedder import build_embedder
from graphmem.models.local_embedder import QUERY_PREFIX, LocalEmbedder
from graphmem.models.onnx_model import MAX_CHARACTERS, MODEL_FILE, TOKENIZER_FILE

pytestmark = pytest.mark.anyio

DEFAULTS = settings_module.load({})
FOLDER = Path(DEFAULTS.cache_dir) / "models" / DEFAULTS.embedder.model
TURNS = [
    "Ana: I moved from Lisbon to Porto in May, and the flat looks over the river.",
    "Ben: My sister adopted two kittens.",
    "Wow!",
    "Ben: I have been running every morning before work, and next month I want to try a half marathon in Braga.",
    "Ana: The recipe needs flour, eggs, sugar, a lemon and forty minutes in the oven.",
    "Good night!",
]


@pytest.fixture
async def embedder() -> AsyncIterator[LocalEmbedder]:
    opened = LocalEmbedder(FOLDER, DEFAULTS.embedder)
    assert opened.ready() is None, opened.ready()
    yield opened
    await opened.close()


async def one(embedder: LocalEmbedder, text: str) -> list[float]:
    return (await embedder.embed_texts([text])).vectors[0].tolist()


@pytest.mark.parametrize(
    ("question", "best"),
    [("Where does Ana live now?", 0), ("Which pets are there in Ben's family?", 1), ("What sport does Ben do?", 3)],
)
async def test_a_question_is_nearest_to_its_answer(embedder: LocalEmbedder, question: str, best: int) -> None:
    embedded = await embedder.embed_texts(TURNS)
    query = await embedder.embed_query(question)

    assert np.argmax(embedded.vectors @ query) == best


async def test_vectors_have_length_one_and_the_dimensions_promised(embedder: LocalEmbedder) -> None:
    embedded = await embedder.embed_texts(TURNS)

    assert embedded.vectors.shape == (len(TURNS), embedder.dimensions)
    assert embedded.vectors.dtype == np.float32
    assert np.linalg.norm(embedded.vectors, axis=1) == pytest.approx(1)
    assert embedded.truncated == (False,) * len(TURNS)


async def test_a_text_has_the_same_vector_whatever_its_batch_mates(embedder: LocalEmbedder) -> None:
    mixed = [*TURNS, "a b c " * 150, *(f"{turn} {turn}" for turn in TURNS), *TURNS]

    together = (await embedder.embed_texts(mixed)).vectors.tolist()
    alone = [await one(embedder, text) for text in mixed]

    assert together == alone


async def test_vectors_come_in_the_order_of_the_texts(embedder: LocalEmbedder) -> None:
    forth = (await embedder.embed_texts(TURNS)).vectors
    back = (await embedder.embed_texts(TURNS[::-1])).vectors

    assert back.tolist() == forth[::-1].tolist()


async def test_a_question_is_embedded_as_the_model_wants_questions(embedder: LocalEmbedder) -> None:
    query = await embedder.embed_query("Where does Ana live?")

    assert query.tolist() == await one(embedder, f"{QUERY_PREFIX}Where does Ana live?")


async def test_no_texts_have_no_vectors(embedder: LocalEmbedder) -> None:
    embedded = await embedder.embed_texts([])

    assert embedded.vectors.shape == (0, embedder.dimensions)
    assert embedded.truncated == ()


async def test_a_text_is_read_to_512_tokens_and_the_cut_is_noted(embedder: LocalEmbedder) -> None:
    fits, longer, much_longer = ("word " * 510, "word " * 511, "word " * 5000)

    embedded = await embedder.embed_texts([fits, longer, much_longer])

    assert embedded.truncated == (False, True, True)
    assert embedded.vectors[1].tolist() == embedded.vectors[0].tolist() == embedded.vectors[2].tolist()


async def test_a_million_characters_are_as_good_as_those_that_are_read(embedder: LocalEmbedder) -> None:
    endless = "the river in Porto, " * 50_000

    embedded = await embedder.embed_texts([endless, endless[:MAX_CHARACTERS]])

    assert embedded.truncated == (True, True)
    assert embedded.vectors[0].tolist() == embedded.vectors[1].tolist()


async def test_a_word_without_end_is_noted_as_cut(embedder: LocalEmbedder) -> None:
    embedded = await embedder.embed_texts(["x" * 1_000_000, "x" * 1000])

    assert embedded.truncated == (True, False)


@pytest.mark.parametrize(
    "text", ["", "  \n\t ", "🦊", "שלום עולם", "مرحبا", "你好", "e\u0301\u200d\ufeff", "\x01", "\ud83e"]
)
async def test_any_text_has_a_vector(embedder: LocalEmbedder, text: str) -> None:
    assert np.linalg.norm(await one(embedder, text)) == pytest.approx(1)


async def test_a_text_cannot_write_the_model_s_own_marks(embedder: LocalEmbedder) -> None:
    assert await one(embedder, "a [SEP] b") == await one(embedder, "a [ sep ] b")


async def test_without_the_model_the_sentence_says_what_to_do_and_once_fetched_it_works(tmp_path: Path) -> None:
    embedder = LocalEmbedder(tmp_path, DEFAULTS.embedder)
    reason = embedder.ready()
    assert reason is not None
    assert "graphmem fetch" in reason
    with pytest.raises(ModelUnavailableError, match="graphmem fetch"):
        await embedder.embed_query("anything")

    for name in (MODEL_FILE, TOKENIZER_FILE):
        (tmp_path / name).symlink_to(FOLDER / name)

    assert embedder.ready() is None
    assert (await embedder.embed_query("anything")).shape == (embedder.dimensions,)
    await embedder.close()


async def test_without_its_libraries_the_sentence_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx_model, "LIBRARIES", ("a_library_nobody_has",))

    reason = LocalEmbedder(FOLDER, DEFAULTS.embedder).ready()

    assert reason is not None
    assert "graphmem[local]" in reason


async def test_a_damaged_model_is_not_noticed_by_ready_but_named_on_use(tmp_path: Path) -> None:
    (tmp_path / MODEL_FILE).write_bytes(b"half a mod")
    (tmp_path / TOKENIZER_FILE).write_bytes(b"{")
    embedder = LocalEmbedder(tmp_path, DEFAULTS.embedder)

    assert embedder.ready() is None
    with pytest.raises(ModelUnavailableError, match="cannot be read: delete that folder"):
        await embedder.embed_texts(["anything"])
    await embedder.close()


async def test_another_length_than_the_model_makes_is_refused_with_the_right_one() -> None:
    embedder = LocalEmbedder(FOLDER, msgspec.structs.replace(DEFAULTS.embedder, dimensions=768))

    with pytest.raises(ModelUnavailableError, match="GRAPHMEM_EMBEDDER__DIMENSIONS=384"):
        await embedder.embed_texts(["anything"])
    await embedder.close()


async def test_settings_build_the_local_embedder_in_the_cache_folder() -> None:
    built = build_embedder(DEFAULTS)

    assert built is not None
    assert (built.model, built.dimensions, built.languages) == ("bge-small-en-v1.5", 384, ("en",))
    assert built.ready() is None
    await built.close()


def test_kind_none_builds_no_embedder() -> None:
    assert build_embedder(settings_module.load({"GRAPHMEM_EMBEDDER__KIND": "none"})) is None
