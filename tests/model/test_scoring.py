"""Scoring: equal to a plain PyTorch forward pass, in order, once for each pair, in flat memory."""

import itertools
import math
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest

from isogloss.errors import InputError
from isogloss.model import Pair, Paraphraser, ScoreCache, Threads, TokenScores, TooLongError, cache
from isogloss.model.scoring import Progress
from model.tiny_models import TinyModel, export, precision_for_int8, sentences

pytest.importorskip("torch")


def some_pairs(count: int, seed: int = 5) -> list[Pair]:
    texts = sentences(2 * count, seed)
    return [Pair(a, b, "de", "en") for a, b in zip(texts[::2], texts[1::2], strict=True)]


def assert_close(one: TokenScores | None, other: TokenScores | None) -> None:
    """Equal but for the last bits, which depend on what else is in a batch."""
    assert one is not None
    assert other is not None
    assert one.log_probs == pytest.approx(other.log_probs, abs=1e-5)
    assert replace(one, log_probs=other.log_probs) == other


def with_context(pair: Pair, before: int, after: int) -> Pair:
    previous = sentences(before + after, seed=9, longest=4)
    return Pair(
        pair.condition,
        pair.target,
        pair.target_language,
        pair.condition_language,
        tuple(previous[:before]),
        tuple(previous[before:]),
    )


@pytest.mark.parametrize(("before", "after"), [(0, 0), (2, 2), (2, 0), (0, 1)])
def test_token_log_probs_equal_a_plain_forward_pass(
    paraphraser: Paraphraser, tiny: TinyModel, before: int, after: int
) -> None:
    pairs = [with_context(pair, before, after) for pair in some_pairs(20)]
    for pair, scores in zip(pairs, paraphraser.score(pairs), strict=True):
        expected = tiny.log_probs(pair)
        assert scores is not None
        assert scores.log_probs == pytest.approx(expected, abs=1e-4)
        assert len(expected) == len(tiny.numbers(pair.target)) + 1  # the end mark, not the tag
        assert scores.mean == pytest.approx(sum(expected) / len(expected), abs=1e-4)
        assert scores.sum == pytest.approx(sum(expected), abs=1e-3)
        assert scores.truncated_context == 0


def test_an_unconditional_pair_is_scored_under_an_empty_source(
    paraphraser: Paraphraser, tiny: TinyModel
) -> None:
    (scores,) = paraphraser.score([Pair.alone("das Haus und die Maus", "de")])
    assert scores is not None
    assert scores.log_probs == pytest.approx(
        tiny.log_probs(Pair("", "das Haus und die Maus", "de")), abs=1e-4
    )


def test_batches_do_not_change_scores(paraphraser: Paraphraser, tiny: TinyModel) -> None:
    pairs = some_pairs(40)
    together = list(Paraphraser.load(tiny.folder).score(pairs))
    alone = [next(Paraphraser.load(tiny.folder).score([pair])) for pair in pairs[:5]]
    one_by_one = list(Paraphraser.load(tiny.folder).score(pairs, token_budget=1))
    for scores, single in zip(together, one_by_one, strict=True):
        assert scores is not None
        assert single is not None
        assert scores.log_probs == pytest.approx(single.log_probs, abs=1e-5)
    assert alone[3].log_probs == pytest.approx(together[3].log_probs, abs=1e-5)


@pytest.mark.parametrize("threads", [Threads(1), Threads(3)])
@pytest.mark.parametrize("window", [1, 7, 1000])
def test_results_come_in_the_order_of_the_input(
    tiny: TinyModel, threads: Threads, window: int
) -> None:
    pairs = some_pairs(60)
    model = Paraphraser.load(tiny.folder, threads=threads)
    forward = list(model.score(pairs, window=window, token_budget=100))
    fresh = Paraphraser.load(tiny.folder, threads=threads)
    backward = list(fresh.score(reversed(pairs), window=window, token_budget=100))
    assert [scores.pieces for scores in forward] == [s.pieces for s in reversed(backward)]
    for one, other in zip(forward, reversed(backward), strict=True):
        assert one.log_probs == pytest.approx(other.log_probs, abs=1e-5)


def test_equal_pairs_are_computed_once_in_a_window_across_windows_and_later(
    tiny: TinyModel,
) -> None:
    told: list[Progress] = []
    pairs = some_pairs(8) * 5
    model = Paraphraser.load(tiny.folder)
    scores = list(model.score(pairs, window=12, progress=told.append, total=len(pairs)))
    assert told[-1].computed == 8
    assert told[-1].done == len(pairs)
    assert told[-1].seconds_left == 0
    assert scores[:8] * 5 == scores
    assert list(model.score(pairs[:8], progress=told.append)) == scores[:8]
    assert told[-1].computed == 0


