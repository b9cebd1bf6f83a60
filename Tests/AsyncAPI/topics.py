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
`{root}` is `stride` unless configured. "In" is what stridebus receives, "out" what it sends.

| topic | direction | QoS | retained | payload | what |
|---|---|--:|---|---|---|
"""

# What one word means wherever stridebus sends it.
WORDS = [
    ("`t`", "when what the message says was so: of a live value by the device's time, of totals, health and audit by the sender's"),
    (
        "`from`, `to`, `start`, `end`, `since`, …`_t`",
        "an instant: a number, seconds since 1970 (UTC). Requests take ISO 8601 text too, because people type them; what comes "
        "back is for programs, and of one form",
    ),
    ("`date`", "a local day, `2026-11-20`"),
    (
        "`steps`, `revolutions`, `distance_m`",
        "a sum: for ever on `cadence`, `steps` and `total`, else of the day, interval, bucket or segment; a difference is `new_…`",
    ),
    ("`cadence_rpm`, `cadence_spm`", "turns or steps a minute; over a time `cadence_avg_…`, `_min_…`, `_max_…`, `_now_…`"),
    ("`bpm`, `watts`", "heart beats a minute, and watts; over a time `heart_avg_bpm`, `heart_max_bpm`, `power_avg_w`, `power_max_w`, `work_kj`"),
    ("`speed_m_per_s`, `pace_s_per_m`", "SI, as every unit but a minute's turns and steps: times 3.6 for km/h, 1000 / 60 for min/km"),
    ("`activity`", "what the wearer does: unknown, stationary, walking, running, cycling, automotive"),
    ("`confidence`", "a probability, 0 to 1: below 0.6 a guess, from 0.9 on sure"),
    ("a list", "a JSON array, of whatever it is"),
]

# What was called otherwise, or has gone, for who has a program of before.
FORMER = [
    ("`cadence`: `rpm`, `spm`", "`cadence_rpm`, `cadence_spm`"),
    ("`cadence`: `state`", "`activity`"),
    ("`cadence`: `speed_kmh`; `history/interval`: `speed_avg_kmh`, `speed_now_kmh`", "`speed_m_per_s`, `speed_avg_m_per_s`, `speed_now_m_per_s`"),
    ("`steps`: `total`, and `steps` since the message before", "`steps` for ever, and `new_steps`"),
    ("`activity`, `history/activity`: `confidence` as `low`, `medium`, `high`", "a number: low is below 0.6, high from 0.9 on"),
    ("`activity`: `t`, which was `since` again", "`t`: when activity and confidence were so"),
    ("`day` and `total` without a time", "`t`: when history had counted so much"),
    ("`health`: `sensors` as `acc,gyro`", "`[\"acc\",\"gyro\"]`"),
    ("`capabilities`: `not_authorised`; `service/network/health`: `logins_refused_from`, with commas", "arrays"),
    ("`service/history/audit`: `from`, with commas", "`addresses`, an array"),
    ("the errors `unknown_device` and `expired`", "gone: they were never sent. A request whose `deadline` is over gets no answer"),
    ("`stridebus count`: `mean_rpm`, `rpm`, `spm`", "`cadence_avg_rpm`, `cadence_rpm`, `cadence_spm`"),
    ("`$id`s at a host that is none", "a schema's file name: `cadence.schema.json`"),
    (
        "`request/live/start`, `request/live/stop`",
        "`{device}/steps` has `steps`, `{device}/cadence` has `revolutions`: count every *n* from these, as `StrideClient` and "
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
        "a device or user called `person`, `wall` or `class`", "another name: it is a level of the bus",
    ),
    (
        "what a viewer read of `{device}/day`, `steps`, `activity` and `status`, and asked of history",
        "`wall`, retained, with today's counts of bikes and of people with an alias; `{device}/cadence` as before",
    ),
    ("`wall` of `request/people/configure`, `request/people` and their replies", "an `alias` is on the wall, and no `alias` is not"),
    ("`request/people/configure` without an `alias`, which was refused", "taken, where it says a goal or `week_starts`: what is not said stays"),
    ("`pauses` of a workout without any, an empty list", "no `pauses`"),
    ("another's workout by its id, `not_authorised` to a member", "`not_available`, as one that there is not"),
    ("weeks of `history/series` that begin on Monday everywhere", "as the person says in `week_starts`, else as in the country of the zone"),
    ("`service/history/health`: `requests_rows`, `dearest_…_rows`, `months_dropped`", "gone: `requests_ms` and `dearest_…_ms` tell what answers cost"),
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
text += "\n## Words\n\nWhat stridebus sends has one word and one scale for each thing; what devices send stays as they send it.\n"
text += "\n| word | means |\n|---|---|\n" + "".join(f"| {word} | {meaning} |\n" for word, meaning in WORDS)
text += "\n## Old and new\n\n| old | new |\n|---|---|\n" + "".join(f"| {old} | {new} |\n" for old, new in FORMER)
if "--check" in sys.argv:
    if not page.is_file() or page.read_text() != text:
        print(f"{page.relative_to(root)} is not what Tests/AsyncAPI/topics.py writes: run it")
        sys.exit(1)
else:
    page.parent.mkdir(exist_ok=True)
    page.write_text(text)
