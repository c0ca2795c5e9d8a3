"""Write web/src/generated/annotate.ts from the schema of the campaign's server: ``make web``.

The types of what goes over the wire are those of its OpenAPI schema; what an answer may say is
added, because to the wire an answer is any object. A test fails when the file is not current.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema

from isogloss.annotate.answers import VALUES
from isogloss.annotate.web.enrolment import enrolling
from isogloss.annotate.web.organiser import organising
from isogloss.annotate.web.people import managing
from isogloss.annotate.web.server import annotating
from isogloss.annotate.web.site import start
from isogloss.annotate.web.tutoring import tutoring
from isogloss.metrics.markables import Phenomenon

TARGET = Path(__file__).parent / "src" / "generated" / "annotate.ts"
HEADING = """\
// Made by web/generate_annotate_types.py from the server's OpenAPI schema: do not edit.
"""
_REFERENCE = "#/components/schemas/"
_FOREIGN = ("HTTPValidationError", "ValidationError")  # FastAPI's own; the server never sends them
_PLAIN = {
    "integer": "number",
    "number": "number",
    "string": "string",
    "boolean": "boolean",
    "null": "null",
}

Schema = Mapping[str, Any]


def typescript() -> str:
    """The whole file."""
    types = "".join(_declaration(name, schema) for name, schema in sorted(schemas().items()))
    return HEADING + types + _phenomena() + _wire(types)


def schemas() -> dict[str, Schema]:
    """Every named type, of the wire and of the answers."""
    routes = [
        *annotating.routes,
        *organising.routes,
        *managing.routes,
        *enrolling.routes,
        *start.routes,
        *tutoring.routes,
    ]
    wire = get_openapi(title="", version="", routes=routes)["components"]["schemas"]
    kinds: list[tuple[Any, Any]] = [(model, "serialization") for model in VALUES.values()]
    _, values = models_json_schema(kinds, ref_template=_REFERENCE + "{model}")
    named = {**wire, **values["$defs"]}
    return {name: schema for name, schema in named.items() if name not in _FOREIGN}


def _phenomena() -> str:
    """Names for people, which no schema knows."""
    rows = "".join(f'  ["{each.value}", "{each.title}"],\n' for each in Phenomenon)
    return (
        "\n/** The phenomena in their order, with their names for people. */\n"
        f"export const PHENOMENA: readonly (readonly [Phenomenon, string])[] = [\n{rows}];\n"
    )


def _wire(types: str) -> str:
    """A name for these types: what a browser kept under other ones is not read."""
    digest = hashlib.sha256(types.encode()).hexdigest()[:12]
    return f'\n/** Names these types. */\nexport const WIRE = "{digest}";\n'


def _declaration(name: str, schema: Schema) -> str:
    summary = schema.get("description", "").partition("\n\n")[0]
    note = f"\n/** {' '.join(summary.split())} */\n" if summary else "\n"
    if "enum" in schema:
        return f"{note}export type {name} =\n  | " + "\n  | ".join(_literals(schema)) + ";\n"
    fields = "".join(
        f"  readonly {field}{'?' if 'optional' in part else ''}: {_type(part)};\n"
        for field, part in schema.get("properties", {}).items()
    )
    return f"{note}export interface {name} {{\n{fields}}}\n"


def _literals(schema: Schema) -> list[str]:
    return [f'"{word}"' for word in schema["enum"]]


def _type(schema: Schema) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).removeprefix(_REFERENCE)
    if "enum" in schema:
        return " | ".join(_literals(schema))
    if "anyOf" in schema:
        return " | ".join(_type(part) for part in schema["anyOf"])
    if schema.get("type") == "array":
        return _list(schema)
    if schema.get("type") == "object":
        return _mapping(schema)
    if schema.get("type") in _PLAIN:
        return _PLAIN[schema["type"]]
    if "const" in schema:
        return f'"{schema["const"]}"'
    if set(schema) <= {"title", "description"}:
        return "unknown"
    raise TypeError(f"{schema} has no counterpart in TypeScript yet")


def _list(schema: Schema) -> str:
    if "prefixItems" in schema:
        return f"readonly [{', '.join(map(_type, schema['prefixItems']))}]"
    inner = _type(schema["items"])
    return f"readonly ({inner})[]" if " " in inner else f"readonly {inner}[]"


def _mapping(schema: Schema) -> str:
    values = schema.get("additionalProperties", True)
    inner = "unknown" if values is True else _type(values)
    if "propertyNames" in schema:  # only some of the names are there
        return f"Readonly<Partial<Record<{_type(schema['propertyNames'])}, {inner}>>>"
    return f"Readonly<Record<string, {inner}>>"


if __name__ == "__main__":
    TARGET.write_text(typescript(), encoding="utf-8")
