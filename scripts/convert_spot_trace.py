#!/usr/bin/env python3
"""Turns a trace of github.com/skypilot-org/spot-traces into a preemption CSV (docs/scenarios.md).

    convert_spot_trace.py TRACE.json --start 1008300 --duration 21600 > scenarios/traces/NAME.csv

A trace counts the machines of one pool every `gap_seconds`. The CSV has a row for each change, from second 0 of the
section. Exit status 2 where the trace is not of that form or the section lies outside of it.
"""

import argparse
import json
import pathlib
import sys


def fail(what):
    print(f"convert_spot_trace.py: {what}", file=sys.stderr)
    sys.exit(2)


def read_trace(path):
    try:
        trace = json.loads(path.read_text(encoding="utf-8"))
        gap = trace["metadata"]["gap_seconds"]
        counts = trace["data"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        fail(f"{path}: no spot trace with metadata.gap_seconds and data: {error!r}")
    if not isinstance(gap, (int, float)) or gap <= 0:
        fail(f"{path}: metadata.gap_seconds is {gap!r}; it must be a number above 0")
    for place, count in enumerate(counts):
        if not isinstance(count, int) or count < 0:
            fail(f"{path}: data[{place}] is {count!r}; it must be a whole number from 0")
    return gap, counts


def changes(counts, gap):
    previous = None
    for place, count in enumerate(counts):
        if count != previous:
            yield place * gap, count
        previous = count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace", type=pathlib.Path)
    parser.add_argument("--start", type=float, default=0, metavar="SECONDS", help="where the section begins [0]")
    parser.add_argument("--duration", type=float, metavar="SECONDS", help="how long it is [to the end]")
    arguments = parser.parse_args()
    gap, counts = read_trace(arguments.trace)
    first = round(arguments.start / gap)
    last = len(counts) if arguments.duration is None else first + round(arguments.duration / gap)
    if first < 0 or first >= last or last > len(counts):
        fail(f"{arguments.trace}: the section ends at {last * gap} s, the trace at {len(counts) * gap} s")
    print(f"# Machines of one AWS spot pool: {arguments.trace.name}, seconds {first * gap} to {last * gap}.")
    print("# From github.com/skypilot-org/spot-traces; README.md says more.")
    print("time_s,available")
    for time, count in changes(counts[first:last], gap):
        print(f"{time:g},{count}")


if __name__ == "__main__":
    main()
