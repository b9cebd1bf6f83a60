"""Reads the files of FITSamples with Garmin's SDK and with fitdecode, and has FITSamples read files of the SDK."""

import calendar
import datetime
import json
import pathlib
import subprocess
import sys

import fitdecode
import garmin_fit_sdk as garmin

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
UTC = datetime.timezone.utc


def seconds(time):
    """Seconds since 1970 of what a reader gives as a time."""
    return int(time.timestamp()) if time.tzinfo else calendar.timegm(time.timetuple())


def by_garmin(path):
    """The messages by their names, as the SDK reads them."""
    decoder = garmin.Decoder(garmin.Stream.from_file(path))
    assert decoder.is_fit() and decoder.check_integrity(), path
    messages, errors = garmin.Decoder(garmin.Stream.from_file(path)).read()
    assert not errors, (path, errors)
    return {name.removesuffix("_mesgs"): found for name, found in messages.items()}


def by_fitdecode(path):
    """The same by fitdecode, whose checks of the checksum and of the profile raise errors."""
    found = {}
    with fitdecode.FitReader(
        path, check_crc=fitdecode.CrcCheck.RAISE, error_handling=fitdecode.ErrorHandling.RAISE
    ) as reader:
        for frame in reader:
            if frame.frame_type == fitdecode.FIT_FRAME_DATA:
                fields = {field.name: field.value for field in frame.fields if field.value is not None}
                found.setdefault(frame.name, []).append(fields)
    return found


def close(name, found, expected, tolerance):
    assert found is not None and abs(found - expected) <= tolerance, (name, found, expected)


def check(messages, expected, path, reader):
    (session,), (lap,), (activity,) = (messages[kind] for kind in ("session", "lap", "activity"))
    records, events = messages["record"], messages["event"]
    assert messages["file_id"][0]["type"] == "activity"
    assert messages["file_id"][0]["serial_number"] == messages["device_info"][0]["serial_number"]
    assert [message["wkt_name"] for message in messages.get("workout", [])] == ([expected["title"]] if "title" in expected else [])
    assert messages["device_info"][0]["product_name"] == "bike-07"
    assert (session["sport"], session["sub_sport"]) == (expected["sport"], expected["sub_sport"]), session
    start = expected["start"]
    end = start + int(expected["total_elapsed_time"])
    assert seconds(session["start_time"]) == start and seconds(session["timestamp"]) == end
    assert seconds(activity["timestamp"]) == end
    local = activity["local_timestamp"]
    local = local + 631065600 if isinstance(local, int) else seconds(local)
    assert local - end == expected["utc_offset_s"], (path, activity)

    # Numbers of strides are half of those of steps.
    share = 1 if expected["sport"] == "cycling" else 0.5
    for summary in (session, lap):
        for name in ("total_elapsed_time", "total_timer_time", "total_moving_time", "total_distance", "total_work"):
            if name in expected:
                close(name, summary.get(name), expected[name], 0.5 if name == "total_work" else 0.005)
            else:
                assert name not in summary, (name, summary)
        if "total_calories" in expected:
            close("total_calories", summary["total_calories"], expected["total_calories"], 0.5)
        if "count" in expected:
            # The profile has one number under several names, by the sport.
            names = ("total_cycles", "total_strides", "total_strokes")
            cycles = next(summary[name] for name in names if name in summary)
            close("count", cycles + summary.get("total_fractional_cycles", 0), expected["count"] * share, 0.005)
        for name, key, tolerance in (
            ("cadence", "cadence", 0.005),
            ("power", "power", 0.5),
            ("heart_rate", "heart_rate", 0.5),
            ("speed", "enhanced_{}_speed", 0.0005),
        ):
            for index, which in enumerate(("avg", "max")):
                field = key.format(which) if "{}" in key else f"{which}_{key}"
                found = summary.get(field)
                if name == "cadence":
                    if found is None:
                        found = summary.get(f"{which}_running_cadence")
                    if found is not None:
                        found += summary.get(f"{which}_fractional_cadence", 0)
                if name in expected:
                    close(field, found, expected[name][index] * (share if name == "cadence" else 1), tolerance)
                else:
                    assert found is None, (field, found)

    assert seconds(lap["start_time"]) == start and seconds(lap["timestamp"]) == end
    assert session["num_laps"] == 1 and lap["message_index"] == 0

    # A record a second while the timer runs, whose way grows to that of the session.
    times = [seconds(record["timestamp"]) for record in records]
    assert len(records) == expected["records"] and times == sorted(set(times))
    assert not any(first <= time < last for time in times for first, last in expected["pauses"])
    if "total_distance" in expected:
        ways = [record["distance"] for record in records]
        assert ways == sorted(ways)
        close("distance", ways[-1], session["total_distance"], 0.02)
    timer = [(seconds(event["timestamp"]), event["event_type"]) for event in events if event["event"] == "timer"]
    stops = [bound for pause in expected["pauses"] for bound in pause]
    assert [time for time, _ in timer] == [start, *stops, end], timer
    assert all(kind == ("stop_all" if index % 2 else "start") for index, (_, kind) in enumerate(timer)), timer
    for name, channel in (("power", "power"), ("heart_rate", "heart_rate")):
        assert (name in expected) == any(channel in record for record in records), (name, path)