def test_progress_only_grows_and_ends_complete(tiny: TinyModel) -> None:
    told: list[Progress] = []
    pairs = [*some_pairs(30), Pair("", "das Haus", "de")]
    list(Paraphraser.load(tiny.folder).score(pairs, window=8, progress=told.append, total=31))
    done = [progress.done for progress in told]
    assert done == sorted(done)
    assert done[-1] == 31
    assert told[-1].per_second > 0
    assert Progress(0, 0, 0.0).seconds_left is None


@pytest.mark.parametrize(
    ("condition", "target"), [("", "das Haus"), ("the cat", ""), ("  ", "das"), ("the", "\u200b")]
)
def test_an_empty_text_is_not_scored(paraphraser: Paraphraser, condition: str, target: str) -> None:
    pairs = [Pair(condition, target, "de", "en"), Pair("the cat", "das Haus", "de", "en")]
    nothing, something = paraphraser.score(pairs)
    assert nothing is None
    assert something is not None


def test_an_unknown_language_is_an_error_that_lists_the_known(paraphraser: Paraphraser) -> None:
    for pair in (Pair("a", "b", "fr"), Pair("a", "b", "de", "fr"), Pair("", "", "fr")):
        with pytest.raises(InputError, match="does not know the language 'fr'; it knows: de, en"):
            list(paraphraser.score([pair]))


def test_a_region_falls_back_on_its_language(paraphraser: Paraphraser) -> None:
    plain, swiss = paraphraser.score(
        [Pair("the cat", "das Haus", "de", "en"), Pair("the cat", "das Haus", "de-CH", "en_GB")]
    )
    assert_close(plain, swiss)


def test_offsets_name_the_characters_of_the_original_text(paraphraser: Paraphraser) -> None:
    target = "  ﬁne cafe\u0301 ㍿🦄 cat"
    (scores,) = paraphraser.score([Pair("the cat", target, "en")])
    assert scores is not None
    covered = {target[start:end] for start, end in scores.offsets}
    by_piece = dict(zip(scores.pieces, scores.offsets, strict=True))
    assert target[slice(*by_piece["▁fine"])].strip() == "ﬁne"
    assert target[slice(*by_piece["▁café"])].strip() == "cafe\u0301"
    assert target[slice(*by_piece["<0xF0>"])] == "🦄"
    assert by_piece["</s>"] == (len(target), len(target))
    assert "㍿" in covered
    assert scores.unknown == 0  # bytes stand in for characters that the model lacks


def long_text(words: int) -> str:
    return " ".join(itertools.islice(itertools.cycle(["das", "Haus", "und", "die", "Maus"]), words))


def test_a_long_pair_is_an_error_that_names_the_pair(paraphraser: Paraphraser) -> None:
    pairs = [*some_pairs(3), Pair("the cat", long_text(70), "de")]
    for policy in ("error", "truncate-context"):
        with pytest.raises(TooLongError, match=r"pair 4 \('das Haus.*at most 64.*'split'"):
            list(paraphraser.score(pairs, long=policy, window=2))


def test_the_longest_pair_that_fits_is_scored_whole(
    paraphraser: Paraphraser, tiny: TinyModel
) -> None:
    # 62 pieces, the tag and the end mark; on the other side 63 pieces and the end mark.
    pair = Pair(long_text(63), long_text(62), "de")
    (scores,) = paraphraser.score([pair], long="error")
    assert scores is not None
    assert scores.log_probs == pytest.approx(tiny.log_probs(pair), abs=1e-4)
    with pytest.raises(TooLongError):
        list(paraphraser.score([Pair("the", long_text(63), "de")], long="error"))


def test_truncation_drops_the_oldest_context_on_both_sides(
    paraphraser: Paraphraser, tiny: TinyModel
) -> None:
    context = (long_text(30), long_text(20), "die Maus")
    pair = Pair("the cat sat", long_text(20), "de", "en", context, context)
    kept = Pair("the cat sat", long_text(20), "de", "en", context[1:], context[1:])
    (scores,) = paraphraser.score([pair], long="truncate-context")
    assert scores is not None
    assert scores.truncated_context == 1
    assert scores.log_probs == pytest.approx(tiny.log_probs(kept), abs=1e-4)
    with pytest.raises(TooLongError):
        list(paraphraser.score([pair], long="error"))


