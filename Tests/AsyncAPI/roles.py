#!/usr/bin/env python3
"""Writes docs/roles.md from schemas/roles.json; with --check, says whether it is what would be written, and whether the
table names topics and requests that schemas/asyncapi.yaml has."""

import json
import pathlib
import re
import sys

import yaml

root = pathlib.Path(__file__).resolve().parents[2]
page = root / "docs" / "roles.md"
roles = json.loads((root / "schemas" / "roles.json").read_text())
document = yaml.safe_load((root / "schemas" / "asyncapi.yaml").read_text())
addresses = [channel["address"].removeprefix("{root}/") for channel in document["channels"].values() if channel.get("address")]
verbs = sorted({a.removeprefix("request/") for a in addresses if a.startswith("request/")})

HEAD = """# Who may do what

Generated from [`schemas/roles.json`](../schemas/roles.json) by `Tests/AsyncAPI/roles.py`. The access lists of Mosquitto
and RabbitMQ are made from the same table, and history answers by it. Topics are below the root; `%u` is the user's
own name, `%p` the id of the person that a member is and `{verb}` any request. What is not named is not allowed.

"""

SCOPES = {"own": "about itself", "all": "about everything"}

OWN = """
## What "about itself" means

A **device** asks about the device of its own name.

A **member** asks about the device of the own name, about the own person (the name of the user, or the one that the operator
gave with the role), and about any device for minutes in which it was checked in to that person: a stretch of time that is not
all theirs is refused, with the time that is. `people/checkin` takes only the own person, from now or up to 15 minutes ago; it
ends another's check-in only from now on, and never takes a device that its config, or another member's name, makes
somebody's own, nor more than eight devices at a time. `people/forget` takes the device of the own name too, as a whole,
whoever else was checked in on it; what others have of it stays theirs.
Of workouts a member is told those of the own person and of the device of the own name, and sets marks for these, not for a bike.
`devices/configure` and `devices/forget` take only the device of the own name, and its `person` can only be the
own.

## What the wall shows

`wall` has the devices that have counted today, by the day of their own zones: every bike, under its id, and every device of a
person with an alias (`people/configure`), under that, with what the person counted today. Who has no alias is not named, and
a phone or watch of theirs is not there; a bike that they ride is, as any bike. Who takes the alias away, is checked out or
forgotten is off the wall within a second. A viewer reads nothing else of people: no totals, no days before, and
history answers it nothing. To draw what moves now, the broker hands it the cadence of every device by the device's id, so give a
device that goes home with somebody an id that does not name them, unless they want to be seen.

`class`, the class that runs, has its riders under the same names by the same rule, with team, rank and what they are ranked by. Only an operator
begins and ends one, and reads those of before.
"""

BROKERS = """
## What each broker makes of it

Every role is tried on every topic, on Mosquitto in `deploy/test` (MQTT 5 and 3.1.1), on RabbitMQ by
`deploy/cluster/matrix` (3.1.1), which `deploy/test --whole` runs. What is allowed gets through, and nothing else arrives, on each
of them: published, retained, as a last will, or asked by another's name. What who is refused learns of it differs, because 3.1.1 has
no word for it:

| | Mosquitto 2.0 | RabbitMQ 3.10 |
|---|---|---|
| a message on a topic that is not the user's | acknowledged and dropped (MQTT 5: reason 0x87) | the connection is ended |
| a last will there | dropped | dropped |
| a subscription to more than the user may read | granted; what is not the user's is not delivered | the connection is ended |
| retained messages | to every subscription that may read them | only to a subscription without wildcards, on the node that got them |
"""


def code(items):
    return "<br>".join(f"`{item}`" for item in items) or "nothing"


def asks(rights):
    parts = []
    for scope, names in rights["ask"].items():
        parts.append(f"{SCOPES[scope]}: " + (", ".join(f"`{n}`" for n in names) if len(names) < len(verbs) else "every request"))
    return "; ".join(parts) or "nothing"


out = [HEAD, "| role | who | writes | reads | asks |\n|---|---|---|---|---|\n"]
for role, rights in roles.items():
    out.append(f"| {role} | {rights['who']}: {rights['may']} | {code(rights['write'])} | {code(rights['read'])} | {asks(rights)} |\n")
text = "".join(out) + OWN + BROKERS

problems = []
for role, rights in roles.items():
    for scope, names in rights["ask"].items():
        problems += [f"{role} asks {n}, which is no request" for n in names if n not in verbs]
    for line in rights["write"] + rights["read"]:
        # A wildcard or a name is any word of an address.
        form = re.escape(line).replace("%u", "[^/]+").replace("%p", "[^/]+").replace(r"\{verb\}", ".+").replace(r"\+", "[^/]+").replace(r"\#", ".*")
        known = line.startswith(("$", "reply/")) or any(re.fullmatch(form, address) for address in addresses)
        problems += [] if known else [f"{role}: no topic of asyncapi.yaml is like {line}"]
if "--check" in sys.argv:
    if not page.is_file() or page.read_text() != text:
        problems.append(f"{page.relative_to(root)} is not what Tests/AsyncAPI/roles.py writes: run it")
    print("\n".join(problems), end="\n" if problems else "")
    sys.exit(1 if problems else 0)
page.write_text(text)
