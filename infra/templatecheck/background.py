"""Rules about what requests leave to be done: the table's stream, the queues of the lanes, and who reads them. Their faults beside them."""

import json
import re

from faults import Fault, policy, props, put
from rules import FUNCTION, LIST_STREAMS, MAPPING, QUEUE, allowed
from template import ACCOUNT, REGION, listed, named

ALARM = "AWS::CloudWatch::Alarm"
# What the reader of a queue has to be allowed.
READS = {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"}
# Lambda may have no place for a message that it has received, and keeps it for another try: AWS asks for so many times the timeout.
TIMEOUTS = 6
# After so many receipts without an end a message is a dead letter. Its state in the table decides what becomes of it, not this.
RECEIPTS = 3
# Seconds that a dead letter stays, which is all that SQS allows.
KEPT = 1209600
# Whose batches run side by side within a shard. What only sends keys on needs no more than one.
SIDE_BY_SIDE = {"UrgentFunction": 10, "DispatchFunction": 1}


def mappings(t, kind):
    """The mappings of sources of one kind: name, properties, source and function."""
    for name, mapping in t.resources(MAPPING).items():
        source = named(mapping.get("EventSourceArn"))
        if t.expanded["Resources"].get(source, {}).get("Type") == kind:
            yield name, mapping, source, t.function(mapping["FunctionName"])[0]


def role_of(t, function):
    return named(t.resources(FUNCTION)[function]["Role"])


def stream(t):
    """What the table's stream can't deliver is retried within bounds, halved, and kept in a queue that alarms; and a sweep looks for it."""
    found = list(mappings(t, "AWS::DynamoDB::Table"))
    if sorted(function for *_, function in found) != sorted(SIDE_BY_SIDE):
        yield f"{' and '.join(sorted(SIDE_BY_SIDE))} read the table's stream; DynamoDB bears no more than two readers of a shard"
    for name, mapping, _, function in found:
        for field, bounds in {"MaximumRetryAttempts": (1, 100), "MaximumRecordAgeInSeconds": (60, 86400)}.items():
            if not bounds[0] <= mapping.get(field, -1) <= bounds[1]:
                yield f"{name}: {field} is not bounded"
        if mapping.get("FunctionResponseTypes") != ["ReportBatchItemFailures"]:
            yield f"{name}: one bad message would repeat its whole batch"
        if mapping.get("BisectBatchOnFunctionError") is not True and mapping.get("BatchSize") != 1:
            yield f"{name}: a batch that fails is not halved"
        target = named(mapping.get("DestinationConfig", {}).get("OnFailure", {}).get("Destination"))
        if target not in t.resources(QUEUE):
            yield f"{name}: what fails for good is lost; no on-failure queue"
        role = role_of(t, function)
        if not any(s == LIST_STREAMS for where, s in allowed(t) if where.split("/")[0] == role):
            yield f"{name}: {role} may not list the streams, and the mapping could not be made"
        if mapping.get("ParallelizationFactor") != SIDE_BY_SIDE.get(function):
            yield f"{name}: runs {mapping.get('ParallelizationFactor')} batches of a shard at once instead of {SIDE_BY_SIDE.get(function)}"
    bounded = [named(c["FunctionName"]) for c in t.resources("AWS::Lambda::EventInvokeConfig").values()]
    swept = []
    for name, rule in t.resources("AWS::Events::Rule").items():
        for target in rule.get("Targets", []):
            function, _ = t.function(target["Arn"])
            swept.append((function, rule.get("ScheduleExpression")))
            if function not in bounded:
                yield f"{name}: invokes {function}, whose retries are not bounded"
    if ("DispatchFunction", "rate(1 minute)") not in swept:
        yield "nothing sweeps the outbox each minute"


def passes(pattern, record):
    """Whether a filter lets a record through, as far as the template's filters go: equal values, and prefixes of texts."""
    if isinstance(pattern, dict):
        return all(key in record and passes(inner, record[key]) for key, inner in pattern.items())
    return any(record.startswith(one["prefix"]) if isinstance(one, dict) else record == one for one in pattern)


def keys(t):
    """Sort keys of messages, each with the function that has to hear of its creation and the one that has to hear of its changes."""
    code = (t.root / "shared/outbox/lanes.go").read_text(encoding="utf-8")
    marks = dict(re.findall(r'case (\w+):\s+return "(\w+#)"', code))
    ulid = "01JCX3V3NEQ8BZ8Y0S4V8M3C5R"
    yield "outbox#" + ulid, "DispatchFunction", None
    for lane, mark in marks.items():
        yield f"outbox#{mark}{ulid}", "UrgentFunction" if lane == "Urgent" else "DispatchFunction", None
    # Events that have no number yet.
    yield "outbox#e#1772443800000000#client.created#15#1", "DispatchFunction", None
    # One with a key of its own that is armed again is no new item.
    yield "outbox#k#listing.fold#cli", "DispatchFunction", "DispatchFunction"
    for other in ("-", "000000000001", "s#", "outbox"):
        yield other, None, None


def lanes(t):
    """The stream tells of each message that is written one function, and that once; of nothing else it tells none."""
    for key, made, changed in keys(t):
        for event, want in {"INSERT": made, "MODIFY": changed, "REMOVE": None}.items():
            record = {"eventName": event, "dynamodb": {"Keys": {"pk": {"S": "T#7#outbox"}, "sk": {"S": key}}}}
            told = []
            for _, mapping, _, function in mappings(t, "AWS::DynamoDB::Table"):
                patterns = [json.loads(f["Pattern"]) for f in mapping.get("FilterCriteria", {}).get("Filters", [])]
                # Without filters all passes; with several, what any of them lets through.
                told += [function] * (sum(passes(p, record) for p in patterns) if patterns else 1)
            if told != ([want] if want else []):
                yield f"{event} of {key} is told {', '.join(told) or 'nobody'} instead of {want or 'nobody'}"


def watched(t, metric, queue):
    for alarm in t.resources(ALARM).values():
        if alarm.get("MetricName") == metric and any(named(d["Value"]) == queue for d in alarm.get("Dimensions", [])):
            return True
    return False


def queues(t):
    """Queues are encrypted, read one message at a time by functions that have the time and are bounded, and no message leaves unseen."""
    all_queues, sources = t.resources(QUEUE), {}
    for name, queue in all_queues.items():
        if queue.get("SqsManagedSseEnabled") is not True:
            yield f"{name}: is not encrypted"
    for name, mapping, source, function in mappings(t, QUEUE):
        queue = all_queues[source]
        if mapping.get("FunctionResponseTypes") != ["ReportBatchItemFailures"]:
            yield f"{name}: what was not carried out would be deleted"
        if mapping.get("BatchSize") != 1:
            yield f"{name}: a message that kills its process would take others with it"
        most = mapping.get("ScalingConfig", {}).get("MaximumConcurrency")
        if named(most) not in t.source["Parameters"] or t.source["Parameters"][named(most)].get("MinValue", 0) < 2:
            yield f"{name}: how many run at once is no parameter of two or more, which Lambda asks for"
        asked = TIMEOUTS * t.resources(FUNCTION)[function]["Timeout"]
        if queue.get("VisibilityTimeout", 30) < asked:
            yield f"{source}: a message comes again after {queue.get('VisibilityTimeout', 30)} seconds, and {function} asks for {asked}"
        may = set()
        for where, statement in allowed(t):
            if where.split("/")[0] == role_of(t, function) and source in [named(r) for r in listed(statement.get("Resource"))]:
                may |= set(listed(statement["Action"]))
        if not READS <= may:
            yield f"{name}: {role_of(t, function)} may not {', '.join(sorted(READS - may))}"
        if not watched(t, "ApproximateAgeOfOldestMessage", source):
            yield f"{source}: no alarm watches for how long its oldest message has waited"
        redrive = queue.get("RedrivePolicy", {})
        dead = named(redrive.get("deadLetterTargetArn"))
        if dead not in all_queues or redrive.get("maxReceiveCount") != RECEIPTS:
            yield f"{source}: what is received {RECEIPTS} times and never deleted goes to no queue"
            continue
        sources.setdefault(dead, []).append(f"arn:aws:sqs:{REGION}:{ACCOUNT}:{t.resolve(queue.get('QueueName', ''))}")
    for dead, arns in sources.items():
        if all_queues[dead].get("MessageRetentionPeriod") != KEPT:
            yield f"{dead}: dead letters are gone before somebody has looked"
        allow = t.resolve(all_queues[dead].get("RedriveAllowPolicy", {}))
        if allow != {"redrivePermission": "byQueue", "sourceQueueArns": arns}:
            yield f"{dead}: takes letters of others than {', '.join(arns)}"
    for name in all_queues.keys() - {source for _, _, source, _ in mappings(t, QUEUE)}:
        if not watched(t, "ApproximateNumberOfMessagesVisible", name):
            yield f"{name}: nobody reads it, and no alarm tells that something lies in it"
    if len(sources) != 1:
        yield f"{len(sources)} queues of dead letters: the lanes have one"


RULES = [stream, lanes, queues]


def mapping(t, function="DispatchFunction", event="Stream"):
    return props(t, function)["Events"][event]["Properties"]


def pattern(t, at=0, function="DispatchFunction"):
    return mapping(t, function)["FilterCriteria"]["Filters"][at]


def without(t, prefix):
    filters = pattern(t)
    filters["Pattern"] = filters["Pattern"].replace('{"prefix":"' + prefix + '"}', '{"prefix":"nothing"}')


def also(t, prefix, function):
    filters = pattern(t, 0, function)
    filters["Pattern"] = filters["Pattern"].replace('"S":[', '"S":[{"prefix":"' + prefix + '"},')


def streams(t, role="DispatchRole"):
    return next(s for s in policy(t, role) if s.get("Sid") == "ListStreams")


def reader(t, event="Queue", function="BulkFunction"):
    return mapping(t, function, event)


def marked(urgent):
    """A folder of code in which messages have other marks."""

    def write(root, _):
        file = root / "shared/outbox/lanes.go"
        file.parent.mkdir(parents=True)
        file.write_text(f'\tcase Urgent:\n\t\treturn "{urgent}#"\n\tcase Bulk:\n\t\treturn "b#"\n', encoding="utf-8")

    return write


FAULTS = [
    Fault("stream", lambda t: props(t, "DispatchFunction").pop("Events"), "read the table's stream"),
    Fault("stream", lambda t: props(t, "UrgentFunction").pop("Events"), "read the table's stream"),
    Fault(
        "stream",
        lambda t: put(props(t, "BulkFunction")["Events"], "Stream", props(t, "UrgentFunction")["Events"]["Stream"]),
        "no more than two readers",
    ),
    Fault("stream", lambda t: mapping(t).pop("MaximumRetryAttempts"), "MaximumRetryAttempts is not bounded"),
    Fault("stream", lambda t: mapping(t, "UrgentFunction").pop("MaximumRetryAttempts"), "UrgentFunctionStream: MaximumRetryAttempts"),
    Fault("stream", lambda t: put(mapping(t), "MaximumRecordAgeInSeconds", -1), "MaximumRecordAgeInSeconds is not bounded"),
    Fault("stream", lambda t: mapping(t).pop("FunctionResponseTypes"), "repeat its whole batch"),
    Fault("stream", lambda t: mapping(t).pop("BisectBatchOnFunctionError"), "is not halved"),
    Fault("stream", lambda t: put(mapping(t, "UrgentFunction"), "BatchSize", 10), "UrgentFunctionStream: a batch that fails is not halved"),
    Fault("stream", lambda t: policy(t, "DispatchRole").remove(streams(t)), "DispatchRole may not list the streams"),
    Fault("stream", lambda t: policy(t, "WorkerRole").remove(streams(t, "WorkerRole")), "WorkerRole may not list the streams"),
    Fault("stream", lambda t: mapping(t).pop("DestinationConfig"), "DispatchFunctionStream: what fails for good is lost"),
    Fault("stream", lambda t: mapping(t, "UrgentFunction").pop("DestinationConfig"), "UrgentFunctionStream: what fails for good is lost"),
    Fault("stream", lambda t: put(mapping(t), "ParallelizationFactor", 4), "runs 4 batches of a shard at once instead of 1"),
    Fault("stream", lambda t: mapping(t, "UrgentFunction").pop("ParallelizationFactor"), "runs None batches"),
    Fault("stream", lambda t: props(t, "DispatchFunction").pop("EventInvokeConfig"), "retries are not bounded"),
    Fault("stream", lambda t: props(t, "DispatchFunction")["Events"].pop("Sweep"), "nothing sweeps the outbox"),
    Fault("stream", lambda t: put(mapping(t, event="Sweep"), "Schedule", "rate(5 minutes)"), "nothing sweeps the outbox"),
    Fault("lanes", lambda t: mapping(t).pop("FilterCriteria"), "REMOVE of 000000000001 is told DispatchFunction"),
    Fault("lanes", lambda t: without(t, "outbox#0"), "INSERT of outbox#01JCX3V3NEQ8BZ8Y0S4V8M3C5R is told nobody"),
    Fault("lanes", lambda t: without(t, "outbox#b#"), "INSERT of outbox#b#01JCX3V3NEQ8BZ8Y0S4V8M3C5R is told nobody"),
    Fault("lanes", lambda t: without(t, "outbox#e#"), "INSERT of outbox#e#1772443800000000#client.created#15#1 is told nobody"),
    Fault("lanes", lambda t: without(t, "outbox#k#"), "INSERT of outbox#k#listing.fold#cli is told nobody"),
    Fault("lanes", lambda t: also(t, "outbox#u#", "DispatchFunction"), "is told UrgentFunction, DispatchFunction instead of UrgentFunction"),
    Fault("lanes", lambda t: also(t, "outbox#0", "UrgentFunction"), "is told UrgentFunction, DispatchFunction instead of DispatchFunction"),
    Fault("lanes", lambda t: also(t, "0", "UrgentFunction"), "INSERT of 000000000001 is told UrgentFunction"),
    Fault("lanes", lambda t: mapping(t)["FilterCriteria"]["Filters"].pop(), "MODIFY of outbox#k#listing.fold#cli is told nobody"),
    Fault("lanes", lambda t: pattern(t, 1).update(Pattern="{}"), "REMOVE of outbox#k#listing.fold#cli is told DispatchFunction"),
    Fault("lanes", lambda t: None, "INSERT of outbox#x#01JCX3V3NEQ8BZ8Y0S4V8M3C5R is told nobody instead of UrgentFunction", marked("x")),
    Fault("queues", lambda t: props(t, "BulkQueue").pop("SqsManagedSseEnabled"), "BulkQueue: is not encrypted"),
    Fault("queues", lambda t: put(props(t, "OutboxDeadLetters"), "SqsManagedSseEnabled", False), "OutboxDeadLetters: is not encrypted"),
    Fault("queues", lambda t: reader(t).pop("FunctionResponseTypes"), "BulkFunctionQueue: what was not carried out would be deleted"),
    Fault("queues", lambda t: reader(t).pop("BatchSize"), "BulkFunctionQueue: a message that kills its process"),
    Fault("queues", lambda t: reader(t).pop("ScalingConfig"), "BulkFunctionQueue: how many run at once"),
    Fault("queues", lambda t: put(t["Parameters"]["WorkerConcurrency"], "MinValue", 1), "WorkerFunctionQueue: how many run at once"),
    Fault("queues", lambda t: put(props(t, "BulkFunction"), "Timeout", 61), "BulkQueue: a message comes again after 360 seconds"),
    Fault("queues", lambda t: props(t, "NormalQueue").pop("VisibilityTimeout"), "NormalQueue: a message comes again after 30 seconds"),
    Fault(
        "queues",
        lambda t: next(s for s in policy(t, "WorkerRole") if s["Sid"] == "Queues")["Resource"].pop(),
        "BulkFunctionQueue: WorkerRole may not sqs:DeleteMessage",
    ),
    Fault(
        "queues",
        lambda t: next(s for s in policy(t, "WorkerRole") if s["Sid"] == "Queues")["Action"].remove("sqs:GetQueueAttributes"),
        "WorkerRole may not sqs:GetQueueAttributes",
    ),
    Fault("queues", lambda t: policy(t, "DeliverRole").pop(), "DeliverFunctionQueue: DeliverRole may not sqs:DeleteMessage"),
    Fault("queues", lambda t: t["Resources"].pop("BulkAgeAlarm"), "BulkQueue: no alarm watches for how long"),
    Fault("queues", lambda t: t["Resources"].pop("HooksAgeAlarm"), "HooksQueue: no alarm watches for how long"),
    Fault("queues", lambda t: props(t, "BulkQueue").pop("RedrivePolicy"), "BulkQueue: what is received 3 times"),
    Fault("queues", lambda t: put(props(t, "NormalQueue")["RedrivePolicy"], "maxReceiveCount", 1000), "NormalQueue: what is received 3"),
    Fault(
        "queues",
        lambda t: put(props(t, "BulkQueue")["RedrivePolicy"], "deadLetterTargetArn", {"Fn::GetAtt": ["OutboxFailures", "Arn"]}),
        "2 queues of dead letters",
    ),
    Fault("queues", lambda t: props(t, "OutboxDeadLetters").pop("MessageRetentionPeriod"), "dead letters are gone"),
    Fault("queues", lambda t: props(t, "OutboxDeadLetters").pop("RedriveAllowPolicy"), "takes letters of others"),
    Fault("queues", lambda t: put(props(t, "BulkQueue"), "QueueName", "large"), "takes letters of others"),
    Fault("queues", lambda t: t["Resources"].pop("DeadLettersAlarm"), "OutboxDeadLetters: nobody reads it"),
    Fault("queues", lambda t: t["Resources"].pop("OutboxFailuresAlarm"), "OutboxFailures: nobody reads it"),
]
