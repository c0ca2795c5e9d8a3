"""A language model that is asked: once for each question, several at a time, at a known cost."""

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from isogloss.documents import counted
from isogloss.metrics.outside.chat import Completion, Endpoint, request_body
from isogloss.metrics.outside.kept_answers import KeptAnswers, answer_key
from isogloss.metrics.outside.prompts import Message

_ENDPOINT = "https://api.openai.com/v1"
_BYTES_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Estimate:
    """What would be sent: requests that are not answered yet, and roughly their tokens."""

    requests: int = 0
    kept: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def __str__(self) -> str:
        sent = (
            f"{counted(self.requests, 'request')}, about {self.input_tokens:,} tokens and "
            f"{self.output_tokens:,} in answers"
        )
        return sent + (f"; {self.kept:,} more are answered already" if self.kept else "")

    def cost(self, per_million: tuple[float, float]) -> float:
        """What that costs, at prices for a million tokens sent and answered."""
        price_in, price_out = per_million
        return (self.input_tokens * price_in + self.output_tokens * price_out) / 1_000_000


@dataclass(frozen=True, slots=True)
class ChatQuestion:
    """What is sent, which draw of it this is, and how many tokens the answer will have."""

    messages: Sequence[Message]
    tokens: int
    draw: int = 0


@dataclass(frozen=True, slots=True)
class ChatModel:
    """A model behind an endpoint. `prompt` is a digest of everything that its questions share."""

    name: str
    prompt: str
    temperature: float = 0.0
    endpoint: str = ""
    concurrency: int = 4
    cache: Path | None = None

    @property
    def host(self) -> str:
        """Who is asked."""
        return Endpoint(self._address).host

    @property
    def _address(self) -> str:
        return self.endpoint or os.environ.get("ISOGLOSS_LLM_ENDPOINT") or _ENDPOINT

    def estimate(self, questions: Iterable[ChatQuestion]) -> Estimate:
        """What asking these would send."""
        total = Estimate()
        with closing(self._kept()) as kept:
            for question in questions:
                known = bool(kept.get([self._key(question)]))
                sent = sum(len(message["content"].encode()) for message in question.messages)
                total = Estimate(
                    total.requests + (not known),
                    total.kept + known,
                    total.input_tokens + (0 if known else sent // _BYTES_PER_TOKEN),
                    total.output_tokens + (0 if known else question.tokens),
                )
        return total

    def answers(self, questions: Sequence[ChatQuestion]) -> Iterator[Completion]:
        """An answer to each, in their order; those that are known are not asked for."""
        endpoint, kept = Endpoint(self._address), self._kept()

        def ask(question: ChatQuestion) -> Completion:
            key = self._key(question)
            if known := kept.get([key]):
                return Completion(known[key])
            answer = endpoint.complete(self._body(question))
            if answer.complete:
                kept.put({key: answer.text})
            return answer

        with closing(kept), ThreadPoolExecutor(self.concurrency) as pool:
            try:
                yield from pool.map(ask, questions)
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise

    def _body(self, question: ChatQuestion) -> dict[str, object]:
        return request_body(self.name, question.messages, self.temperature)

    def _kept(self) -> KeptAnswers:
        return KeptAnswers(self.cache, f"llm {self.name}", f"llm:{self.prompt}:{self.name}")

    def _key(self, question: ChatQuestion) -> bytes:
        return answer_key(self.prompt, self._address, question.draw, self._body(question))
