"""Two real submissions to WMT26, a whole document in each line, against a source of that form.

The source here is English that was written for this test after what the systems say: with a
sentence that they cannot have translated, without one that they have, in other paragraphs.
"""

import json
import re
from pathlib import Path

import pytest

from isogloss import Collection, evaluate, segment
from isogloss.formats import assemble
from isogloss.scores import ScoreTable
from isogloss.wholes import Kind

OMITTED = (
    "They cost £150 and come in four colours, among them a dark green that we liked very much."
)
SHOES, MASKS, OFFICE, HELP = (
    "standard.co.uk.318402",
    "id_ChCENfpn3SI_270.22-293.66",
    "id_URDI_PdMfDE_379.90-405.82",
    "id_Auw6MEpdcXo_8.26-32.66",
)
SOURCES = {
    SHOES: "<p>Grip and style: the best waterproof trainers for rain-slicked pavements</p>"
    "<p>The Cloudhorizon Waterproof is made for the stop-start rhythm of winter commutes. The "
    "lightweight waterproof upper keeps feet dry without adding weight, while the smooth, curved "
    "shape of the sole helps you move forward with ease, even if you are wearing layers and "
    "carrying heavy bags.</p>\n<p>Underfoot, Helion foam creates a cushioned effect that softens "
    "the load on long walks between stations, while a grippy rubber outsole gives stability on wet "
    f"steps and shiny tiles.</p>\n<p>{OMITTED}</p>\n<p>The pared-back design gives them a sleek "
    "modern look, ideal if you prefer a shoe that quietly handles bad weather without showing off "
    "its technical details.</p>",
    MASKS: "Hello?\nHello?\nWho's there?\nMy name is Emily.\nWho are you?\nI'm Sam.\nWho are those "
    "people?\nI don't know.\nAre there others?\nOthers?\nYeah.\nLike...\nLike us?\nI don't know.",
    OFFICE: "I just need a minute. Take your time, ma'am.\nThis can't be happening.\nHe just went "
    "to get something from the office.\nOh god.\nEmily. Oh my god. What's going on here?",
    HELP: "Do you have something?\nAllison.\nGet away from me!\nEasy, buddy.\nEasy.\nI said stay "
    "back!\nI'm here to help.\nOkay.\nHelp!\nHow?\nI'm a police detective.",
}


def document(row: dict[str, str]) -> str:
    return row["doc_id"].rpartition("_###_")[2]


def submission(path: Path, folder: Path) -> tuple[Path, list[dict[str, str]]]:
    """The lines of a submission that are about documents of the source, as they were handed in."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    chosen = [line for line in lines if document(json.loads(line)) in SOURCES]
    (folder / path.name).write_text("".join(chosen), encoding="utf-8")
    return folder / path.name, [json.loads(line) for line in chosen]


def source(folder: Path, submissions: list[list[dict[str, str]]]) -> Path:
    """A source file with both language pairs, as WMT hands it out."""
    path = folder / "wmt26.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for row in (row for rows in submissions for row in rows):
            _, domain, source_language, target_language, _ = row["doc_id"].split("_###_")
            told = {"domain": domain, "src_lang": source_language, "tgt_lang": target_language}
            text = {"src_text": SOURCES[document(row)], "refs": {}, "video": None}
            file.write(json.dumps({"doc_id": row["doc_id"], **text, **told}) + "\n")
    return path


@pytest.fixture(scope="module", params=["Yandex", "CUNI-AR"])
def collection(
    request: pytest.FixtureRequest, shared_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Collection:
    folder = tmp_path_factory.mktemp("wmt26")
    handed_in = {
        path.stem: submission(path, folder)
        for path in sorted((shared_data / "wmt26-systems").glob("*.jsonl"))
    }
    sources = source(folder, [rows for _, rows in handed_in.values()])
    return assemble(sources, [], [handed_in[request.param][0]])


@pytest.fixture(scope="module")
def table(collection: Collection) -> ScoreTable:
    return evaluate(collection, ["coverage", "coverage(side=source)", "coverage(side=output)"])


def test_the_cut_gives_back_what_was_handed_in(collection: Collection) -> None:
    handed_in = collection.unsplit[0].texts
    (output,) = segment(collection).outputs
    assert len(output.cuts) == len(SOURCES)
    for id, cut in output.cuts.items():
        assert cut.whole == handed_in[id]
        assert "".join(cut.whole.text[start:end] for start, end in cut.places) == cut.whole.text
        assert len(cut.segments) == len(collection.testset.document(id))


def test_what_was_left_out_and_added_is_found(collection: Collection) -> None:
    (output,) = segment(collection).outputs
    cuts = {id.rpartition("_###_")[2]: cut for id, cut in output.cuts.items()}
    (omitted,) = cuts[SHOES].disparities
    assert (omitted.kind, omitted.segment, omitted.source) == (Kind.OMITTED, 3, (0, len(OMITTED)))
    (added,) = cuts[MASKS].disparities
    assert added.kind is Kind.ADDED
    assert added.output is not None
    start, end = added.output
    whole = cuts[MASKS].whole
    assert whole.text[start:end].strip() == whole.lines[8].strip()


def test_the_scores_tell_where(table: ScoreTable) -> None:
    rendered, grounded = (
        {
            score.document.rpartition("_###_")[2]: score.score
            for row in table.of_metric(f"coverage(side={side})")
            for score in row.documents
        }
        for side in ("source", "output")
    )
    assert rendered[SHOES] is not None
    assert rendered[SHOES] < 90
    assert grounded[MASKS] is not None
    assert grounded[MASKS] < 90
    assert (rendered[MASKS], grounded[SHOES]) == (100, 100)
    assert (rendered[HELP], grounded[HELP]) == (100, 100)
    # In Egyptian Arabic the model takes one short sentence of this dialogue for a stranger.
    assert min(rendered[OFFICE] or 0, grounded[OFFICE] or 0) > 80


def test_nothing_of_it_is_silent(collection: Collection, table: ScoreTable) -> None:
    notices = "\n".join(table.provenance.notices)
    assert "3 documents cut by isogloss-" in notices
    assert re.search(r"1 left as handed in; passages found: [12] omitted, [12] added", notices)
    assert all("|cut:isogloss-" in str(metric.signature) for metric in table.metrics)
    egyptian = collection.testset.target_language == "arz"
    assert ("language 'arz': models that lack it take it for 'ar'" in notices) is egyptian
