"""Shards on disk come back as they were, or not at all."""

from pathlib import Path

import pytest

import isogloss
from isogloss.metrics import load_metric
from isogloss.scale.kept_shards import FOLDER_NAME, KeptShards


@pytest.mark.parametrize("name", ["chrf", "cohesion"])
def test_measurements_come_back_as_they_were(name: str, tmp_path: Path) -> None:
    collection = isogloss.load_sample("cs-en")
    shard = list(collection.translations(collection.outputs[0]))
    measured = list(load_metric(name, "cs", "en").measure(shard))
    kept = KeptShards(tmp_path, name)
    assert kept.find(shard) is None
    kept.keep(shard, measured)
    again = KeptShards(tmp_path, name)
    assert again.find(shard) == measured
    assert again.find(shard[1:]) is None
    assert KeptShards(tmp_path, "another metric").find(shard) is None
    again.clear()
    assert not list((tmp_path / FOLDER_NAME).iterdir())


@pytest.mark.parametrize("damage", [b"", b"[]", b"[{}]", b"\xff", b"{"])
def test_a_damaged_shard_is_as_good_as_absent(damage: bytes, tmp_path: Path) -> None:
    collection = isogloss.load_sample("cs-en")
    shard = list(collection.translations(collection.outputs[0]))
    kept = KeptShards(tmp_path, "chrf")
    kept.keep(shard, list(load_metric("chrf", "cs", "en").measure(shard)))
    (file,) = (tmp_path / FOLDER_NAME).iterdir()
    file.write_bytes(damage)
    assert kept.find(shard) is None


def test_without_a_cache_nothing_is_kept() -> None:
    collection = isogloss.load_sample("cs-en")
    shard = list(collection.translations(collection.outputs[0]))
    kept = KeptShards(None, "chrf")
    kept.keep(shard, list(load_metric("chrf", "cs", "en").measure(shard)))
    assert kept.find(shard) is None
