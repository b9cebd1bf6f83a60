#!/usr/bin/env python3
"""Prints each request of schemas/asyncapi.yaml with the files of its reply's data, a line each."""

import pathlib

import yaml

root = pathlib.Path(__file__).resolve().parents[2]
document = yaml.safe_load((root / "schemas" / "asyncapi.yaml").read_text())


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


for operation in document["operations"].values():
    address = document["channels"][name(operation["channel"])]["address"]
    if address.startswith("{root}/request/"):
        data = set(files(document["channels"][name(operation["reply"]["channel"])])) - {"reply.schema.json"}
        print(address.removeprefix("{root}/request/"), *sorted(data))
