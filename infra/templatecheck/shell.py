"""The shell of documents, as far as finding its commands takes."""

import re

# In place of what the shell puts in: any text will do for names, and a number where one is wanted.
FILLED = "filled"


def blocks(text):
    """The lines of each fenced block of shell, and each inline code: the line on which it begins, its text, and whether it is whole."""
    inside, start, lines = False, 0, []
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*```", line):
            if inside:
                yield start, "\n".join(lines), True
            inside = not inside and line.strip() == "```sh"
            start, lines = number + 1, []
        elif inside:
            lines.append(line)
    outside = re.sub(r"(?ms)^\s*```.*?^\s*```$", lambda m: "\n" * m[0].count("\n"), text)
    for match in re.finditer(r"`((?:aws|sam|make|go run) [^`]+)`", outside):
        yield outside[: match.start()].count("\n") + 1, match[1], False


def commands(text):
    """Each simple command of a piece of shell, as words. What a command's output is put into stands behind it."""
    found = []
    parse(re.sub(r"<[a-z][^<>\n]*>", FILLED, text.replace("\\\n", " ")), 0, "", found)
    return found


def parse(text, i, end, found):
    """Reads commands from i up to an end that is no part of a word; returns where it is."""
    words, word = [], None

    def ended():
        nonlocal words, word
        if word is not None:
            words.append(word)
        word = None

    def done():
        nonlocal words
        ended()
        if words:
            found.append(words)
        words = []

    while i < len(text):
        c = text[i]
        if end and c == end:
            break
        if c == "#" and word is None:
            i = text.find("\n", i) if "\n" in text[i:] else len(text)
            continue
        if c == "'":
            close = text.find("'", i + 1)
            if close < 0:
                raise ValueError("a quote is not closed")
            word, i = (word or "") + text[i + 1 : close], close
        elif c == '"':
            i, inner = quoted(text, i + 1, found)
            word = (word or "") + inner
        elif text.startswith("$(", i):
            i = parse(text, i + 2, ")", found)
            word = (word or "") + FILLED
        elif c in " \t":
            ended()
        elif c in "\n;|&()<>":
            done()
        else:
            word = (word or "") + c
        i += 1
    else:
        if end:
            raise ValueError(f"{end} is missing")
    done()
    return i


def quoted(text, i, found):
    """Reads what stands between double quotes; returns where the closing one is, and the text."""
    out = ""
    while i < len(text) and text[i] != '"':
        if text[i] == "\\":
            out, i = out + text[i + 1], i + 1
        elif text.startswith("$(", i):
            out, i = out + FILLED, parse(text, i + 2, ")", found)
        else:
            out += text[i]
        i += 1
    if i >= len(text):
        raise ValueError("a quote is not closed")
    return i, out
