#!/usr/bin/env python3
"""Writes docs/topics.md from schemas/asyncapi.yaml; with --check, says whether it is what would be written."""

import pathlib
import sys

import yaml

root = pathlib.Path(__file__).resolve().parents[2]
page = root / "docs" / "topics.md"
document = yaml.safe_load((root / "schemas" / "asyncapi.yaml").read_text())

HEAD = """# Topics

Generated from [`schemas/asyncapi.yaml`](../schemas/asyncapi.yaml), which says more, by `Tests/AsyncAPI/topics.py`.
`{root}` is `stride` unless configured. "In" is what stridebus receives, "out" what it sends. `stridebus schema TOPIC`
prints the schema of a topic's payload.

| topic | direction | QoS | retained | payload | what |
|---|---|--:|---|---|---|
"""

# What was called otherwise, or has gone, for who has a program of before.
FORMER = [
    (
        "`request/live/start`, `request/live/stop`",
        "`{device}/steps` has `total`, `{device}/cadence` has `revolutions`: count every *n* from these, as `StrideClient` and "
        "`watch --every` do",
    ),
    (
        "`service/history/audit`, retained, with the `entries` of a day",
        "one message for each thing that was done, not retained; history's log has them too",
    ),
    ("`compact`, `max_bytes` of a request", "a reply has 1,500 rows at most and a `cursor`; ask for fewer with `limit`"),
    (
        "`service/{service}/call`, `service/counter/{instance}/partitions`",
        "gone: one history answers, and a counter's partitions are those that it was started with",
    ),
    (
        "`request/people` with a `person`, and its `by_source`",
        "`history/days`, `history/interval`, `history/series` and `history/activity` take a `person` in place of a `device`; "
        "today's and all-time totals are retained on `person/{person}/day` and `…/total`",
    ),
    (
        "a device or user called `person`", "another name: it is a level of the bus",
    ),
]


def name(reference):
    return reference["$ref"].rsplit("/", 1)[1]


def payloads(channel):
    links = []
    for message in channel.get("messages", {}).values():
        payload = document["components"]["messages"][name(message)].get("payload", {})
        file = payload.get("schema", {}).get("$ref", "").removeprefix("./")
        text = document["components"]["messages"][name(message)]["title"].lower()
        links.append(f"[{text}](../schemas/{file})" if file else text)
    return ", ".join(links)


def rows():
    for operation in document["operations"].values():
        channel = document["channels"][name(operation["channel"])]
        binding = operation["bindings"]["mqtt"]
        what = " ".join(operation["summary"].split())
        payload = payloads(channel)
        if "reply" in operation:
            answer = payloads(document["channels"][name(operation["reply"]["channel"])])
            payload += f" → {answer}"
        yield [
            f"`{channel['address']}`", {"receive": "in", "send": "out"}[operation["action"]], str(binding["qos"]),
            "yes" if binding["retain"] else "no", payload, what,
        ]


text = HEAD + "".join("| " + " | ".join(row) + " |\n" for row in rows())
text += "\n## Old and new\n\n| old | new |\n|---|---|\n" + "".join(f"| {old} | {new} |\n" for old, new in FORMER)
if "--check" in sys.argv:
    if not page.is_file() or page.read_text() != text:
        print(f"{page.relative_to(root)} is not what Tests/AsyncAPI/topics.py writes: run it")
        sys.exit(1)
else:
    page.parent.mkdir(exist_ok=True)
    page.write_text(text)
