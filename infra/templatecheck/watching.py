"""Rules about what is seen of a stage: alarms, the dashboard, logs that are not paid twice. Their faults beside them."""

import json
import re

from background import mappings
from faults import Fault, props, put
from rules import FUNCTION, QUEUE

ALARM = "AWS::CloudWatch::Alarm"

# The metrics of AWS that we watch, each with its dimensions, as AWS documents them. A metric that nobody sends is never
# over its threshold, and nothing else tells a misspelt name.
VENDED = {
    ("AWS/ApiGateway", "4xx"): [{"ApiId"}],
    ("AWS/ApiGateway", "5xx"): [{"ApiId"}],
    ("AWS/ApiGateway", "Count"): [{"ApiId"}],
    ("AWS/ApiGateway", "Latency"): [{"ApiId"}],
    ("AWS/DynamoDB", "ReadThrottleEvents"): [{"TableName"}, {"TableName", "GlobalSecondaryIndexName"}],
    ("AWS/DynamoDB", "WriteThrottleEvents"): [{"TableName"}, {"TableName", "GlobalSecondaryIndexName"}],
    ("AWS/Lambda", "ConcurrentExecutions"): [set(), {"FunctionName"}],
    ("AWS/Lambda", "Duration"): [set(), {"FunctionName"}],
    ("AWS/Lambda", "Errors"): [set(), {"FunctionName"}],
    ("AWS/Lambda", "IteratorAge"): [{"FunctionName"}],
    ("AWS/Lambda", "Throttles"): [set(), {"FunctionName"}],
    ("AWS/SES", "Bounce"): [set()],
    ("AWS/SES", "Complaint"): [set()],
    ("AWS/SES", "Reputation.BounceRate"): [set()],
    ("AWS/SES", "Reputation.ComplaintRate"): [set()],
    ("AWS/SES", "Send"): [set()],
    ("AWS/SQS", "ApproximateAgeOfOldestMessage"): [{"QueueName"}],
    ("AWS/SQS", "ApproximateAgeOfOldestMessageInQuietGroups"): [{"QueueName"}],
    ("AWS/SQS", "ApproximateNumberOfMessagesVisible"): [{"QueueName"}],
}

# Ours: their dimensions, and the code that sends them. ServiceFailures is named by the SDK's names of services.
SENT = {
    "KmsCalls": ({"Stage"}, "shared/table/meter/metric.go"),
    "OutboxDelay": ({"Stage"}, "functions/dispatch/sweep.go"),
    "OutboxFailedAttempts": ({"Stage"}, "shared/outbox/worker/report.go"),
    "OutboxGaveUp": ({"Stage"}, "shared/outbox/worker/report.go"),
    "ReadUnits": ({"Stage", "function"}, "shared/web/log.go"),
    "ServiceFailures": ({"Stage", "Service"}, "shared/table/meter/metric.go"),
    "WriteUnits": ({"Stage", "function"}, "shared/web/log.go"),
}
SERVICES = {"KMS", "SESv2"}

# What somebody has to act on though it happens once.
SINGLE = {
    ("Tenantry", "OutboxGaveUp"),
    ("AWS/SQS", "ApproximateNumberOfMessagesVisible", "OutboxDeadLetters"),
    ("AWS/SQS", "ApproximateNumberOfMessagesVisible", "OutboxFailures"),
    ("AWS/Lambda", "IteratorAge", "UrgentFunction"),
}
# Whose alarms are of one thing each: the others of the metric say nothing of it.
OF = ("FunctionName", "GlobalSecondaryIndexName", "QueueName", "Service")


def watched(t):
    """Each metric of each alarm: the alarm, its properties, namespace, name and dimensions."""
    for name, alarm in t.resources(ALARM).items():
        metrics = [alarm] if "MetricName" in alarm else []
        metrics += [q["MetricStat"]["Metric"] for q in alarm.get("Metrics", []) if "MetricStat" in q]
        for metric in metrics:
            dimensions = {d["Name"]: t.resolve(d["Value"]) for d in metric.get("Dimensions", [])}
            yield name, alarm, metric["Namespace"], metric["MetricName"], dimensions


