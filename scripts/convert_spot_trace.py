#!/usr/bin/env python3
"""Turns a published record of machines that come and go into a preemption CSV (docs/scenarios.md).

    convert_spot_trace.py aws-p3.csv --source "github.com/... at ..." > scenarios/traces/NAME.csv
    convert_spot_trace.py zones.csv --column us-east-1a --start 1008300 --duration 21600
    convert_spot_trace.py counts.txt --longest-gap 3600

It tells the form of the record by its content:

    {"metadata": {"gap_seconds": 300}, "data": [4, 3, ...]}   a count every gap_seconds (skypilot-org/spot-traces)
    [{"Time": 63, "GPUs": 4}, ...]                            seconds and a count (Sailor)
    480000,add,node1                                          milliseconds, add or remove, a machine (Bamboo)
    2021-12-11, 11:11:30, 55                                  date, time and a count (Bamboo)
    21529,4                                                   a time and a count (Bamboo); --unit h for hours
    seconds,us-east-1a,us-east-1c                             a header, then seconds and a count for each zone

The CSV has a row for each change, from second 0 of the section, and a last row at its end. Exit status 2, with the
line, where the record is of no such form, a count is missing or below 0, a time does not rise, no count is there for
longer than --longest-gap, or the section lies outside of it.
"""

import argparse
import datetime
import json
import pathlib
import statistics
import sys

UNITS = {"ms": 0.001, "s": 1, "min": 60, "h": 3600}
GAPS = 10  # a gap: so many times as long as the record's median step


def fail(what):
    print(f"convert_spot_trace.py: {what}", file=sys.stderr)
    sys.exit(2)


def whole(text, where):
    try:
        count = int(text)
    except (TypeError, ValueError):
        fail(f"{where}: {text!r} is no whole number; it must say how many machines there are")
    if count < 0 or count != float(text):
        fail(f"{where}: {text!r} is no whole number from 0")
    return count


def seconds(text, where, unit="s"):
    try:
        return float(text) * UNITS[unit]
    except (TypeError, ValueError):
        fail(f"{where}: {text!r} is no time; it must be a number")


class Record:
    """Points (seconds, count), and whether counts were taken all the time, so that a gap shows."""

    def __init__(self, points, end, sampled):
        self.points, self.end, self.sampled = points, end, sampled


def of_json(path, text):
    try:
        data = json.loads(text)
    except ValueError as error:
        fail(f"{path}: {error}")
    if isinstance(data, list):
        rows = list(enumerate(data))
        if not all(isinstance(row, dict) and {"Time", "GPUs"} <= row.keys() for _, row in rows):
            fail(f"{path}: an element has no Time or no GPUs")
        points = [(seconds(row["Time"], f"{path}: [{k}]"), whole(row["GPUs"], f"{path}: [{k}]")) for k, row in rows]
        return Record(points, points[-1][0] if points else 0, True)
    try:
        gap, counts = data["metadata"]["gap_seconds"], data["data"]
    except (KeyError, TypeError) as error:
        fail(f"{path}: no metadata.gap_seconds and data: {error!r}")
    if not isinstance(gap, (int, float)) or gap <= 0:
        fail(f"{path}: metadata.gap_seconds is {gap!r}; it must be a number above 0")
    points = [(place * gap, whole(count, f"{path}: data[{place}]")) for place, count in enumerate(counts)]
    return Record(points, len(counts) * gap, True)


def of_events(path, rows):
    there, points = set(), {0.0: 0}
    for line, (time, what, machine) in rows:
        at = f"{path}:{line}"
        if what == "add" and machine not in there:
            there.add(machine)
        elif what == "remove" and machine in there:
            there.remove(machine)
        else:
            fail(f"{at}: {what} of {machine}, which is {'' if machine in there else 'not '}there; write add or remove")
        points[seconds(time, at, "ms")] = len(there)
    return Record(list(points.items()), max(points), False)


def of_clock(path, rows):
    points = []
    for line, (day, time, count) in rows:
        try:
            at = datetime.datetime.fromisoformat(f"{day} {time}").timestamp()
        except ValueError as error:
            fail(f"{path}:{line}: {error}")
        points.append((at, whole(count, f"{path}:{line}")))
    return Record([(at - points[0][0], count) for at, count in points], points[-1][0] - points[0][0], True)


def of_steps(path, rows, unit):
    points = {seconds(time, f"{path}:{line}", unit): whole(count, f"{path}:{line}") for line, (time, count) in rows}
    return Record(list(points.items()), max(points), False)


