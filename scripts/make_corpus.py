#!/usr/bin/env python3
"""Makes scenarios/corpus/ from a folder of labelled documents.

    scripts/make_corpus.py FOLDER [--out scenarios/corpus]

FOLDER holds mixed-domains/DOMAIN.jsonl (one JSON object a line: domain, src, text) and, for the addresses of the
web pages, c4/c4_en_train.jsonl (text, url). Each domain becomes DOMAIN.jsonl.gz; the same input gives the same bytes.
What is left out, and why, is in scenarios/corpus/README.md.
"""

import argparse
import gzip
import json
import pathlib
import re
import sys

SHORTEST = 400  # characters: shorter documents hold little more than a router's prefix
LAST_YEAR = 1928  # of first publication: public domain in the United States
# Authors who died after 1953 or are unknown: not safely public domain where rights last 70 years after death.
LEFT_OUT_AUTHORS = {"Forster", "hesse", "mann", "anonym"}


def fiction(src, _text):
    author = src.split("_")[0]
    year = re.search(r"_(\d{4})\.txt$", src)
    if author in LEFT_OUT_AUTHORS or (year and int(year.group(1)) > LAST_YEAR):
        return None
    return src


def web_pages(folder):
    urls = {}
    for line in (folder / "c4" / "c4_en_train.jsonl").open(encoding="utf-8"):
        document = json.loads(line)
        urls[document["text"]] = document.get("url")
    return lambda _src, text: urls.get(text)  # a page without an address cannot be attributed: left out


def sources(folder):
    """Domain -> function of (src, text) that names a document's source, or None to leave the document out."""
    return {
        "code-cpp": lambda src, _text: src,
        "fiction-de": fiction,
        "fiction-en": fiction,
        "office-help-fr": lambda src, _text: src,
        "python-docs": lambda src, _text: src.split("_sources/")[-1],
        "web-c4": web_pages(folder),
        "wikipedia-en": lambda src, _text: "https://en.wikipedia.org/?curid=" + src,
    }


def convert(source, target, domain, name_of):
    seen, lines = set(), []
    for line in source.open(encoding="utf-8"):
        document = json.loads(line)
        text = document["text"]
        name = name_of(document["src"], text)
        if not name or len(text) < SHORTEST or text in seen:
            continue
        seen.add(text)
        lines.append(json.dumps({"text": text, "domain": domain, "src": name}, ensure_ascii=False) + "\n")
    data = "".join(lines).encode("utf-8")
    # No name and no time in the gzip header: the bytes depend on the text alone.
    with target.open("wb") as file, gzip.GzipFile(filename="", mode="wb", fileobj=file, compresslevel=9, mtime=0) as out:
        out.write(data)
    print(f"{target.name}: {len(lines)} documents, {len(data)} bytes of JSON, {target.stat().st_size} bytes packed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parent.parent / "scenarios" / "corpus")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    try:
        for domain, name_of in sources(options.folder).items():
            convert(options.folder / "mixed-domains" / f"{domain}.jsonl", options.out / f"{domain}.jsonl.gz", domain, name_of)
    except (OSError, KeyError, ValueError) as error:
        sys.exit(f"make_corpus.py: {error!r}; the folder's layout is at the top of this script")


if __name__ == "__main__":
    main()