def sent(t, where, namespace, metric, dimensions):
    """What is wrong with a metric that something looks at."""
    if namespace != "Tenantry":
        if (namespace, metric) not in VENDED:
            yield f"{where}: whether {namespace} sends {metric} is not known (watching.py)"
        elif set(dimensions) not in VENDED[namespace, metric]:
            yield f"{where}: {namespace} sends {metric} by other dimensions than {sorted(dimensions)}"
        return
    if metric not in SENT:
        yield f"{where}: {metric} is watched and never sent"
        return
    wanted, file = SENT[metric]
    if f'"{metric}"' not in (t.root / file).read_text(encoding="utf-8"):
        yield f"{where}: {metric} is watched and never sent by {file}"
    if set(dimensions) != wanted:
        yield f"{where}: {metric} is sent by {sorted(wanted)} and watched by {sorted(dimensions)}"
    elif dimensions["Stage"] != t.resolve({"Ref": "Stage"}):
        yield f"{where}: a metric of ours is found by its stage"
    elif dimensions.get("Service", "KMS") not in SERVICES:
        yield f"{where}: the SDK knows no service {dimensions['Service']}"


def alarms(t):
    """What has to be watched is watched by metrics that are sent, tells somebody, and rings once only for what needs somebody."""
    seen = set()
    for name, alarm, namespace, metric, dimensions in watched(t):
        yield from sent(t, name, namespace, metric, dimensions)
        which = (namespace, metric, *(value for key, value in dimensions.items() if key in OF))
        seen.add(which)
        periods = alarm.get("DatapointsToAlarm", alarm["EvaluationPeriods"])
        if periods < 2 and which not in SINGLE:
            yield f"{name}: rings for a single period"
    for name, alarm in t.resources(ALARM).items():
        if not alarm.get("AlarmActions"):
            yield f"{name}: tells nobody"
    if t.resources(ALARM).get("SweepStoppedAlarm", {}).get("TreatMissingData") != "breaching":
        yield "SweepStoppedAlarm: a sweep that has stopped sends nothing, which has to ring"
    indexes = [
        index["IndexName"]
        for table in t.resources("AWS::DynamoDB::Table").values()
        for index in table.get("GlobalSecondaryIndexes", [])
        if "IndexName" in index  # one that another replaces is used by nobody
    ]
    throttles = ["ReadThrottleEvents", "WriteThrottleEvents"]
    streams = [function for *_, function in mappings(t, "AWS::DynamoDB::Table")]
    readers = [function for *_, function in mappings(t, QUEUE)]
    for metric in [
        ("AWS/ApiGateway", "5xx"),
        ("AWS/ApiGateway", "Latency"),
        ("AWS/Lambda", "Throttles"),
        ("AWS/Lambda", "ConcurrentExecutions"),
        *(("AWS/Lambda", "Errors", function) for function in streams + readers),
        *(("AWS/Lambda", "IteratorAge", function) for function in streams),
        ("AWS/SES", "Reputation.BounceRate"),
        ("AWS/SES", "Reputation.ComplaintRate"),
        ("Tenantry", "KmsCalls"),
        ("Tenantry", "OutboxDelay"),
        ("Tenantry", "OutboxFailedAttempts"),
        ("Tenantry", "OutboxGaveUp"),
        ("Tenantry", "ServiceFailures", "KMS"),
        ("Tenantry", "ServiceFailures", "SESv2"),
        *(("AWS/DynamoDB", metric, *index) for metric in throttles for index in [[], *([i] for i in indexes)]),
    ]:
        if metric not in seen:
            yield f"no alarm watches {metric[1]} of {' '.join([metric[0], *metric[2:]])}"