def check_written():
    names = sorted(folder.glob("*.fit"))
    assert names
    for path in names:
        expected = json.loads(path.with_suffix(".json").read_text())
        for reader in (by_garmin, by_fitdecode):
            check(reader(str(path)), expected, path.name, reader.__name__)
        size = path.stat().st_size / expected["total_elapsed_time"]
        assert size <= 20, (path, size)
        print(f"{path.stem}: {path.stat().st_size} bytes, {size:.1f} a second")


def ours(path):
    """The seconds that FITSamples reads in a file."""
    lines = subprocess.run([program, "read", str(path)], check=True, capture_output=True, text=True).stdout.splitlines()
    number = lambda word: None if word == "-" else int(word)
    found = {}
    for time, kind, cadence, watts, bpm in (line.split() for line in lines[1:]):
        # Of a pause nothing is known.
        if (cadence, watts, bpm) == ("-", "-", "-"):
            continue
        found[int(time)] = (kind, number(cadence), number(watts), number(bpm))
    return lines[0].split()[1], found


def check_read():
    """A file of the SDK's own encoder: a ride and a walk, with a field of a developer and a gap."""
    encoder = garmin.Encoder(
        field_descriptions={
            0: {
                "developer_data_id_mesg": {"developer_data_index": 0, "application_id": list(range(16))},
                "field_description_mesg": {
                    "developer_data_index": 0,
                    "field_definition_number": 1,
                    "fit_base_type_id": 134,
                    "field_name": "mood",
                    "units": "-",
                },
            }
        }
    )
    number = garmin.Profile["mesg_num"]
    start = datetime.datetime(2026, 3, 29, 0, 50, tzinfo=UTC)
    at = lambda index: start + datetime.timedelta(seconds=index)
    encoder.write_mesg(
        {"mesg_num": number["FILE_ID"], "type": "activity", "manufacturer": "garmin", "serial_number": 4000000007,
         "time_created": start}
    )
    expected = {}
    base = int(start.timestamp())
    for index in range(1200):
        if 300 <= index < 360:
            continue
        record = {"mesg_num": number["RECORD"], "timestamp": at(index), "heart_rate": 100 + index % 60}
        walks = index >= 600
        record["cadence"] = 55 if walks else 80 + index % 9
        if index % 3:
            record["power"] = 180 + index % 11
        if index % 100 == 0:
            record["developer_fields"] = {0: index}
        encoder.write_mesg(record)
        expected[base + index] = (
            "steps" if walks else "revolutions", 110 if walks else record["cadence"], record.get("power"),
            record["heart_rate"],
        )
    for first, last, sport in ((0, 599, "cycling"), (600, 1199, "walking")):
        encoder.write_mesg(
            {"mesg_num": number["SESSION"], "timestamp": at(last), "start_time": at(first), "sport": sport}
        )
    path = folder / "garmin.fit"
    path.write_bytes(bytes(encoder.close()))
    serial, found = ours(path)
    assert serial == "4000000007"
    assert found == expected, next(
        (time, found.get(time), expected.get(time)) for time in sorted(found.keys() | expected.keys())
        if found.get(time) != expected.get(time)
    )
    print(f"{path.stem}: {len(found)} seconds read as the SDK wrote them")


check_written()
check_read()
