"""Rules about releases: what calls a function calls its alias, which a deployment and `make back` move. Their faults beside them."""

import json
import re

from commands import DOCUMENTS
from commands import spoiled as spoiled_document
from deploying import spoiled
from faults import Fault, allow, body, props, put
from rules import FUNCTION, MAPPING, allowed, routes
from shell import blocks, commands
from template import ALIAS, LIVE, listed, named

VERSION = "AWS::Lambda::Version"
RELEASE = {"Ref": "Release"}
NONE = "0000000000"


def aliases(t):
    """Each function has an alias, which stands at a version of the release that is deployed; versions of before stay until they are pruned."""
    at = {named(a["FunctionName"]): a for a in t.resources(ALIAS).values() if a["Name"] == LIVE}
    for name, function in t.resources(FUNCTION).items():
        version = named(at.get(name, {}).get("FunctionVersion"))
        if named(t.resources(VERSION).get(version, {}).get("FunctionName")) != name:
            yield f"{name}: has no alias {LIVE} at a version of its own"
            continue
        # SAM makes a version where this name is another one. Without the variable Lambda would find nothing new to publish where a
        # parameter has changed that the function doesn't have, and then it would have no version of this release.
        if version != f"{name}Version{NONE}" or t.written("AWS::Serverless::Function")[name]["Properties"].get("AutoPublishCodeSha256") != RELEASE:
            yield f"{name}: its version doesn't follow the parameter Release"
        if function.get("Environment", {}).get("Variables", {}).get("RELEASE") != RELEASE:
            yield f"{name}: its versions don't say of which release they are"
        if t.expanded["Resources"][version].get("DeletionPolicy") != "Retain":
            yield f"{version}: goes with the next deployment, and there would be nothing to go back to"


def named_release(t):
    """A deployment names its release, whose beginning is another one each time; without one it is refused."""
    parameter = t.source["Parameters"].get("Release", {})
    pattern = parameter.get("AllowedPattern", "")
    if parameter.get("Default") != NONE or not pattern.startswith("^[0-9]{10}") or not re.match(pattern, "2611271930-0123456789ab-dirty"):
        yield "Release: does not begin with the ten digits by which SAM tells versions apart"
    asserted = [a["Assert"] for rule in t.source.get("Rules", {}).values() if "RuleCondition" not in rule for a in rule["Assertions"]]
    if {"Fn::Not": [{"Fn::Equals": [RELEASE, NONE]}]} not in asserted:
        yield "Release: a deployment without one would leave the aliases where they are"
    for file in ("Makefile", ".github/workflows/deploy.yml"):
        text = (t.root / file).read_text(encoding="utf-8")
        deploys = re.findall(r"[^\n]*(?:bin/sam deploy|go run \./infra/deploy)(?:[^\n]*\\\n)*[^\n]*", text)
        if not deploys or not all(re.search(r"Release=|-release", command) for command in deploys):
            yield f"{file}: deploys without a release"


def by_hand(t):
    """No document deploys by SAM's own command without a release."""
    for document in DOCUMENTS:
        for line, block, whole in blocks((t.root / document).read_text(encoding="utf-8")):
            for words in commands(block) if whole else []:
                if words[:2] == ["sam", "deploy"] and "Release=" not in " ".join(words):
                    yield f"{document}:{line}: sam deploy without a release changes what nobody calls"


