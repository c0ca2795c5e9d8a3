"""``isogloss segment``, and what other commands do with texts that have other segments."""

import json
from pathlib import Path

import pytest

from cli.test_program import complaint, isogloss, succeeded

SOURCE = (
    "Der Sturm erreichte am Montag die Küste.",
    "Mehrere Straßen wurden überflutet.",
    "Am Abend ließ der Wind nach.",
)
TRANSLATION = (
    "The storm reached the coast on Monday.",
    "Several roads were flooded.",
    "In the evening the wind dropped.",
)
SLIPPED = ("The storm reached the coast", "on Monday. Several roads were flooded.", TRANSLATION[2])


def written(path: Path, lines: tuple[str, ...]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def files(tmp_path: Path) -> list[object]:
    """A document in German, one translation with its lines, and one whose lines have slipped."""
    return [
        *("-s", written(tmp_path / "source.txt", SOURCE)),
        *("-t", written(tmp_path / "whole.txt", SLIPPED)),
        *("-d", written(tmp_path / "docs.tsv", ("storm",) * 3)),
        *("--from", "de", "--to", "en", "--no-cache"),
    ]


def records(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def test_slipped_lines_are_put_right(files: list[object]) -> None:
    lines = records(succeeded("segment", *files, "--realign", "-o", "jsonl"))
    assert [line["output"] for line in lines] == list(TRANSLATION)
    assert [line["source"] for line in lines] == list(SOURCE)
    handed_in = "\n".join(SLIPPED)
    for line in lines:
        start, end = line["handed_in"]  # type: ignore[misc]
        assert " ".join(handed_in[start:end].split()) == line["output"]


def test_what_has_the_segments_of_the_source_stays(files: list[object]) -> None:
    done = isogloss("segment", *files, "-o", "text")
    assert done.stdout.splitlines() == list(SLIPPED)
    assert "has the source's segments and stays as it is; --realign cuts it anew" in done.stderr


def test_the_table_counts_what_was_found(files: list[object]) -> None:
    table = succeeded("segment", *files, "--realign").splitlines()
    assert table[0].startswith("whole, cut by ")
    assert table[1].split() == [
        *("document", "segments", "handed", "in"),
        *("omitted", "added", "repeated", "moved"),
    ]
    assert table[2].split() == ["storm", "3", "3", "0", "0", "0", "0"]


def test_what_was_left_out_is_listed(files: list[object], tmp_path: Path) -> None:
    written(tmp_path / "whole.txt", (TRANSLATION[0], "In the evening", "the wind dropped."))
    table = succeeded("segment", *files, "--realign").splitlines()
    assert "whole: what lacks its partner" in table
    assert table[-1].split(maxsplit=3) == ["storm", "2", "omitted", SOURCE[1]]
    second = records(succeeded("segment", *files, "--realign", "-o", "jsonl"))[1]
    omitted = {"kind": "omitted", "source": [0, len(SOURCE[1])], "output": None, "text": SOURCE[1]}
    assert second["disparities"] == [omitted]


def test_the_segments_can_be_written_for_other_tools(files: list[object], tmp_path: Path) -> None:
    succeeded("segment", *files, "--realign", "--save", tmp_path / "cut")
    text = (tmp_path / "cut" / "systems" / "whole.txt").read_text(encoding="utf-8")
    assert text.splitlines() == list(TRANSLATION)
    read = succeeded("evaluate", tmp_path / "cut" / "testset.toml", "-m", "lm", "-o", "json")
    assert "cut:" not in json.loads(read)["metrics"][0]["signature"]


def test_text_is_of_one_system(files: list[object], tmp_path: Path) -> None:
    other = ("-t", written(tmp_path / "other.txt", TRANSLATION))
    told = complaint("segment", *files, *other, "-o", "text", "-q")
    assert all(word in told for word in ("--use-system", "--save FOLDER", "whole, other"))
    shown = succeeded("segment", *files, *other, "-o", "text", "--use-system", "other")
    assert shown.splitlines() == list(TRANSLATION)


def test_scores_of_realigned_outputs_are_those_of_the_right_segments(
    files: list[object], tmp_path: Path
) -> None:
    reference = ("-r", written(tmp_path / "ref.txt", TRANSLATION), "-m", "chrf", "-o", "json")
    done = isogloss("evaluate", *files, *reference, "--realign")
    scored = json.loads(done.stdout)
    assert scored["results"][0]["score"] == 100
    assert "|cut:" in scored["metrics"][0]["signature"]
    assert "system 'whole': 1 document cut by" in done.stderr
    plain = json.loads(succeeded("evaluate", *files, *reference))
    assert plain["results"][0]["score"] < 100
    assert "|cut:" not in plain["metrics"][0]["signature"]


def test_one_text_a_document_is_cut_by_every_command(tmp_path: Path) -> None:
    source = {"doc_id": "storm", "src_text": "\n".join(SOURCE), "src_lang": "de", "tgt_lang": "en"}
    whole = {"doc_id": "storm", "hypothesis": " ".join(TRANSLATION)}
    given: list[object] = []
    for flag, name, record in (("-s", "source", source), ("-t", "whole", whole)):
        path = tmp_path / f"{name}.jsonl"
        given += (flag, written(path, (json.dumps(record, ensure_ascii=False),)))
    assert succeeded("segment", *given, "-o", "text").splitlines() == list(TRANSLATION)
    done = isogloss("evaluate", *given, "-m", "coverage", "-o", "json", "--no-cache")
    assert json.loads(done.stdout)["results"][0]["score"] == 100
    assert "system 'whole': 1 document cut by" in done.stderr
    succeeded("convert", tmp_path / "cut.tsv", *given)
    rows = (tmp_path / "cut.tsv").read_text(encoding="utf-8").splitlines()[1:]
    assert [row.split("\t")[-1] for row in rows] == list(TRANSLATION)


def test_plain_texts_with_other_lines_are_one_document_when_realigned(tmp_path: Path) -> None:
    source = written(tmp_path / "source.txt", SOURCE)
    whole = written(tmp_path / "whole.txt", (" ".join(TRANSLATION),))
    given = ("-s", source, "-t", whole, "--from", "de", "--to", "en", "-o", "text", "-q")
    assert "1 line" in complaint("segment", *given)
    assert succeeded("segment", *given, "--realign").splitlines() == list(TRANSLATION)


def test_times_of_subtitles_are_shown_beside_what_was_found(tmp_path: Path) -> None:
    def subtitles(name: str, lines: tuple[str, ...]) -> Path:
        cues = (
            f"{number}\n00:00:{number:02},000 --> 00:00:{number:02},900\n{line}\n\n"
            for number, line in enumerate(lines, start=1)
        )
        path = tmp_path / name
        path.write_text("".join(cues), encoding="utf-8")
        return path

    source = subtitles("film.de.srt", SOURCE)
    output = subtitles("film.en.srt", (TRANSLATION[0], TRANSLATION[2]))
    given = ("-s", source, "-t", output, "--from", "de", "--to", "en", "--no-cache")
    omitted = succeeded("segment", *given).splitlines()[-1].split(maxsplit=6)
    times = "00:00:02,000 --> 00:00:02,900"
    assert omitted == ["subtitles", "2", *times.split(), "omitted", SOURCE[1]]
    assert records(succeeded("segment", *given, "-o", "jsonl"))[1]["label"] == times
