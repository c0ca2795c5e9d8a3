"""A language model as an annotator of chains (Lei et al. 2024): which mentions may differ?

It is shown what people are shown, a chain with its sentences, and asked what they are asked:
whether any mention could be translated by another word without a change of meaning and without harm
to cohesion. Its answers go into the same file as a person's, so that `chains agree` compares them.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from isogloss.digest import short_digest
from isogloss.errors import InputError, NotApplicableError
from isogloss.metrics.consistency import Chain, ChainItem
from isogloss.metrics.outside.asking import ChatModel, ChatQuestion, Estimate
from isogloss.metrics.outside.chat import Completion
from isogloss.metrics.outside.prompts import Message, answered_json, language_or
from isogloss.runtime import Runtime

_ROLE = (
    "You are a linguist who knows both languages well and annotates translations of whole "
    "documents. You answer with JSON alone."
)
_QUESTION = """\
A document in {source} uses the word {word} {times} times, and its translation into {target} \
renders it as {translation} each time. These are the places, in the order of the document; the \
word stands in [brackets], and its translation where its place is known.

{items}

Is there a place where the word could be translated differently from the others without changing \
the meaning and without hurting the cohesion of the document? Names, terms and whatever the \
reader has to recognise as the same thing must be translated alike. Words whose other renderings \
would do as well in their sentence may differ.

Answer with the numbers of the places that may differ, in this form (an empty list: all must be \
translated alike):
{{"flexible": [2]}}"""
_PARSER = "1"  # changes with what answers are taken to mean
_TOKENS_PER_ANSWER = 12

PROMPT_DIGEST = short_digest("\0".join((_PARSER, _ROLE, _QUESTION)), 8)
"""Eight digits that change with any word that is asked, or with how answers are read."""


@dataclass(frozen=True, slots=True)
class ChainAnnotator:
    """Asks a model about chains; nothing is sent before ``runtime.network`` allows it."""

    model: str
    languages: tuple[str | None, str | None] = (None, None)
    endpoint: str = ""
    concurrency: int = 4
    runtime: Runtime = field(default=Runtime())

    @property
    def host(self) -> str:
        """Who would be asked."""
        return self._model().host

    def estimate(self, chains: Sequence[Chain]) -> Estimate:
        """What asking about these would send."""
        return self._model().estimate(map(self._question, chains))

    def answers(self, chains: Sequence[Chain]) -> Iterator[tuple[Chain, frozenset[int] | None]]:
        """For each chain the items that may differ; `None` where the answer is not as asked for."""
        estimate = Estimate() if self.runtime.network else self.estimate(chains)
        if estimate.requests:
            raise NotApplicableError(
                f"the chains' sentences would go to {self.host} ({estimate}); allow it, or "
                "set ISOGLOSS_ALLOW_NETWORK=1",
                lacking=["network"],
            )
        replies = self._model().answers([self._question(chain) for chain in chains])
        for chain, reply in zip(chains, replies, strict=True):
            yield chain, _flexible(chain, reply)

    def _model(self) -> ChatModel:
        return replace(
            ChatModel(self.model, PROMPT_DIGEST),
            endpoint=self.endpoint,
            concurrency=self.concurrency,
            cache=self.runtime.cache,
        )

    def _question(self, chain: Chain) -> ChatQuestion:
        source, target = self.languages
        text = _QUESTION.format(
            source=language_or(source, "the source language"),
            target=language_or(target, "the target language"),
            word=json.dumps(chain.word, ensure_ascii=False),
            translation=json.dumps(chain.translation, ensure_ascii=False),
            times=len(chain.items),
            items="\n".join(_shown(n, chain, item) for n, item in enumerate(chain.items, 1)),
        )
        messages: list[Message] = [
            {"role": "system", "content": _ROLE},
            {"role": "user", "content": text},
        ]
        return ChatQuestion(messages, _TOKENS_PER_ANSWER)


def _shown(number: int, chain: Chain, item: ChainItem) -> str:
    """A place with its sentences; without them nobody can judge it."""
    if item.source is None:
        raise InputError(
            f"chain {chain.id!r} holds no sentences, which an annotator has to see; "
            "'isogloss chains extract' and 'isogloss chains import' write them"
        )
    source = _bracketed(item.source, [(item.start, item.end)])
    target = "" if item.target is None else f"\n    {_bracketed(item.target, item.targets)}"
    return f"{number}. {source}{target}"


def _bracketed(text: str, places: Sequence[tuple[int, int]]) -> str:
    for start, end in sorted(places, reverse=True):
        text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
    return text


def _flexible(chain: Chain, reply: Completion) -> frozenset[int] | None:
    """The items of an answer, counted from 0; numbers that the chain has not are no answer."""
    try:
        told = answered_json(reply.text) if reply.complete else None
    except ValueError:
        return None
    numbers = told.get("flexible") if isinstance(told, dict) else None
    if not isinstance(numbers, list) or not all(type(number) is int for number in numbers):
        return None
    chosen = frozenset(number - 1 for number in numbers)
    return chosen if chosen <= set(range(len(chain.items))) else None
