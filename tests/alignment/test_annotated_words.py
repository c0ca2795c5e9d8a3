"""The annotated words of the LTCR data set: does the model inside find their translations?"""

from pathlib import Path

from isogloss.alignment import aligner
from isogloss.metrics.consistency import read_release


def test_attention_finds_annotated_translations(shared_data: Path) -> None:
    release = read_release(shared_data / "ltcr")
    documents = {document.id: document for document in release.testset.documents[:4]}
    places = [(id, n) for id, document in documents.items() for n in range(len(document))]
    pairs = [
        (documents[id].source[n].split(), str(documents[id].references["ref"][n]).split())
        for id, n in places
    ]
    reading = aligner("attention", "phrases", source_language="zh", target_language="en")
    found = dict(zip(places, reading.align(pairs), strict=True))
    words = dict(zip(places, pairs, strict=True))
    right = [
        " ".join(
            words[place][1][target] for target in found[place].targets().get(item.token, ())
        ).lower()
        == chain.translation
        for chain in release.chains
        if chain.document in documents
        for item in chain.items
        for place in [(chain.document, item.segment)]
    ]
    assert len(right) > 150
    # 0.888 of all 12,199 words (docs/alignment.md); so few of them vary by a few points.
    assert sum(right) / len(right) > 0.8
