"""Rules about what is searched: who reaches segments, how long their bytes stay, and times and memory. Their faults beside them."""

import re

from access import grants, matches, names, patterns, registry, statement
from faults import Fault, allow, policy, props, put, uploads
from template import listed, named

FUNCTION = "AWS::Lambda::Function"
CHANGES = "changes"
PACKER = "PackRole"
READS = {"s3:GetObjectVersion"}
MERGES = {"s3:GetObject", "s3:PutObject", "s3:DeleteObject"}
# The table can be restored to any time within so many days, and its manifests name the segments of then.
RECOVERY = 35
# MB that a function needs beside the segments that it keeps: 128 for those that it loads, 256 for a sheet of 25 MB, and its own.
ROOM = 512


def searched(t):
    """The kinds of which each role queries the changes."""
    kinds = {role: set() for role in t.resources("AWS::IAM::Role")}
    for _, role, statement, index in grants(t):
        if index == CHANGES:
            kinds[role] |= {pattern.rsplit("#", 1)[1] for pattern in patterns(statement)}
    return kinds


def segments(t):
    """Who queries the changes of kinds reads their segments and no others; one function stores and deletes any, and no version."""
    kinds = searched(t)
    every = set().union(*kinds.values())
    if kinds[PACKER] != every:
        yield f"{PACKER}: does not merge {sorted(every - kinds[PACKER])}"
    for role, resource in t.resources("AWS::IAM::Role").items():
        statements = [s for p in resource.get("Policies", []) for s in listed(p["PolicyDocument"]["Statement"])]
        for kind in sorted(every):
            may = set()
            for s in statements:
                if any(matches(t.resolve(r), f"arn:aws:s3:::bucket/search/7/{kind}/x") for r in listed(s.get("Resource"))):
                    may |= {action for action in listed(s["Action"]) if action.startswith("s3:")}
            want = (READS if kind in kinds[role] else set()) | (MERGES if role == PACKER else set())
            if may != want:
                yield f"{role}: may {sorted(may)} with segments of {kind} instead of {sorted(want)}"


def old(t):
    """Segments don't expire, and the bytes of those that were deleted stay as long as the table can be restored."""
    for name, got in t.resources("AWS::S3::Bucket").items():
        rules = [r for r in got["LifecycleConfiguration"]["Rules"] if "search/".startswith(r.get("Prefix", ""))]
        if any("ExpirationInDays" in rule for rule in rules):
            yield f"{name}: segments expire while manifests name them"
        days = [r["NoncurrentVersionExpiration"]["NoncurrentDays"] for r in rules if "NoncurrentVersionExpiration" in r]
        if days != [RECOVERY]:
            yield f"{name}: deleted segments stay for {days} days instead of {RECOVERY}"
        if not any("ExpiredObjectDeleteMarker" in rule for rule in rules):
            yield f"{name}: the markers of deleted segments stay for ever"


def mark(t):
    """A function that writes to the table ends a minute before a manifest may leave out what it writes."""
    source = (t.root / "shared/record/search/mark.go").read_text(encoding="utf-8")
    age = int(re.search(r"const MarkAge = (\d+) \* time\.Minute", source)[1]) * 60
    writers = {role for _, role, s, _ in grants(t) if {"dynamodb:PutItem", "dynamodb:UpdateItem"} & set(listed(s["Action"]))}
    for name, function in t.resources(FUNCTION).items():
        if named(function["Role"]) in writers and function["Timeout"] >= age - 60:
            yield f"{name}: may write for {function['Timeout']} seconds, and marks are {age} seconds old"


def memory(t):
    """What functions keep of segments leaves them room to read and decode others."""
    kinds = searched(t)
    for name, function in t.resources(FUNCTION).items():
        if kinds[named(function["Role"])]:
            kept = int(t.resolve(function["Environment"]["Variables"].get("SEARCH_MEMORY")) or 0)
            if not 0 < kept <= function["MemorySize"] - ROOM:
                yield f"{name}: keeps {kept} MB of segments in {function['MemorySize']} MB"


def indexes(t):
    """The table has the registered indexes, and one that was replaced only while a parameter says so: a new stage never has it."""
    for name, table in t.resources("AWS::DynamoDB::Table").items():
        plain, kept = set(), {}
        for entry in table["GlobalSecondaryIndexes"]:
            if "Fn::If" in entry:
                condition, index, otherwise = entry["Fn::If"]
                kept[index["IndexName"]] = condition if otherwise == {"Ref": "AWS::NoValue"} else None
            else:
                plain.add(entry["IndexName"])
        registered = set(registry(t)[1])
        if plain != registered:
            yield f"{name}: has the indexes {sorted(plain)}, and {sorted(registered)} are registered"
        for index, condition in kept.items():
            equals = t.source["Conditions"].get(condition, {}).get("Fn::Equals", [None, None])
            if equals[1] != "true" or t.source["Parameters"].get(named(equals[0]), {}).get("Default") != "false":
                yield f"{name}: {index} is kept without a parameter's word"