def callers(t):
    """Nobody calls a function but by its alias, and nobody else may: what was deployed and what was gone back from are not mixed."""
    found = []
    for name, _, path, methods in routes(t):
        for method in methods.values():
            found.append((f"{name}: {path}", method.get("x-amazon-apigateway-integration", {}).get("uri")))
    for name, api in t.resources("AWS::ApiGatewayV2::Api").items():
        for scheme in api.get("Body", {}).get("components", {}).get("securitySchemes", {}).values():
            found.append((f"{name}: its authorizer", scheme.get("x-amazon-apigateway-authorizer", {}).get("authorizerUri")))
    for kind in ("AWS::Lambda::Permission", MAPPING):
        found += [(name, resource["FunctionName"]) for name, resource in t.resources(kind).items()]
    for name, rule in t.resources("AWS::Events::Rule").items():
        found += [(name, target["Arn"]) for target in rule.get("Targets", [])]
    for where, statement in allowed(t):
        if "lambda:InvokeFunction" in listed(statement.get("Action")):
            found += [(where, resource) for resource in listed(statement.get("Resource"))]
    for name, function in t.resources(FUNCTION).items():
        for variable, value in function.get("Environment", {}).get("Variables", {}).items():
            if variable.endswith("_FUNCTION"):
                found.append((f"{name}: {variable}", value))
    for where, node in found:
        function, live = t.function(node)
        if function in t.resources(FUNCTION) and not live:
            yield f"{where}: calls {function}, and not its alias {LIVE}"
    for name, config in t.resources("AWS::Lambda::EventInvokeConfig").items():
        if config.get("Qualifier") != LIVE:
            yield f"{name}: bounds what nobody calls, and not the alias {LIVE}"


def waits(t):
    """What names an alias by text says that it waits for it: CloudFormation sees references only."""
    for name, resource in t.expanded["Resources"].items():
        text = json.dumps(resource.get("Properties", {}))
        for function in sorted(set(re.findall(r"\$\{(\w+)\.Arn\}:" + LIVE, text))):
            alias = f"{function}Alias{LIVE}"
            # Its permissions wait for the API.
            if alias not in listed(resource.get("DependsOn")) and resource["Type"] != "AWS::Lambda::Permission":
                yield f"{name}: calls {alias}, and may be there before it"


def rehearsed(t):
    """From one release to the next each function has a new version, to which its alias moves, and nothing besides changes."""
    names = ("2611271930-0123456789ab", "2611271931-0123456789ab")
    before, after = (t.expand({"Release": name})["Resources"] for name in names)
    for name, resource in after.items():
        old, kind = before.get(name), resource["Type"]
        if kind == VERSION:
            if old is not None:
                yield f"{name}: is of both releases, so nothing new would be published"
        elif kind == ALIAS:
            if old is None or old["Properties"]["FunctionVersion"] == resource["Properties"]["FunctionVersion"]:
                yield f"{name}: stays where it was"
        elif kind == FUNCTION:
            continue  # its variable says of which release it is, and SAM its description
        elif old != resource or re.search(r'"Ref": "Release"|\$\{Release\}', json.dumps(resource)):
            yield f"{name}: changes with each release, and doesn't go back with it"


RULES = [aliases, named_release, by_hand, callers, waits, rehearsed]


def no_variable(t):
    t["Globals"]["Function"]["Environment"]["Variables"].pop("RELEASE")


def integration(t, path="/v2/documents"):
    return body(t)["paths"][path]["x-amazon-apigateway-any-method"]["x-amazon-apigateway-integration"]


def at_no_alias(t):
    for path in body(t)["paths"].values():
        for method in path.values():
            uri = method["x-amazon-apigateway-integration"]["uri"]
            uri["Fn::Sub"] = uri["Fn::Sub"].replace("${DocumentsFunction.Arn}:live", "${DocumentsFunction.Arn}")


def by_name(t):
    props(t, "DeliverFunction")["Environment"]["Variables"]["SHOW_FUNCTION"] = {"Ref": "ShowFunction"}


def arn(name):
    return {"Fn::GetAtt": [name, "Arn"]}