def runbook(t):
    """The runbook says of each alarm what it means and what to do, and of no other."""
    said = set(re.findall(r"`(\w+Alarm)`", (t.root / "docs/operations.md").read_text(encoding="utf-8")))
    for name in sorted(t.resources(ALARM).keys() - said):
        yield f"docs/operations.md does not say what to do about {name}"
    for name in sorted(said - t.resources(ALARM).keys()):
        yield f"docs/operations.md tells of {name}, which the template doesn't have"


SEARCH = re.compile(r"SEARCH\('\{([^}]*)\} MetricName=\"(\w+)\" Stage=\"([^\"]*)\"', '\w+', \d+\)")


def dashboard(t):
    """The dashboard is JSON, shows every alarm, and its metrics are sent."""
    boards = t.resources("AWS::CloudWatch::Dashboard")
    if len(boards) != 1:
        yield f"{len(boards)} dashboards: one shows a stage, and three are free in an account"
    for name, board in boards.items():
        try:
            widgets = json.loads(t.resolve(board["DashboardBody"]))["widgets"]
        except (KeyError, ValueError) as problem:
            yield f"{name}: its body is none: {problem}"
            continue
        shown = {arn for widget in widgets for arn in widget["properties"].get("alarms", [])}
        for alarm in t.resources(ALARM):
            if t.resolve({"Fn::GetAtt": [alarm, "Arn"]}) not in shown:
                yield f"{name}: does not show {alarm}"
        for widget in widgets:
            title = f"{name}: {widget['properties']['title']}"
            if widget["x"] + widget["width"] > 24:
                yield f"{title}: is wider than the dashboard"
            for metric in widget["properties"].get("metrics", []):
                if isinstance(metric[0], dict):
                    search = SEARCH.fullmatch(metric[0]["expression"])
                    if not search:
                        yield f"{title}: searches in a way that is not understood here"
                        continue
                    namespace, *keys = search[1].split(",")
                    yield from sent(t, title, namespace, search[2], dict.fromkeys(keys, "KMS") | {"Stage": search[3]})
                else:
                    texts = [part for part in metric if isinstance(part, str)]
                    yield from sent(t, title, texts[0], texts[1], dict(zip(texts[2::2], texts[3::2], strict=True)))


def budget(t):
    """A budget is made only where somebody asks for it, and tells them."""
    if t.source["Parameters"].get("MonthlyBudget", {}).get("Default") != 0:
        yield "MonthlyBudget: a stage has a budget by default"
    for name, resource in t.expanded["Resources"].items():
        if resource["Type"] == "AWS::Budgets::Budget" and resource.get("Condition") != "HasBudget":
            yield f"{name}: is made though nobody asked for it"


def lines(t):
    """Lambda logs only what failed by itself, and our own lines, which have the metrics, all arrive."""
    for name, function in t.resources(FUNCTION).items():
        config = function.get("LoggingConfig", {})
        if (config.get("LogFormat"), config.get("SystemLogLevel")) != ("JSON", "WARN"):
            yield f"{name}: pays for three lines of Lambda's an invocation; SystemLogLevel WARN with LogFormat JSON has none"
        if config.get("ApplicationLogLevel", "INFO") not in ("INFO", "DEBUG", "TRACE"):
            yield f"{name}: its own lines are at INFO, and would be lost with their metrics"


# What the gateway's log may say. No other variable holds what callers have sent, and the path of some is a secret: whoever has the
# link of a signer is the signer.
SAID = {
    "authorizer.error", "httpMethod", "identity.sourceIp", "integrationErrorMessage", "requestId", "responseLatency", "routeKey", "status",
}


def accesses(t):
    """The gateway's log tells the route of a request and nothing of its path."""
    for name, stage in t.resources("AWS::ApiGatewayV2::Stage").items():
        said = set(re.findall(r"\$context\.([A-Za-z.]+)", stage.get("AccessLogSettings", {}).get("Format", "")))
        for variable in sorted(said - SAID):
            yield f"{name}: its log says $context.{variable}, which may hold a link"
        if "routeKey" not in said:
            yield f"{name}: its log does not say the route"


