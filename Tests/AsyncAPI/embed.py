#!/usr/bin/env python3
"""Writes Sources/stridebus/Schema/SchemaTexts.swift, which `stridebus schema` prints from; with --check, says whether it
is what would be written."""

import json
import pathlib
import sys

import yaml

root = pathlib.Path(__file__).resolve().parents[2]
schemas = root / "schemas"
target = root / "Sources" / "stridebus" / "Schema" / "SchemaTexts.swift"
document = yaml.safe_load((schemas / "asyncapi.yaml").read_text())


def name(reference):
    return reference["$ref"].rsplit("/", 1)[1]


def references(node):
    """The files that a payload refers to, itself or in what it is put together from."""
    if isinstance(node, dict):
        if str(node.get("$ref", "")).startswith("./"):
            yield node["$ref"].removeprefix("./")
        node = list(node.values())
    for value in node if isinstance(node, list) else []:
        yield from references(value)


def files(channel):
    for message in channel.get("messages", {}).values():
        yield from references(document["components"]["messages"][name(message)].get("payload", {}))


def channels():
    for operation in document["operations"].values():
        channel = document["channels"][name(operation["channel"])]
        found = list(files(channel))
        if "reply" in operation:
            found += ["reply.schema.json"] + list(files(document["channels"][name(operation["reply"]["channel"])]))
        address = channel["address"].removeprefix("{root}/")
        yield address, list(dict.fromkeys(found))


def literal(text):
    return '#"""\n' + text.rstrip("\n") + '\n"""#'


out = [
    "// Generated from schemas/ by Tests/AsyncAPI/embed.py: edit those, and run it.\n",
    "// swift-format-ignore-file\n\n",
    "/// The contract, as `stridebus schema` prints it.\n",
    "enum SchemaTexts {\n",
    "/// The topics below the root, with the files of their payloads; those of replies come last.\n",
    "static let topics: [(address: String, files: [String])] = [\n",
]
for address, found in channels():
    out.append(f'("{address}", [{", ".join(chr(34) + file + chr(34) for file in found)}]),\n')
out.append("]\n\n/// The files by their names.\nstatic let files: [String: String] = [\n")
for file in sorted(list(schemas.glob("*.schema.json")) + [schemas / "asyncapi.yaml", schemas / "stridebus.proto"]):
    text = file.read_text()
    text = json.dumps(json.loads(text), ensure_ascii=False) if file.suffix == ".json" else text
    out.append(f'"{file.name}": {literal(text)},\n')
out.append("]\n}\n")
text = "".join(out)
if "--check" in sys.argv:
    if not target.is_file() or target.read_text() != text:
        print(f"{target.relative_to(root)} is not what Tests/AsyncAPI/embed.py writes: run it")
        sys.exit(1)
else:
    target.parent.mkdir(exist_ok=True)
    target.write_text(text)
