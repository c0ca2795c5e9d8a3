"""Subtitles: cues are segments, and their times are kept."""

from pathlib import Path

import pytest

from isogloss.documents import Document, Unsplit
from isogloss.errors import FormatError
from isogloss.formats import assemble, recognise
from isogloss.wholes import WholeText

SRT = r"""1
00:00:01,000 --> 00:00:02,500
<i>Good</i> morning,
{\an8}Anna &amp; <font color="red">Bob</font>. 3 < 4

2
00:00:02,500 --> 00:00:04,000 X1:100 X2:200

3
00:00:05,000 --> 00:00:06,000
Bye.
"""
VTT = """WEBVTT - a talk
Kind: captions

STYLE
::cue { color: red }

NOTE nobody sees this
nor this

first
00:01.000 --> 00:02.500 align:start
<v Anna><c.loud>Good</c> morning,</v>
<00:00:02.000>Anna &amp; Bob.

00:00:02.500 --> 00:00:04.000

00:05.000 --> 00:06.000
Bye.
"""


def put(folder: Path, name: str, content: str) -> Path:
    (folder / name).write_bytes(content.encode())
    return folder / name


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_srt(tmp_path: Path, ends: str) -> None:
    path = put(tmp_path, "film.en", SRT.replace("\n", ends))
    assert recognise(path).name == "subtitles"
    times = ("00:00:01,000 --> 00:00:02,500", "00:00:02,500 --> 00:00:04,000",
             "00:00:05,000 --> 00:00:06,000")  # fmt: skip
    source = ("Good morning, Anna &amp; Bob. 3 < 4", "", "Bye.")
    assert assemble(path).testset.documents == (Document("subtitles", source, labels=times),)


def test_webvtt(tmp_path: Path) -> None:
    path = put(tmp_path, "film.en", VTT)
    assert recognise(path).name == "subtitles"
    (document,) = assemble(path).testset.documents
    assert document.source == ("Good morning, Anna & Bob.", "", "Bye.")
    assert document.labels is not None
    assert document.labels[0] == "00:01.000 --> 00:02.500"


def test_translations_with_the_same_cues_and_with_others(tmp_path: Path) -> None:
    source = put(tmp_path, "film.en.srt", SRT)
    same = put(tmp_path, "same.vtt", VTT.replace("Bye", "Ahoj"))
    other = put(tmp_path, "other.srt", SRT[: SRT.index("\n2\n")] + "und tschüs.\n")
    plain = put(tmp_path, "plain.txt", "a\n\nb\n")
    collection = assemble(source, [same], [other, plain])
    assert collection.testset.documents[0].references["same"][2] == "Ahoj."
    text = WholeText.of_lines(["Good morning, Anna &amp; Bob. 3 < 4 und tschüs."])
    assert collection.unsplit == (Unsplit("other", {"subtitles": text}),)
    assert collection.outputs[0].documents == {"subtitles": ("a", "", "b")}


def cues(*times: tuple[int, int]) -> str:
    """Cues at these seconds."""
    blocks = (
        f"{number}\n{start // 3600:02}:00:{start % 3600:02},000 --> "
        f"{end // 3600:02}:00:{end % 3600:02},000\ncue {number}\n"
        for number, (start, end) in enumerate(times, start=1)
    )
    return "\n".join(blocks)


@pytest.mark.parametrize(
    ("times", "in_step"),
    [
        ([(1, 3), (3, 5), (5, 5)], True),
        ([(0, 2), (2, 6), (4, 4)], True),
        ([(3601, 3603), (3603, 3605), (3605, 3605)], True),
        ([(1, 2), (2, 3), (3, 5)], False),  # the first cue in two, the others slipped
    ],
)
def test_as_many_cues_that_are_shown_at_other_times(
    tmp_path: Path, times: list[tuple[int, int]], in_step: bool
) -> None:
    source = put(tmp_path, "film.en.srt", cues((1, 3), (3, 5), (5, 5)))
    collection = assemble(source, [], [put(tmp_path, "mt.srt", cues(*times))])
    assert bool(collection.outputs) is in_step
    assert [u.texts["subtitles"] for u in collection.unsplit] == (
        [] if in_step else [WholeText("cue 1\ncue 2\ncue 3", ((0, 17),))]
    )


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("WEBVTT\n", "there is no cue"),
        ("\n\n", "there is no cue"),
        (SRT + "\n\nlost\n", r"a\.srt:14: text that belongs to no cue"),
        (VTT + "\nlost\n", r"a\.srt:20: text that belongs to no cue"),
        (SRT.replace("00:00:05,000", "5 s"), r"a\.srt:10: no times: '5 s --> "),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, content: str, complaint: str) -> None:
    path = put(tmp_path, "a.srt", content)
    with pytest.raises(FormatError, match=complaint):
        assemble(path)


def test_long_lines_take_no_long(tmp_path: Path) -> None:
    hostile = "<a" * 200_000 + "{\\" * 200_000 + "&" * 200_000
    source = assemble(put(tmp_path, "a.srt", f"1\n00:01.000 --> 00:02.000\n{hostile}\n"))
    assert source.testset.segment_count == 1
