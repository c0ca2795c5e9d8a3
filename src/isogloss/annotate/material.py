"""The texts of a campaign as they are frozen into its database."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from isogloss.annotate.campaign import Campaign
from isogloss.documents import Collection
from isogloss.errors import InputError


@dataclass(frozen=True, slots=True)
class DocumentText:
    """A document with everything that is shown of it; outputs by system, people's among them.

    `references` are shown to nobody: they are what an analysis of the campaign scores against.
    """

    id: str
    source: Sequence[str]
    outputs: dict[str, Sequence[str | None]]
    reference: Sequence[str | None] | None = None
    source_language: str | None = None
    target_language: str | None = None
    domain: str | None = None
    humans: Sequence[str] = field(default_factory=list)
    references: dict[str, Sequence[str | None]] = field(default_factory=dict)

    def record(self) -> dict[str, Any]:
        """The document as it is stored."""
        return asdict(self)


def texts_of(collection: Collection, campaign: Campaign) -> list[DocumentText]:
    """The documents of a test set with the translations that are judged."""
    testset = collection.testset
    for name in campaign.references_as_systems:
        testset.with_references([name])  # complains where there is none of that name
        if name in collection.system_names:
            raise InputError(f"reference {name!r} is among the systems already")
    wanted = campaign.systems or collection.system_names
    outputs = collection.with_systems(wanted).outputs
    if not outputs and set(campaign.phases) != {"consistency"}:  # which is about the source
        raise InputError(f"test set {testset.name!r} has no system to judge")
    humans = [o.name for o in outputs if o.human] + list(campaign.references_as_systems)
    if campaign.show_reference is not None:
        testset.with_references([campaign.show_reference])
    return [
        DocumentText(
            document.id,
            document.source,
            {
                **{output.name: output.documents[document.id] for output in outputs},
                **{name: document.references[name] for name in campaign.references_as_systems},
            },
            document.references[campaign.show_reference] if campaign.show_reference else None,
            testset.source_language,
            testset.target_language,
            document.domain,
            humans,
            dict(document.references),
        )
        for document in testset.documents
    ]
