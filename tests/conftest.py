"""Fixtures that every part of the tests may use."""

import atexit
import os
import shutil
import sys
import sysconfig
import tempfile
from pathlib import Path

import pytest

# sacrebleu reads this when it is first imported. The tests must not touch, nor depend on, the
# tokeniser models that the person running them may have downloaded.
_SACREBLEU = tempfile.mkdtemp(prefix="isogloss-sacrebleu-")
atexit.register(shutil.rmtree, _SACREBLEU, ignore_errors=True)
os.environ["SACREBLEU"] = _SACREBLEU

# No hub is asked in a test: without a network that is a long wait.
os.environ["HF_HUB_OFFLINE"] = "1"

# What examples/ log to and run under lies in an environment beside this one, where `make test` has
# made it: last, so that nothing there takes the place of what isogloss itself is tested with.
_INTEGRATIONS = Path(sys.prefix) / "integrations"
if _INTEGRATIONS.is_dir():
    sys.path.append(sysconfig.get_path("purelib", vars={"base": str(_INTEGRATIONS)}))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data beside the checkout; tests that need it skip where it is absent."""
    beside = Path(__file__).parents[2] / "shared" / "data"
    folder = Path(os.environ.get("ISOGLOSS_TEST_DATA", beside))
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder} (set ISOGLOSS_TEST_DATA to use another folder)")
    return folder


@pytest.fixture(scope="session")
def flores_models() -> Path:
    """A small SentencePiece model where sacrebleu looks for those of FLORES.

    The real models cannot be fetched in a test; with this one sacrebleu's own tokeniser code runs
    from loading the model to the signature.
    """
    import sentencepiece

    folder = Path(_SACREBLEU) / "models"
    folder.mkdir(exist_ok=True)
    text = "the cat sat on a mat and dogs saw them all in that old house by night "
    sentences = [text[i:] + text[:i] for i in range(len(text))]
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(sentences),
        model_prefix=str(folder / "tiny"),
        vocab_size=60,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    for name in ("flores200sacrebleuspm", "sacrebleu_tokenizer_spm.model"):
        shutil.copy(folder / "tiny.model", folder / name)
    return folder
