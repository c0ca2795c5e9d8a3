"""How a campaign goes, for those who run or watch it; decisions, for those who may decide."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import quote

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, StreamingResponse
from pydantic import ValidationError

from isogloss.annotate.results.adjudication import checked_adjudication, disagreements
from isogloss.annotate.results.curation import (
    checked_decision,
    collect_reports,
    curation,
    curation_task,
    release,
)
from isogloss.annotate.results.exchange import download, download_names
from isogloss.annotate.results.export import export_names, exported
from isogloss.annotate.results.overview import campaign_overview
from isogloss.annotate.storage.schema import Submission
from isogloss.annotate.storage.store import Store
from isogloss.annotate.web.guards import Curator, Memory, Overseer, Refused, receipts_for
from isogloss.annotate.wire import Receipts, SentAnswer, SentAnswers
from isogloss.annotate.wire_organiser import CurationDocument, Disagreement, Overview, Proposals
from isogloss.errors import InputError

organising = APIRouter(prefix="/api")
viewing = APIRouter()


@dataclass(frozen=True, slots=True)
class PageOfResults:
    """A whole page, and the content security policy that it needs."""

    html: str
    policy: str


class MakesResults(Protocol):
    """The results of a campaign, of a kind of judgements, as they are now."""

    def __call__(self, store: Store, kind: str | None, *, texts: bool) -> PageOfResults:
        """`texts`: whether whoever asks may read what was translated."""
        ...


@viewing.get("/results")
def get_results(
    request: Request, store: Memory, actor: Overseer, kind: str | None = None
) -> Response:
    """The ranking so far, with all that stands behind it, names too; texts not for observers."""
    if actor.nameless:
        raise Refused(403, "this page tells who judged", "ask the organiser for a link that may")
    makes: MakesResults | None = request.app.state.results
    if makes is None:
        raise Refused(404, "there is no page of results here", "see 'isogloss annotate results'")
    found = makes(store, kind, texts=actor.role != "observer")
    policy = f"{found.policy}; frame-ancestors 'none'"
    headers = {"Content-Security-Policy": policy, "Cache-Control": "no-store"}
    return HTMLResponse(found.html, headers=headers)


@organising.get("/overview")
def get_overview(store: Memory, actor: Overseer) -> Overview:
    """Progress, agreement and results so far; observers get no texts, and perhaps no names."""
    found = campaign_overview(store, nameless=actor.nameless)
    return found.model_copy(update={"exports": []}) if actor.role == "observer" else found


@organising.get("/curation")
def get_curation(store: Memory, actor: Curator) -> list[CurationDocument]:
    """The candidates of every document; new reports of annotators are among them."""
    collect_reports(store, actor.id)
    return curation(store)


@organising.post("/curation")
def post_curation(store: Memory, actor: Curator, sent: SentAnswers, response: Response) -> Receipts:
    """Accept, reject, edit or add markables."""

    def decide(answer: SentAnswer) -> Mapping[str, Any]:
        document = answer.task.removeprefix("curation:")
        if document not in store.documents() or answer.task != curation_task(document):
            raise InputError(f"there is no document {document!r}")
        return checked_decision(store, document, answer.value)

    return receipts_for(store, actor, sent, response, _submissions(decide))


@organising.post("/curation/propose")
def post_propose(store: Memory, actor: Curator, body: dict[str, Any]) -> Proposals:  # noqa: ARG001
    """Let a program propose markables, once."""
    # Alignment takes its time and some memory: it is for this moment, not for the server's start.
    from isogloss.annotate.results.curation import propose_markables

    collect_reports(store, actor.id)  # what people reported comes first
    done = propose_markables(store, actor.id)
    return Proposals(added=done.added, joined=done.joined)


@organising.post("/curation/release")
def post_release(store: Memory, _: Curator, body: dict[str, Any]) -> dict[str, int]:  # noqa: ARG001
    """Give out the tasks of phase 2 for what was accepted."""
    return {"tasks": release(store)}


@organising.get("/disagreements")
def get_disagreements(store: Memory, _: Curator) -> list[Disagreement]:
    """Where annotators disagree, the furthest apart first."""
    return disagreements(store)


@organising.post("/adjudications")
def post_adjudications(
    store: Memory, actor: Curator, sent: SentAnswers, response: Response
) -> Receipts:
    """Decide."""

    def decide(answer: SentAnswer) -> Mapping[str, Any]:
        return checked_adjudication(store, answer.task, answer.item, answer.value)

    return receipts_for(store, actor, sent, response, _submissions(decide))


def _submissions(
    decide: Callable[[SentAnswer], Mapping[str, Any]],
) -> Callable[[SentAnswer], Submission]:
    def submission(answer: SentAnswer) -> Submission:
        try:
            value = decide(answer)
        except ValidationError as error:
            raise InputError(str(error.errors()[0]["msg"])) from None
        return Submission(answer.key, answer.task, answer.item, answer.revision, value, answer.at)

    return submission


@organising.get("/export/{name:path}")
def get_export(store: Memory, _: Curator, name: str) -> Response:
    """A file to keep."""
    names, downloads = export_names(store), download_names(store)
    # Names of annotators are in names of files, and a header holds plain letters only.
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"}
    if name in downloads:
        kind = "application/zip" if name.endswith(".zip") else "text/plain; charset=utf-8"
        return Response(download(store, name), media_type=kind, headers=headers)
    if name not in names:
        known = ", ".join([*names, *downloads])
        raise Refused(404, f"there is no export {name!r}", f"there are: {known}")
    lines = (f"{line}\n" for line in exported(store, name))
    return StreamingResponse(lines, media_type="text/plain; charset=utf-8", headers=headers)
