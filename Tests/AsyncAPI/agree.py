#!/usr/bin/env python3
"""Reads lines `[schema's name, document]` of a file and answers each with `true` or `false`: whether the document keeps to the
schema, in the judgement of Python's jsonschema."""

import json
import pathlib
import sys

import jsonschema

folder = pathlib.Path(__file__).resolve().parents[2] / "schemas"
schemas = {path.name: json.loads(path.read_text()) for path in folder.glob("*.schema.json")}


def whole(node):
    """A schema with those that it refers to in their places."""
    if isinstance(node, dict):
        return whole(schemas[node["$ref"]]) if "$ref" in node else {key: whole(value) for key, value in node.items()}
    return [whole(value) for value in node] if isinstance(node, list) else node


validators = {}
for line in pathlib.Path(sys.argv[1]).read_text().splitlines():
    name, document = json.loads(line)
    if name not in validators:
        validators[name] = jsonschema.Draft7Validator(whole(schemas[name + ".schema.json"]))
    print("true" if validators[name].is_valid(document) else "false")
