#!/usr/bin/env python3
"""Says what is wrong with schemas/asyncapi.yaml, or another file: against AsyncAPI 3's own schema, and where a reference
leads nowhere.

Prints a line a problem and exits with 1; prints nothing where all is well."""

import json
import pathlib
import sys

import jsonschema
import yaml

here = pathlib.Path(__file__).resolve().parent
schemas = here.parents[1] / "schemas"
path = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else schemas / "asyncapi.yaml"
document = yaml.safe_load(path.read_text())
problems = []

meta = json.loads((here / "asyncapi-3.0.0.schema.json").read_text())
for error in jsonschema.Draft7Validator(meta).iter_errors(document):
    problems.append("/".join(map(str, error.absolute_path)) + ": " + error.message[:300])


def follow(reference, place):
    """What a reference leads to; a file is read as JSON."""
    if not reference.startswith("#/"):
        path = (schemas / reference).resolve()
        if not path.is_file():
            problems.append(f"{place}: {reference} is no file")
        return
    node = document
    for part in reference[2:].split("/"):
        node = node.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(node, dict) else None
    if node is None:
        problems.append(f"{place}: {reference} leads nowhere")


def walk(node, place):
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            follow(node["$ref"], place)
        for key, value in node.items():
            walk(value, f"{place}/{key}")
    elif isinstance(node, list):
        for index, value in enumerate(node):
            walk(value, f"{place}/{index}")


walk(document, "")
for file in sorted(schemas.glob("*.schema.json")):
    try:
        jsonschema.Draft7Validator.check_schema(json.loads(file.read_text()))
    except (ValueError, jsonschema.SchemaError) as error:
        problems.append(f"{file.name}: {error}")
print("\n".join(problems), end="")
sys.exit(1 if problems else 0)
