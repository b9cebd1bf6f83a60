#!/usr/bin/env python3
"""The bench's job as people write it in Python: paho-mqtt 2, JSON, a counter on one axis with NumPy, SQLite.

pipeline.py PORT DATABASE FRAMES [durable]: counts that many frames and says when the last one was committed. Rows are
committed once a second. paho-mqtt acknowledges a frame before that, so that a crash loses up to a second. With `durable`
a frame is acknowledged after its rows are committed, so that a crash loses nothing, and counts some frames twice.
"""
import json
import sqlite3
import sys
import time

import numpy
from paho.mqtt import client as mqtt

port, path, wanted = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
durable = sys.argv[4:] == ["durable"]
database = sqlite3.connect(path)
database.executescript(
    """PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE minutes (device TEXT, minute INTEGER, count INTEGER, PRIMARY KEY (device, minute)) WITHOUT ROWID;"""
)

# Of each device: the slow mean of the axis (gravity), and on which side of it the signal was.
means: dict[str, float] = {}
sides: dict[str, int] = {}
changes: dict[tuple[str, int], int] = {}
threshold = 0.4  # m/s²
# The packet identifiers of frames whose rows are not committed.
unacknowledged: list[int] = []
received = 0
committed = time.monotonic()


def count(device: str, frame: dict) -> None:
    axis = numpy.asarray(frame["acc"], dtype=numpy.float32)[:, 2]
    mean = means.get(device, float(axis.mean()))
    means[device] = mean + 0.1 * (float(axis.mean()) - mean)
    marks = numpy.where(axis > mean + threshold, 1, numpy.where(axis < mean - threshold, -1, 0))
    marks = marks[marks != 0]
    if len(marks) == 0:
        return
    before = sides.get(device, -1)
    rises = int(numpy.count_nonzero((marks[1:] == 1) & (marks[:-1] == -1))) + int(marks[0] == 1 and before == -1)
    sides[device] = int(marks[-1])
    if rises:
        minute = int(frame["t"] // 60)
        changes[device, minute] = changes.get((device, minute), 0) + rises


def commit() -> None:
    global committed
    with database:
        database.executemany(
            "INSERT INTO minutes VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count",
            [(device, minute, number) for (device, minute), number in changes.items()],
        )
    changes.clear()
    for identifier in unacknowledged:
        client.ack(identifier, 1)
    unacknowledged.clear()
    committed = time.monotonic()


def on_message(client, _, message):
    global received
    count(message.topic.split("/")[1], json.loads(message.payload))
    if durable:
        unacknowledged.append(message.mid)
    received += 1
    if received == wanted:
        commit()
        print(json.dumps({"end": committed, "received": received}), flush=True)
        client.disconnect()
    elif time.monotonic() - committed >= 1:
        commit()


client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="python", manual_ack=durable)
client.on_message = on_message
client.on_connect = lambda client, *_: client.subscribe("stride/+/imu", qos=1)
client.on_subscribe = lambda *_: print("ready", file=sys.stderr, flush=True)
client.max_inflight_messages_set(65535)
client.connect("127.0.0.1", port)
client.loop_forever()