def test_split_scores_every_piece_once_and_says_so(
    paraphraser: Paraphraser, tiny: TinyModel
) -> None:
    target = long_text(100)
    pair = Pair(long_text(90), target, "de", "de", ("die Maus",), ("die Maus",))
    (scores,) = paraphraser.score([pair], long="split")
    assert scores is not None
    assert scores.parts == 2
    assert scores.truncated_context == 1
    assert len(scores.log_probs) == len(tiny.numbers(target)) + 1
    first = tiny.log_probs(Pair(long_text(45), long_text(50), "de"))
    assert scores.log_probs[:50] == pytest.approx(first[:50], abs=1e-4)
    assert scores.offsets[-1] == (len(target), len(target))


def test_split_gives_every_part_a_condition_that_is_too_short_to_share(
    paraphraser: Paraphraser, tiny: TinyModel
) -> None:
    (scores,) = paraphraser.score([Pair("Maus", long_text(100), "de")], long="split")
    assert scores is not None
    first = tiny.log_probs(Pair("Maus", long_text(50), "de"))
    assert scores.log_probs[:50] == pytest.approx(first[:50], abs=1e-4)


def test_an_unknown_policy_is_refused(paraphraser: Paraphraser) -> None:
    with pytest.raises(InputError, match="error, truncate-context, split"):
        paraphraser.score([], long="shorten")  # type: ignore[arg-type]


def test_text_that_is_not_unicode_is_refused(paraphraser: Paraphraser) -> None:
    with pytest.raises(InputError, match="not Unicode"):
        list(paraphraser.score([Pair("\ud800", "das", "de")]))


