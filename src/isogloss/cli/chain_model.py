"""``isogloss chains annotate --by-model``: a language model judges chains as people do."""

from collections.abc import Sequence
from typing import Annotated

import typer

from isogloss.cli import inputs
from isogloss.cli.output import say
from isogloss.documents import counted
from isogloss.errors import InputError
from isogloss.metrics import ChainAnnotator
from isogloss.metrics.consistency import AnswerFile, Chain
from isogloss.runtime import Runtime

ByModelOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Ask this language model instead of you, as its endpoint calls it.",
        rich_help_panel=inputs.MODELS,
    ),
]
EndpointOption = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="Where the model answers. Default: $ISOGLOSS_LLM_ENDPOINT, else OpenAI's.",
        rich_help_panel=inputs.MODELS,
    ),
]
LanguagesOption = Annotated[
    str | None,
    typer.Option(
        "--pair",
        metavar="XX-YY",
        help="The languages of the chains, which the question then names.",
        rich_help_panel=inputs.MODELS,
    ),
]


def chain_annotator(
    model: str, endpoint: str | None, pair: str | None, runtime: Runtime
) -> ChainAnnotator:
    """The model, told which languages the chains are in if it is known."""
    source, _, target = (pair or "").partition("-")
    if pair and not (source and target):
        raise InputError(f"--pair takes two languages, XX-YY, not {pair!r}")
    return ChainAnnotator(model, (source or None, target or None), endpoint or "", runtime=runtime)


def unanswered(chains: Sequence[Chain], file: AnswerFile) -> list[Chain]:
    """The chains that have no answer in the file."""
    return [chain for chain in chains if chain.id not in file.answers]


def annotate_by_model(chains: Sequence[Chain], file: AnswerFile, annotator: ChainAnnotator) -> int:
    """Ask about every chain that has no answer; how many have one now."""
    done, malformed = 0, 0
    for chain, flexible in annotator.answers(unanswered(chains, file)):
        if flexible is None:
            malformed += 1
        else:
            file.give(chain, flexible)
            done += 1
    if malformed:
        say(
            f"{counted(malformed, 'answer')} of {annotator.model} not as asked for "
            '(no JSON with "flexible", or places that the chain has not): not judged'
        )
    return done
