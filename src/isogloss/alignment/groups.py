"""Words that belong together: what the links of a segment pair connect, directly or indirectly."""

from dataclasses import dataclass

from isogloss.alignment.links import Links


@dataclass(frozen=True, slots=True)
class Group:
    """Source words and the target words that stand for them, in the order of the text."""

    sources: tuple[int, ...]
    targets: tuple[int, ...]


def groups(links: Links) -> list[Group]:
    """The groups in the order of their first source word."""
    of_source: dict[int, set[tuple[int, int]]] = {}
    of_target: dict[int, set[tuple[int, int]]] = {}
    for source, target in sorted(links):
        together = of_source.get(source, set()) | of_target.get(target, set()) | {(source, target)}
        for one, other in together:
            of_source[one] = of_target[other] = together
    distinct = {id(group): group for _, group in sorted(of_source.items())}
    return [
        Group(
            tuple(sorted({source for source, _ in group})),
            tuple(sorted({target for _, target in group})),
        )
        for group in distinct.values()
    ]
