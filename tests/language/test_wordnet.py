"""WordNet: the reader on a tiny database, and on the installed one against its own program."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from isogloss.errors import FormatError, NotApplicableError
from isogloss.language import WordNet, open_wordnet
from isogloss.language.wordnet import ENVIRONMENT
from language.tiny_wordnet import write_tiny_wordnet


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WordNet:
    monkeypatch.setenv(ENVIRONMENT, str(write_tiny_wordnet(tmp_path)))
    return open_wordnet()


@pytest.fixture(scope="session")
def installed() -> WordNet:
    """Debian's WordNet with its program; tests that need them skip where they are absent."""
    if shutil.which("wn") is None or not Path("/usr/share/wordnet/index.noun").exists():
        pytest.skip("WordNet and its program wn are not installed")
    return WordNet(Path("/usr/share/wordnet"))


def test_words_share_concepts(tiny: WordNet) -> None:
    assert tiny.concepts("car") == tiny.concepts("Automobiles") != ()
    assert tiny.concepts("bought") == tiny.concepts("purchasing") == tiny.concepts("buys")
    assert tiny.concepts("geese") == tiny.concepts("goose")
    assert tiny.concepts("gooses") == tiny.concepts("goose")
    assert tiny.concepts("faster") == tiny.concepts("fast")
    assert tiny.concepts("unknown") == tiny.concepts("") == ()


def test_relations_are_one_step(tiny: WordNet) -> None:
    vehicle, car, buy = map(set, map(tiny.concepts, ("vehicle", "car", "buy")))
    assert tiny.related("bus", "superordinate") == tiny.related("cars", "superordinate") == vehicle
    assert tiny.related("beetle", "superordinate") == car  # an instance, and no further up
    assert tiny.related("acquired", "near synonym") == buy
    assert tiny.related("speedy", "near synonym") == set(tiny.concepts("fast"))
    assert tiny.related("goose", "superordinate") == frozenset()


def test_its_name_tells_release_and_content(tiny: WordNet) -> None:
    assert re.fullmatch(r"wordnet-9\.9-[0-9a-f]{8}", tiny.name)
    with (tiny.folder / "noun.exc").open("a") as file:
        file.write("beetlen beetle\n")
    assert WordNet(tiny.folder).name != tiny.name


def test_it_says_what_is_missing(
    tiny: WordNet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data.verb").unlink()
    with pytest.raises(FormatError, match=r"data\.verb: WordNet's database has this file"):
        WordNet(tmp_path).related("buy", "near synonym")
    monkeypatch.setenv(ENVIRONMENT, str(tmp_path / "nowhere"))
    with pytest.raises(NotApplicableError, match=r"no WordNet at .*nowhere; install it"):
        open_wordnet()


@pytest.mark.parametrize(
    ("word", "part", "option"),
    [
        ("dog", "noun", "-synsn"),
        ("leaves", "noun", "-synsn"),
        ("wolves", "noun", "-synsn"),
        ("leaves", "verb", "-synsv"),
        ("running", "verb", "-synsv"),
        ("happier", "adj", "-synsa"),
        ("well", "adv", "-synsr"),
    ],
)
def test_senses_are_those_of_wordnets_own_program(
    installed: WordNet, word: str, part: str, option: str
) -> None:
    shown = subprocess.run(["wn", word, option, "-o"], capture_output=True, text=True).stdout
    # The senses themselves; what they point to is indented behind an arrow.
    theirs = {int(offset) for offset in re.findall(r"^\{(\d+)\}", shown, re.M)}
    number = ("noun", "verb", "adj", "adv").index(part)
    ours = {c // 4 for c in installed.concepts(word) if c % 4 == number}
    assert theirs == ours != set()