RULES = [alarms, runbook, dashboard, budget, lines, accesses]


def metrics(t, name):
    return props(t, name)["Metrics"]


def other_alarm(t):
    t["Resources"]["AnotherAlarm"] = {"Type": ALARM, "Properties": props(t, "LatencyAlarm")}


def board(t, old, new):
    body = props(t, "Dashboard")["DashboardBody"]
    body["Fn::Sub"] = body["Fn::Sub"].replace(old, new)


def rename(t, name, metric):
    put(props(t, name), "MetricName", metric)


def access_log(t, old, new):
    settings = props(t, "Api")["AccessLogSettings"]
    settings["Format"] = settings["Format"].replace("$context." + old, "$context." + new)


FAULTS = [
    Fault("alarms", lambda t: t["Resources"].pop("ServerErrorsAlarm"), "no alarm watches 5xx"),
    Fault("alarms", lambda t: t["Resources"].pop("LatencyAlarm"), "no alarm watches Latency"),
    Fault("alarms", lambda t: t["Resources"].pop("ConcurrencyAlarm"), "no alarm watches ConcurrentExecutions"),
    Fault("alarms", lambda t: t["Resources"].pop("KmsFailuresAlarm"), "no alarm watches ServiceFailures of Tenantry KMS"),
    Fault("alarms", lambda t: t["Resources"].pop("KmsRateAlarm"), "no alarm watches KmsCalls of Tenantry"),
    Fault("alarms", lambda t: metrics(t, "KmsRateAlarm")[1]["MetricStat"]["Metric"].pop("Dimensions"), "KmsCalls is sent by ['Stage']"),
    Fault("alarms", lambda t: t["Resources"].pop("TableThrottlesAlarm"), "no alarm watches ReadThrottleEvents of AWS/DynamoDB"),
    Fault("alarms", lambda t: metrics(t, "TableThrottlesAlarm").pop(1), "no alarm watches ReadThrottleEvents of AWS/DynamoDB"),
    Fault("alarms", lambda t: metrics(t, "TableThrottlesAlarm").pop(), "no alarm watches WriteThrottleEvents of AWS/DynamoDB children"),
    Fault("alarms", lambda t: metrics(t, "TableThrottlesAlarm").pop(3), "no alarm watches ReadThrottleEvents of AWS/DynamoDB changes"),
    Fault("alarms", lambda t: t["Resources"].pop("OutboxFailedAttemptsAlarm"), "no alarm watches OutboxFailedAttempts"),
    Fault("alarms", lambda t: t["Resources"].pop("OutboxGaveUpAlarm"), "no alarm watches OutboxGaveUp"),
    Fault("alarms", lambda t: t["Resources"].pop("UrgentAgeAlarm"), "no alarm watches IteratorAge of AWS/Lambda UrgentFunction"),
    Fault("alarms", lambda t: t["Resources"].pop("OutboxStreamAgeAlarm"), "no alarm watches IteratorAge of AWS/Lambda DispatchFunction"),
    Fault("alarms", lambda t: metrics(t, "WorkerErrorsAlarm").pop(), "no alarm watches Errors of AWS/Lambda DeliverFunction"),
    Fault("alarms", lambda t: metrics(t, "WorkerErrorsAlarm").pop(-2), "no alarm watches Errors of AWS/Lambda BulkFunction"),
    Fault("alarms", lambda t: put(props(t, "OutboxStreamAgeAlarm"), "DatapointsToAlarm", 1), "OutboxStreamAgeAlarm: rings for a single"),
    Fault("alarms", lambda t: put(props(t, "BulkAgeAlarm"), "DatapointsToAlarm", 1), "BulkAgeAlarm: rings for a single period"),
    Fault("alarms", lambda t: rename(t, "BulkAgeAlarm", "AgeOfOldestMessage"), "whether AWS/SQS sends AgeOfOldestMessage is not known"),
    Fault("alarms", lambda t: t["Resources"].pop("SweepStoppedAlarm"), "which has to ring"),
    Fault("alarms", lambda t: put(props(t, "SweepStoppedAlarm"), "TreatMissingData", "notBreaching"), "which has to ring"),
    Fault("alarms", lambda t: rename(t, "OutboxGaveUpAlarm", "OutboxGivenUp"), "OutboxGivenUp is watched and never sent"),
    Fault("alarms", lambda t: rename(t, "LatencyAlarm", "latency"), "whether AWS/ApiGateway sends latency is not known"),
    Fault("alarms", lambda t: props(t, "OutboxGaveUpAlarm").pop("Dimensions"), "OutboxGaveUpAlarm: OutboxGaveUp is sent by ['Stage']"),
    Fault("alarms", lambda t: put(props(t, "OutboxGaveUpAlarm")["Dimensions"][0], "Value", "all"), "found by its stage"),
    Fault("alarms", lambda t: put(props(t, "MailFailuresAlarm")["Dimensions"][1], "Value", "SES"), "knows no service SES"),
    Fault("alarms", lambda t: props(t, "LatencyAlarm").pop("Dimensions"), "sends Latency by other dimensions than []"),
    Fault("alarms", lambda t: put(props(t, "KmsFailuresAlarm"), "DatapointsToAlarm", 1), "KmsFailuresAlarm: rings for a single period"),
    Fault("alarms", lambda t: props(t, "WorkerErrorsAlarm").pop("AlarmActions"), "WorkerErrorsAlarm: tells nobody"),
    Fault("runbook", other_alarm, "what to do about AnotherAlarm"),
    Fault("runbook", lambda t: t["Resources"].pop("BouncesAlarm"), "tells of BouncesAlarm"),
    Fault("dashboard", lambda t: t["Resources"].pop("Dashboard"), "0 dashboards"),
    Fault("dashboard", other_alarm, "does not show AnotherAlarm"),
    Fault("dashboard", lambda t: board(t, '"alarm",', '"alarm"'), "its body is none"),
    Fault("dashboard", lambda t: board(t, "${Api}", "${Gateway}"), "nothing is named Gateway"),
    Fault("dashboard", lambda t: board(t, "ReadUnits", "Calls"), "Read units, by function: Calls is watched and never sent"),
    Fault("dashboard", lambda t: board(t, '"OutboxDelay"', '"OutboxAge"'), "OutboxAge is watched and never sent"),
    Fault("dashboard", lambda t: board(t, "{Tenantry,Stage,function}", "{Tenantry,Stage,Route}"), "is sent by ['Stage', 'function']"),
    Fault("dashboard", lambda t: board(t, '"4xx"', '"4XX"'), "whether AWS/ApiGateway sends 4XX"),
    Fault("dashboard", lambda t: board(t, '"x": 16', '"x": 20'), "is wider than the dashboard"),
    Fault("budget", lambda t: put(t["Parameters"]["MonthlyBudget"], "Default", 100), "a budget by default"),
    Fault("budget", lambda t: t["Resources"]["Budget"].pop("Condition"), "though nobody asked for it"),
    Fault("lines", lambda t: t["Globals"]["Function"]["LoggingConfig"].pop("SystemLogLevel"), "pays for three lines"),
    Fault("lines", lambda t: put(t["Globals"]["Function"]["LoggingConfig"], "LogFormat", "Text"), "pays for three lines"),
    Fault(
        "lines",
        lambda t: put(props(t, "TenantsFunction")["LoggingConfig"], "ApplicationLogLevel", "WARN"),
        "TenantsFunction: its own lines are at INFO",
    ),
    Fault("accesses", lambda t: access_log(t, "routeKey", "path"), "its log says $context.path, which may hold a link"),
    Fault("accesses", lambda t: access_log(t, "status", "authorizer.path"), "its log says $context.authorizer.path"),
    Fault("accesses", lambda t: access_log(t, "routeKey", "requestId"), "its log does not say the route"),
]