def test_pieces_outside_the_vocabulary_are_counted(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    from model.tiny_models import Network, trained_sentencepiece

    processor = trained_sentencepiece(
        tmp_path / "no-bytes.model", user_defined_symbols=["<de>", "<en>"]
    )
    network = Network(processor.vocab_size())
    export(tmp_path / "model", processor, network)
    model = TinyModel(tmp_path / "model", network, processor, separator=None)
    # The second text spells the end mark; "<", "/" and ">" are not in the vocabulary.
    pairs = [Pair("the 🦄 cat", "das 🦄🦄 Haus 🦄", "de"), Pair("the", "das </s> Haus", "de")]
    for pair, scores in zip(pairs, Paraphraser.load(model.folder).score(pairs), strict=True):
        assert scores is not None
        assert scores.log_probs == pytest.approx(model.log_probs(pair), abs=1e-4)
    unicorn, mark = Paraphraser.load(model.folder).score(pairs)
    assert (unicorn.unknown, unicorn.unknown_condition) == (2, 1)
    assert mark.unknown > 0


def test_without_a_separator_context_follows_after_a_space(tmp_path: Path, tiny: TinyModel) -> None:
    export(tmp_path / "model", tiny.processor, tiny.network)
    plain = TinyModel(tmp_path / "model", tiny.network, tiny.processor, separator=None)
    model = Paraphraser.load(plain.folder)
    assert not model.trained_on_context
    pair = with_context(some_pairs(1)[0], 2, 2)
    (scores,) = model.score([pair])
    assert scores is not None
    assert scores.log_probs == pytest.approx(plain.log_probs(pair), abs=1e-4)


def test_an_empty_context_segment_leaves_no_trace(paraphraser: Paraphraser) -> None:
    pair = some_pairs(1)[0]
    empty = Pair(pair.condition, pair.target, "de", "en", ("", " "), ("",))
    (plain,) = paraphraser.score([pair])
    (same,) = paraphraser.score([empty])
    assert_close(plain, same)


def test_int8_stays_close_to_float32(tmp_path: Path, tiny: TinyModel) -> None:
    export(tmp_path / "int8", tiny.processor, tiny.network, quantization="int8", separator="<sep>")
    assert Paraphraser.load(tmp_path / "int8").engine_id.precision.startswith("int8")
    small = Paraphraser.load(tmp_path / "int8", precision=precision_for_int8())
    for pair, scores in zip(some_pairs(10), small.score(some_pairs(10)), strict=True):
        assert scores is not None
        assert math.isclose(scores.sum, sum(tiny.log_probs(pair)), rel_tol=0.05)


def test_memory_stays_flat(tiny: TinyModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_REMEMBERED", 100)

    def peak(pairs: int) -> int:
        model = Paraphraser.load(tiny.folder)
        stream = (Pair("the cat", f"das Haus {n}", "de") for n in range(pairs))
        tracemalloc.start()
        count = sum(scores is not None for scores in model.score(stream, window=50))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert count == pairs
        return most

    peak(100)  # imports and first-time tables
    # How many windows are in flight varies a little; growing memory would be ten times as much.
    assert peak(8000) < 3 * peak(800)


def test_pairs_are_drawn_from_the_stream_only_as_needed(tiny: TinyModel) -> None:
    drawn = itertools.count()
    stream = (Pair("the", f"Haus {n}", "de") for n in drawn)
    scores = Paraphraser.load(tiny.folder).score(stream, window=10)
    list(itertools.islice(scores, 5))
    assert next(drawn) < 200


@pytest.mark.parametrize("new", [0, 1])
def test_known_pairs_do_not_pile_up(tmp_path: Path, tiny: TinyModel, new: int) -> None:
    """Neither when all are known, nor behind a single one that has to be computed."""
    known = [Pair("the", f"Haus {n}", "de") for n in range(2000)]
    list(Paraphraser.load(tiny.folder, cache=ScoreCache(tmp_path)).score(known))
    drawn = itertools.count()
    stream = (Pair("new", f"Maus {n}", "de") if n < new else known[n] for n in drawn)
    model = Paraphraser.load(tiny.folder, threads=Threads(2), cache=ScoreCache(tmp_path))
    scores = model.score(stream, window=10)
    assert next(scores) is not None
    assert next(drawn) < 100


def test_a_pair_that_is_unconditional_has_no_condition() -> None:
    with pytest.raises(InputError, match="no condition"):
        Pair("the", "das", "de", unconditional=True)


def test_the_cache_gives_the_very_same_scores(tmp_path: Path, tiny: TinyModel) -> None:
    context = ("die Maus",)
    pairs = [
        *some_pairs(20),
        Pair("", "das", "de"),
        Pair("the 🦄", long_text(100), "de"),
        Pair("the", "das", "de", None, context * 70, context * 70),
    ]
    told: list[Progress] = []
    fresh = list(
        Paraphraser.load(tiny.folder, cache=ScoreCache(tmp_path)).score(pairs, long="split")
    )
    again = Paraphraser.load(tiny.folder, cache=ScoreCache(tmp_path))
    assert list(again.score(pairs, long="split", progress=told.append)) == fresh
    assert told[-1].computed == 0
    assert fresh[-1].truncated_context > 0
    assert fresh[-2].parts > 1


def test_an_interrupted_run_keeps_what_it_computed(tmp_path: Path, tiny: TinyModel) -> None:
    told: list[Progress] = []
    pairs = some_pairs(60)
    run = Paraphraser.load(tiny.folder, cache=ScoreCache(tmp_path)).score(
        pairs, window=20, token_budget=60, progress=told.append
    )
    next(run)
    run.close()  # type: ignore[attr-defined]  # what Ctrl-C or an error does to the generator
    computed = told[-1].computed
    assert 20 <= computed < 60
    assert ScoreCache(tmp_path).usage()[0].entries == computed
    rest: list[Progress] = []
    model = Paraphraser.load(tiny.folder, cache=ScoreCache(tmp_path))
    scores: list[TokenScores | None] = list(model.score(pairs, progress=rest.append))
    assert rest[-1].computed == 60 - computed
    for one, other in zip(scores, Paraphraser.load(tiny.folder).score(pairs), strict=True):
        assert_close(one, other)


def test_a_cache_with_scores_of_another_text_is_noticed(tmp_path: Path, tiny: TinyModel) -> None:
    cache = ScoreCache(tmp_path)
    pair = Pair("the cat", "das Haus", "de")
    list(Paraphraser.load(tiny.folder, cache=cache).score([pair]))
    with cache._database() as database:
        database.execute("UPDATE scores SET value = substr(value, 1, length(value) - 4)")
    with pytest.raises(InputError, match="damaged"):
        list(Paraphraser.load(tiny.folder, cache=cache).score([pair]))


def test_one_model_may_score_in_several_threads(tmp_path: Path, tiny: TinyModel) -> None:
    from concurrent.futures import ThreadPoolExecutor

    pairs = some_pairs(60)
    model = Paraphraser.load(tiny.folder, cache=ScoreCache(tmp_path))
    with ThreadPoolExecutor(4) as pool:
        starts = [0, 15, 30, 0]
        runs = list(pool.map(lambda n: list(model.score(pairs[n:], window=7)), starts))
    expected = list(Paraphraser.load(tiny.folder).score(pairs))
    for start, run in zip(starts, runs, strict=True):
        for one, other in zip(run, expected[start:], strict=True):
            assert_close(one, other)