RULES = [segments, old, mark, memory, indexes]


def on_segments(t, role, *actions, kind="*"):
    policy(t, role).append({"Effect": "Allow", "Action": list(actions), "Resource": {"Fn::Sub": "${Bucket.Arn}/search/*/" + kind + "/*"}})


def listed_indexes(t):
    return props(t, "Table")["GlobalSecondaryIndexes"]


def rules(t, at):
    return next(r for r in uploads(t) if r["Id"] == at)


def marked(minutes):
    """A folder of code whose marks are so old."""

    def write(root, _):
        file = root / "shared/record/search/mark.go"
        file.parent.mkdir(parents=True)
        file.write_text(f"const MarkAge = {minutes} * time.Minute\n", encoding="utf-8")

    return write


FAULTS = [
    Fault("segments", lambda t: put(statement(t, "Segments"), "Action", "s3:GetObject"), "DocumentsRole: may ['s3:GetObject'] with"),
    Fault(
        "segments",
        lambda t: on_segments(t, "PointsRole", "s3:GetObjectVersion"),
        "PointsRole: may ['s3:GetObjectVersion'] with segments of cli",
    ),
    Fault(
        "segments",
        lambda t: on_segments(t, "PointsRole", "s3:PutObject", kind="pt"),
        "PointsRole: may ['s3:GetObjectVersion', 's3:PutObject']",
    ),
    Fault("segments", lambda t: allow(t, "s3:DeleteObject", {"Fn::Sub": "${Bucket.Arn}/*"}), "DocumentsRole: may ['s3:DeleteObject'"),
    Fault(
        "segments",
        lambda t: on_segments(t, PACKER, "s3:DeleteObjectVersion"),
        "PackRole: may ['s3:DeleteObject', 's3:DeleteObjectVersion'",
    ),
    Fault(
        "segments",
        lambda t: policy(t, PACKER).remove(statement(t, "Files", PACKER)),
        "PackRole: may ['s3:GetObjectVersion'] with",
    ),
    Fault("segments", lambda t: names(t, "ChangesIndex", PACKER).remove("T#*#led"), "PackRole: does not merge ['led']"),
    Fault("old", lambda t: put(rules(t, "old-segments"), "ExpirationInDays", 365), "segments expire while manifests name them"),
    Fault("old", lambda t: rules(t, "temporary").pop("Prefix"), "segments expire while manifests name them"),
    Fault(
        "old",
        lambda t: put(rules(t, "old-segments")["NoncurrentVersionExpiration"], "NoncurrentDays", 7),
        "stay for [7] days instead of 35",
    ),
    Fault("old", lambda t: put(rules(t, "old-segments"), "Prefix", "find/"), "stay for [] days instead of 35"),
    Fault("old", lambda t: uploads(t).remove(rules(t, "segment-markers")), "the markers of deleted segments stay for ever"),
    Fault("mark", lambda t: put(props(t, "WorkerFunction"), "Timeout", 120), "WorkerFunction: may write for 120 seconds"),
    Fault("mark", lambda t: put(t["Globals"]["Function"], "Timeout", 900), "ClientsFunction: may write for 900 seconds"),
    Fault("mark", lambda t: None, "WorkerFunction: may write for 60 seconds, and marks are 120", marked(2)),
    Fault(
        "memory",
        lambda t: put(t["Parameters"]["SearchMemory"], "Default", 1280),
        "PointsFunction: keeps 1280 MB of segments in 1769 MB",
    ),
    Fault("memory", lambda t: put(t["Parameters"]["SearchMemory"], "Default", 0), "PointsFunction: keeps 0 MB"),
    Fault(
        "memory",
        lambda t: t["Globals"]["Function"]["Environment"]["Variables"].pop("SEARCH_MEMORY"),
        "PointsFunction: keeps 0 MB",
    ),
    Fault(
        "indexes",
        lambda t: listed_indexes(t).append(listed_indexes(t).pop(1)["Fn::If"][1]),
        "has the indexes ['changes', 'children', 'pending', 's",
    ),
    Fault("indexes", lambda t: listed_indexes(t).pop(0), "and ['changes', 'children', 'pending'] are registered"),
    Fault("indexes", lambda t: put(t["Parameters"]["KeepSearchIndex"], "Default", "true"), "search is kept without a parameter's word"),
    Fault("indexes", lambda t: put(t["Conditions"], "KeepsSearchIndex", {"Fn::Equals": ["a", "a"]}), "search is kept without"),
    Fault("memory", lambda t: put(props(t, "PackFunction"), "MemorySize", 1024), "PackFunction: keeps 1200 MB of segments in 1024 MB"),
]
