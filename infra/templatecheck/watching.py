"""Rules about what is seen of a stage: logs that are not paid twice. Their faults beside them."""

from faults import Fault, props, put

FUNCTION = "AWS::Lambda::Function"


def lines(t):
    """Lambda logs only what failed by itself, and our own lines, which have the metrics, all arrive."""
    for name, function in t.resources(FUNCTION).items():
        config = function.get("LoggingConfig", {})
        if (config.get("LogFormat"), config.get("SystemLogLevel")) != ("JSON", "WARN"):
            yield f"{name}: pays for three lines of Lambda's an invocation; SystemLogLevel WARN with LogFormat JSON has none"
        if config.get("ApplicationLogLevel", "INFO") not in ("INFO", "DEBUG", "TRACE"):
            yield f"{name}: its own lines are at INFO, and would be lost with their metrics"


RULES = [lines]

FAULTS = [
    Fault("lines", lambda t: t["Globals"]["Function"]["LoggingConfig"].pop("SystemLogLevel"), "pays for three lines"),
    Fault("lines", lambda t: put(t["Globals"]["Function"]["LoggingConfig"], "LogFormat", "Text"), "pays for three lines"),
    Fault(
        "lines",
        lambda t: put(props(t, "TenantsFunction")["LoggingConfig"], "ApplicationLogLevel", "WARN"),
        "TenantsFunction: its own lines are at INFO",
    ),
]
