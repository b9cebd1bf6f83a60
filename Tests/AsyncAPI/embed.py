#!/usr/bin/env python3
"""Writes Sources/CSchemas/schemas.c, from which `stridebus schema` prints; with --check, says whether it is what would be
written."""

import pathlib
import sys

import yaml

root = pathlib.Path(__file__).resolve().parents[2]
schemas = root / "schemas"
target = root / "Sources" / "CSchemas" / "schemas.c"
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


out = [
    "// Generated from schemas/asyncapi.yaml by Tests/AsyncAPI/embed.py: edit that, and run it.\n\n",
    '#include "schemas.h"\n\n',
    "static const struct stridebus_topic topics[] = {\n",
]
for address, found in channels():
    out.append(f'    {{"{address}", "{" ".join(found)}"}},\n')
out.append("    {0, 0},\n};\n\nstatic const struct stridebus_schema files[] = {\n")
for file in sorted(list(schemas.glob("*.schema.json")) + [schemas / name for name in ("asyncapi.yaml", "roles.json", "stridebus.proto")]):
    out.append(f'    {{"{file.name}", (const unsigned char[]){{\n#embed "../../schemas/{file.name}"\n    , 0}}}},\n')
out.append("    {0, 0},\n};\n\n")
out.append("const struct stridebus_topic *stridebus_topics(void) { return topics; }\n")
out.append("const struct stridebus_schema *stridebus_schemas(void) { return files; }\n")
text = "".join(out)
if "--check" in sys.argv:
    if not target.is_file() or target.read_text() != text:
        print(f"{target.relative_to(root)} is not what Tests/AsyncAPI/embed.py writes: run it")
        sys.exit(1)
else:
    target.write_text(text)