FAULTS = [
    Fault("aliases", lambda t: t["Globals"]["Function"].pop("AutoPublishAlias"), "OrdersFunction: has no alias live"),
    Fault("aliases", lambda t: put(t["Globals"]["Function"], "AutoPublishAlias", "next"), "OrdersFunction: has no alias live"),
    Fault("aliases", lambda t: props(t, "WorkerFunction").pop("AutoPublishCodeSha256"), "WorkerFunction: its version doesn't follow"),
    Fault("aliases", lambda t: put(props(t, "BulkFunction"), "AutoPublishCodeSha256", NONE), "BulkFunction: its version doesn't follow"),
    Fault("aliases", no_variable, "PackFunction: its versions don't say"),
    Fault("aliases", lambda t: put(t["Globals"]["Function"], "VersionDeletionPolicy", "Delete"), "nothing to go back to"),
    Fault("named_release", lambda t: t["Parameters"]["Release"].pop("AllowedPattern"), "does not begin with the ten digits"),
    Fault("named_release", lambda t: put(t["Parameters"]["Release"], "AllowedPattern", "^[0-9a-z-]+$"), "does not begin with the ten digits"),
    Fault("named_release", lambda t: t["Rules"].pop("AReleaseIsNamed"), "would leave the aliases where they are"),
    Fault(
        "named_release",
        lambda t: put(t["Rules"]["AReleaseIsNamed"], "RuleCondition", {"Fn::Equals": [{"Ref": "Stage"}, "production"]}),
        "would leave the aliases where they are",
    ),
    Fault("named_release", lambda t: None, "Makefile: deploys without", spoiled("Makefile", "-release ", "-named ")),
    Fault("named_release", lambda t: None, "deploy.yml: deploys without", spoiled(".github/workflows/deploy.yml", "Release=", "Named=")),
    Fault(
        "by_hand",
        lambda t: None,
        "sam deploy without a release changes what nobody calls",
        spoiled_document("go run ./infra/deploy -stage", "sam deploy --config-env"),
    ),
    Fault("callers", at_no_alias, "/v2/documents: calls DocumentsFunction, and not its alias"),
    Fault(
        "callers",
        lambda t: put(props(t, "Api")["Auth"]["Authorizers"]["Verdict"], "FunctionArn", arn("AuthorizerFunction")),
        "ApiVerdictAuthorizerPermission: calls AuthorizerFunction",
    ),
    Fault(
        "callers",
        lambda t: put(props(t, "Api")["Auth"]["Authorizers"]["Verdict"], "FunctionArn", {"Fn::Sub": "${AuthorizerFunction.Arn}"}),
        "Api: its authorizer: calls AuthorizerFunction",
    ),
    Fault("callers", lambda t: put(props(t, "FallbackPermission"), "FunctionName", {"Ref": "FallbackFunction"}), "FallbackPermission: calls"),
    Fault("callers", lambda t: allow(t, "lambda:InvokeFunction", arn("ShowFunction")), "DocumentsRole/documents: calls ShowFunction"),
    Fault("callers", by_name, "DeliverFunction: SHOW_FUNCTION: calls ShowFunction"),
    Fault("callers", lambda t: props(t, "DispatchFunction").update(AutoPublishAlias=""), "DispatchFunctionStream: calls DispatchFunction"),
    Fault("callers", lambda t: props(t, "DispatchFunction").update(AutoPublishAlias=""), "DispatchFunctionSweep: calls DispatchFunction"),
    Fault("callers", lambda t: props(t, "DispatchFunction").update(AutoPublishAlias=""), "EventInvokeConfig: bounds what nobody calls"),
    Fault("rehearsed", lambda t: put(props(t, "BulkFunction"), "AutoPublishCodeSha256", NONE), "BulkFunctionVersion0000000000: is of both"),
    Fault("rehearsed", lambda t: put(props(t, "BulkFunction"), "AutoPublishCodeSha256", NONE), "BulkFunctionAliaslive: stays where it was"),
    Fault("rehearsed", lambda t: put(props(t, "Table"), "TableName", {"Ref": "Release"}), "Table: changes with each release"),
    Fault(
        "rehearsed",
        lambda t: put(props(t, "DispatchFunction")["EventInvokeConfig"], "MaximumEventAgeInSeconds", {"Ref": "Release"}),
        "DispatchFunctionEventInvokeConfig: changes with each release",
    ),
    Fault("waits", lambda t: t["Resources"]["Api"].pop("DependsOn"), "Api: calls AuthorizerFunctionAliaslive, and may be there before it"),
    Fault("waits", lambda t: t["Resources"]["Api"]["DependsOn"].remove("OrdersFunctionAliaslive"), "Api: calls OrdersFunctionAliaslive"),
]