def of_table(path, rows, column):
    header = rows[0][1]
    if column not in header[1:]:
        fail(f"{path}:1: {column or 'no column'} is asked for; write --column and one of {', '.join(header[1:])}")
    place = header.index(column)
    points = []
    for line, cells in rows[1:]:
        points.append((seconds(cells[0], f"{path}:{line}"), whole(cells[place], f"{path}:{line}")))
    if not points:
        fail(f"{path}: no rows below the header")
    return Record(points, points[-1][0], False)


def read_record(path, unit, column):
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        fail(f"{path}: {error}")
    if text.lstrip()[:1] in ("{", "["):
        return of_json(path, text)
    rows = [(k, [cell.strip() for cell in line.split(",")]) for k, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not rows:
        fail(f"{path}: it is empty")
    for line, cells in rows:
        if len(cells) != len(rows[0][1]) or "" in cells:
            fail(f"{path}:{line}: {len(cells)} cells, of which {cells.count('')} are empty; the first row has "
                 f"{len(rows[0][1])}")
    first = rows[0][1]
    if first[0] == "seconds":
        return of_table(path, rows, column)
    if len(first) == 3 and "-" in first[0]:
        return of_clock(path, rows)
    if len(first) == 3:
        return of_events(path, rows)
    if len(first) == 2:
        return of_steps(path, rows, unit)
    return fail(f"{path}:1: {','.join(first)!r} is the first row of no form that is known; --help shows them")


def check(path, record, longest_gap):
    if not record.points:
        fail(f"{path}: it has no counts")
    steps = [(after - before, before) for (before, _), (after, _) in zip(record.points, record.points[1:])]
    for step, before in steps:
        if step <= 0:
            fail(f"{path}: the time after {before:g} s does not rise")
    if not record.sampled or not steps:
        return
    limit = longest_gap or GAPS * statistics.median(step for step, _ in steps)
    for step, before in steps:
        if step > limit:
            fail(f"{path}: no count for {step:g} s from second {before:g} on, and {limit:g} s are allowed; write "
                 "--start and --duration of a section without that gap, or --longest-gap to let the last count hold")


def cut(path, record, start, duration):
    """The section's points, from its second 0, and its length."""
    end = record.end if duration is None else start + duration
    if start < 0 or start >= end or end > record.end:
        fail(f"{path}: the section is from second {start:g} to {end:g}, the record from 0 to {record.end:g}")
    before = [count for time, count in record.points if time <= start]
    if not before:
        fail(f"{path}: its first time is {record.points[0][0]:g} s; write a --start from there on")
    points = [(0.0, before[-1])]
    points += [(time - start, count) for time, count in record.points if start < time <= end]
    return Record(points, end - start, record.sampled)


def changes(record):
    """The rows of the CSV: the changes, and one at the end."""
    previous = None
    for time, count in record.points:
        if count != previous or time == record.end:
            yield time, count
        previous = count
    if record.points[-1][0] < record.end:
        yield record.end, previous


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace", type=pathlib.Path)
    parser.add_argument("--start", type=float, default=0, metavar="SECONDS", help="where the section begins [0]")
    parser.add_argument("--duration", type=float, metavar="SECONDS", help="how long it is [to the end]")
    parser.add_argument("--column", metavar="ZONE", help="of a record of several zones, the one to take")
    parser.add_argument("--unit", choices=UNITS, default="s", help="of the times of a record of times and counts [s]")
    parser.add_argument("--longest-gap", type=float, metavar="SECONDS",
                        help=f"without a count, the last one holding [{GAPS} median steps of the record]")
    parser.add_argument("--source", metavar="TEXT", help="goes into the CSV as a comment")
    arguments = parser.parse_args()
    record = read_record(arguments.trace, arguments.unit, arguments.column)
    # A gap outside of the section is no gap of it.
    section = cut(arguments.trace, record, arguments.start, arguments.duration)
    check(arguments.trace, section, arguments.longest_gap)
    column = f", {arguments.column}" if arguments.column else ""
    print(f"# Machines of a spot pool: {arguments.trace.name}{column}, seconds {arguments.start:.12g} to "
          f"{arguments.start + section.end:.12g}.")
    print(f"# {'From ' + arguments.source + '; ' if arguments.source else ''}README.md says more.")
    print("time_s,available")
    for time, count in changes(section):
        print(f"{time:.12g},{count}")


if __name__ == "__main__":
    main()
