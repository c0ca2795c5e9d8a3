"""Simplified lexical chains (Gong & Zhou 2015) and how far two texts' chains match.

A chain is the set of sentences in which a content word occurs, two or more of them. A chain of
the output is matched with the reference's chain of the same word; what share of the sentences
they have in common is its score, and a chain without a match scores 0. All scores are fractions.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

Form = Literal["recall", "precision", "f"]
Per = Literal["output", "reference", "either"]
Chain = AbstractSet[int]


def chain_score(output: Chain, reference: Chain, form: Form = "recall") -> Fraction:
    """The common sentences, as a share of the reference's, of the output's, or of both."""
    common = len(output & reference)
    if form == "recall":
        return Fraction(common, len(reference))
    if form == "precision":
        return Fraction(common, len(output))
    return Fraction(2 * common, len(output) + len(reference))


@dataclass(frozen=True, slots=True)
class Match:
    """A chain of the output, of the reference, or of both under the words they have there."""

    output: str | None
    reference: str | None
    score: Fraction


_NONE = Fraction(0)


def match_chains(
    output: Mapping[str, Chain],
    reference: Mapping[str, Chain],
    form: Form = "recall",
    partners: Mapping[str, str | None] | None = None,
) -> list[Match]:
    """Every chain of the output with its match, then those of the reference that have none.

    `partners` names the reference's chain for a chain of the output where it is another word's.
    """
    matches = []
    for word, chain in output.items():
        partner = word if partners is None else partners[word]
        there = reference.get(partner) if partner is not None else None
        score = _NONE if there is None else chain_score(chain, there, form)
        matches.append(Match(word, None if there is None else partner, score))
    met = {match.reference for match in matches}
    matches += [Match(None, word, _NONE) for word in reference if word not in met]
    return matches


def document_score(matches: Iterable[Match], per: Per = "output") -> Fraction | None:
    """The sum of the scores, over the number of chains of one side or of both.

    Where that side has no chains but the other has, the score is 0: else a text could gain by
    having none. Where neither has any, there is nothing to score.
    """
    matches = list(matches)
    if not matches:
        return None
    counted = {
        "output": sum(match.output is not None for match in matches),
        "reference": len({match.reference for match in matches} - {None}),
        "either": len(matches),
    }[per]
    return sum((match.score for match in matches), _NONE) / counted if counted else _NONE
