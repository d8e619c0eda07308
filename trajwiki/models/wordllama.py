"""The default embedder: static token vectors that come inside the wordllama package.

Its files are read directly. The package's own loader would import an HTTP client and can reach for a hub; here
nothing is downloaded, and the weights are only used when their hash is the one that was measured.
"""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from trajwiki.errors import EnvironmentFailure

WEIGHTS: Final = "weights/l2_supercat_256.safetensors"
WEIGHTS_SHA256: Final = "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5"
TOKENIZER: Final = "tokenizers/l2_supercat_tokenizer_config.json"
TOKENIZER_SHA256: Final = "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68"
MAX_CHARACTERS: Final = 20_000  # of one text; a mean over more says little and costs much


class WordLlamaEmbedder:
    """Mean of static token vectors, 256-d (wordllama `l2_supercat`, MIT).

    Raises:
        EnvironmentFailure: The package is missing or its files are not the expected ones.
    """

    name = "wordllama/l2_supercat_256"
    dimension = 256

    def __init__(self) -> None:
        folder = _package_folder()
        weights = _verified(folder / WEIGHTS, WEIGHTS_SHA256)
        tokenizer = _verified(folder / TOKENIZER, TOKENIZER_SHA256)
        (self._table,) = load_file(weights).values()  # float16, (32000, 256)
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Give unit vectors; see Embedder."""
        out = np.zeros((len(texts), self.dimension), dtype=np.float32)
        clean = [_encodable(t[:MAX_CHARACTERS]) for t in texts]
        for row, encoding in zip(out, self._tokenizer.encode_batch(clean, add_special_tokens=False), strict=True):
            if encoding.ids:
                mean = self._table[encoding.ids].astype(np.float32).mean(axis=0)
                row[:] = mean / max(float(np.linalg.norm(mean)), 1e-9)
        return out


def _encodable(text: str) -> str:
    """Replace lone surrogates, which the tokenizer refuses."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _package_folder() -> Path:
    spec = importlib.util.find_spec("wordllama")  # finds without importing
    if spec is None or not spec.submodule_search_locations:
        raise EnvironmentFailure("the package 'wordllama' is missing; reinstall trajwiki")
    return Path(spec.submodule_search_locations[0])


def _verified(path: Path, sha256: str) -> Path:
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise EnvironmentFailure(f"cannot read {path.name} of the package 'wordllama': {error.strerror}") from error
    if digest != sha256:
        raise EnvironmentFailure(f"{path.name} of the package 'wordllama' is not the file that was measured; reinstall")
    return path
