"""Planted faults: each check has at least one, and has to report it. A check that can't fail says nothing."""

import os
from typing import Callable, NamedTuple


class Fault(NamedTuple):
    check: str
    change: Callable  # of the template as written
    expect: str  # what a finding has to contain
    files: Callable | None = None  # of a folder of its own, for checks that look at files


def props(t, name):
    return t["Resources"][name]["Properties"]


def body(t):
    return props(t, "Api")["DefinitionBody"]


def policy(t, role="DocumentsRole"):
    return props(t, role)["Policies"][0]["PolicyDocument"]["Statement"]


def allow(t, action, resource):
    policy(t).append({"Effect": "Allow", "Action": action, "Resource": resource})


def calls(t, name):
    allow(t, "lambda:InvokeFunction", {"Fn::GetAtt": [name, "Arn"]})


def put(section, key, value):
    section[key] = value


def event(t, **properties):
    props(t, "DocumentsFunction")["Events"] = {
        "Extra": {"Type": "HttpApi", "Properties": {"ApiId": {"Ref": "Api"}, "Method": "ANY", **properties}}
    }


def policy_template(t):
    function = props(t, "DocumentsFunction")
    del function["Role"]
    function["Policies"] = [{"DynamoDBReadPolicy": {"TableName": {"Ref": "Table"}}}]


def elf(machine=183, interpreter=False, padding=0):
    """A 64-bit header with one program header, as small as a bootstrap can look."""
    header = bytearray(64)
    header[:4] = b"\x7fELF"
    header[18:20] = machine.to_bytes(2, "little")
    header[32:40] = (64).to_bytes(8, "little")
    header[54:56] = (56).to_bytes(2, "little")
    header[56:58] = (1).to_bytes(2, "little")
    program = bytearray(56)
    program[:4] = (3 if interpreter else 1).to_bytes(4, "little")
    return bytes(header + program) + os.urandom(padding)


def built(content):
    """A build folder in which every function has this bootstrap."""

    def write(root, names):
        for name in names:
            folder = root / ".aws-sam" / "build" / name
            folder.mkdir(parents=True)
            (folder / "bootstrap").write_bytes(content)

    return write


def program(group):
    """A module with one program, which doesn't compile."""

    def write(root, _):
        folder = root / "functions" / group / "lambda"
        folder.mkdir(parents=True)
        (root / "go.mod").write_text("module planted\n\ngo 1.26\n", encoding="utf-8")
        (folder / "main.go").write_text("package main\n", encoding="utf-8")

    return write


def only(t, function):
    for name in [n for n, r in t["Resources"].items() if r["Type"] == "AWS::Serverless::Function" and n != function]:
        del t["Resources"][name]


def nothing(_):
    pass


TABLE = {"Fn::GetAtt": ["Table", "Arn"]}


def any_method(t, path):
    return body(t)["paths"][path]["x-amazon-apigateway-any-method"]


def route(t, path, **other):
    integration = any_method(t, "/v2/documents")["x-amazon-apigateway-integration"] | other
    body(t)["paths"][path] = {"x-amazon-apigateway-any-method": {"x-amazon-apigateway-integration": integration}}


def routes(t, count):
    for n in range(count):
        route(t, f"/v2/papers{n}")


def scheme(t):
    return props(t, "Api")["Auth"]["Authorizers"]["Verdict"]


def variables(t):
    return t["Globals"]["Function"]["Environment"]["Variables"]


def mapping(t):
    return props(t, "DispatchFunction")["Events"]["Stream"]["Properties"]


def streams(t):
    return next(s for s in policy(t, "DispatchRole") if s.get("Sid") == "ListStreams")


def permission(t, function):
    t["Resources"]["Another"] = {"Type": "AWS::Lambda::Permission", "Properties": props(t, "FallbackPermission") | {"FunctionName": {"Ref": function}}}


def hosts(t):
    return props(t, "Hosts")["DomainNameConfigurations"][0]


def uploads(t):
    return props(t, "Bucket")["LifecycleConfiguration"]["Rules"]


def seal(t):
    return props(t, "SealKey")["KeyPolicy"]["Statement"]


def used_by(role, action):
    """A statement of a key's policy about a role."""
    account = "arn:${AWS::Partition}:iam::${AWS::AccountId}:"
    return {
        "Effect": "Allow",
        "Action": action,
        "Principal": {"AWS": {"Fn::Sub": account + "root"}},
        "Resource": "*",
        "Condition": {"ArnLike": {"aws:PrincipalArn": {"Fn::Sub": account + "role/${AWS::StackName}-" + role + "-*"}}},
    }


def seals(t, role):
    seal(t).append(used_by(role, "kms:Sign"))


FAULTS = [
    Fault("sam_validate", lambda t: put(props(t, "Api"), "Name", "twice"), "Unable to set Name"),
    Fault("sam_validate_lint", lambda t: put(props(t, "Table"), "BillingMode", "FREE"), "'FREE' is not one of"),
    # The first two are misspelt where `sam validate`, with and without `--lint`, sees nothing.
    Fault("cfn_lint", lambda t: put(props(t, "Api")["DefaultRouteSettings"], "ThrottlingRateLimits", 5), "ThrottlingRateLimits"),
    Fault("cfn_lint", lambda t: put(mapping(t)["DestinationConfig"]["OnFailure"], "Destinations", "x"), "Destinations"),
    Fault("cfn_lint", lambda t: put(props(t, "Api")["AccessLogSettings"], "Formats", "x"), "Formats"),
    Fault("cfn_lint", lambda t: put(props(t, "DocumentsFunction")["LoggingConfig"], "LogGroups", "x"), "LogGroups"),
    # A role waits for a key, so a key's policy may not refer to the role.
    Fault("cfn_lint", lambda t: put(seal(t)[1], "Principal", {"AWS": {"Fn::GetAtt": ["SealRole", "Arn"]}}), "Circular"),
    Fault("policies", lambda t: allow(t, "dynamodb:Query", {"Fn::GetAtt": ["Bucket", "Arn"]}), "RESOURCE_MISMATCH"),
    Fault("policies", lambda t: allow(t, "dynamodb:ReadItem", TABLE), "UNKNOWN_ACTION"),
    # It fails before it builds anything: the one real build is that of the template itself.
    Fault("sam_build", lambda t: only(t, "TenantsFunction"), "Builder Failed", program("tenants")),
    Fault("artifacts", nothing, "made no bootstrap", lambda root, names: None),
    Fault("artifacts", nothing, "no arm64 binary", built(elf(machine=62))),
    Fault("artifacts", nothing, "no arm64 binary", built(b"#!/bin/sh\n" + bytes(64))),
    Fault("artifacts", nothing, "linked dynamically", built(elf(interpreter=True))),
    Fault("artifacts", nothing, "zipped, over 8,000,000", built(elf(padding=8_000_001))),
    Fault("artifacts", lambda t: calls(t, "TenantsFunction"), "TenantsFunction: its bootstrap has", built(elf(padding=10_000_001))),
    Fault("artifacts", lambda t: calls(t, "TenantsFunction"), "zipped, over 10,000,000", built(elf(padding=10_000_001))),
    Fault("paths", lambda t: route(t, "/v2/documents/"), "/v2/documents/ ends in /"),
    Fault("paths", lambda t: route(t, "/v2/documents/{ref}/papers"), "is declared without /v2/documents/{ref}/papers/{proxy+}"),
    Fault("paths", lambda t: event(t, Path="/v2/papers/"), "without /v2/papers/{proxy+}"),
    Fault("paths", lambda t: put(body(t)["paths"], "/v2/papers", {"get": any_method(t, "/v2/documents")}), "names methods"),
    Fault("paths", lambda t: body(t)["paths"].pop("/v2/documents"), "/v2/documents/{proxy+} is declared without /v2/documents"),
    Fault("paths", lambda t: body(t)["paths"].pop("/v2/documents/{proxy+}"), "without /v2/documents/{proxy+}"),
    Fault("paths", lambda t: body(t)["paths"].pop("$default"), "no $default route"),
    Fault("integrations", lambda t: route(t, "/v2/papers", **{"$ref": "#/components/x/documents"}), "/v2/papers has a $ref"),
    Fault("integrations", lambda t: route(t, "/v2/papers", uri={"Fn::Sub": "arn:nothing"}), "/v2/papers leads to no function"),
    Fault("integrations", lambda t: route(t, "/v2/papers", payloadFormatVersion="1.0"), "/v2/papers is no integration of payload 2.0"),
    Fault("integrations", lambda t: route(t, "/v2/papers", timeoutInMillis=100), "/v2/papers calls DocumentsFunction otherwise"),
    Fault("integrations", lambda t: routes(t, 300), "an API holds 300"),
    Fault("authorizer", lambda t: props(t, "Api")["Auth"].pop("DefaultAuthorizer"), "$default does not ask the authorizer"),
    Fault("authorizer", lambda t: put(any_method(t, "/v2/documents"), "security", [{"NONE": []}]), "/v2/documents does not ask"),
    Fault("authorizer", lambda t: put(scheme(t)["Identity"], "ReauthorizeEvery", 300), "authorizerResultTtlInSeconds 300"),
    Fault("authorizer", lambda t: scheme(t).pop("Identity"), "authorizerResultTtlInSeconds None"),
    Fault("authorizer", lambda t: put(scheme(t)["Identity"], "Headers", ["Authorization"]), "identitySource ["),
    Fault("authorizer", lambda t: put(scheme(t), "EnableSimpleResponses", False), "enableSimpleResponses None"),
    Fault("flood", lambda t: put(t["Parameters"]["ApiRateLimit"], "Default", 1000), "which 40 companies with 50 requests"),
    Fault("flood", lambda t: put(t["Parameters"]["CallerRequestRate"], "Default", 50), "one caller may send 50 requests a second"),
    Fault("flood", lambda t: put(t["Parameters"]["CallerRequestRate"], "Default", 0), "one caller may send 0 requests a second"),
    Fault("endpoints", lambda t: variables(t).pop("SES_ENDPOINT"), "WorkerFunction: SES_ENDPOINT is None"),
    Fault("endpoints", lambda t: variables(t).pop("SQS_ENDPOINT"), "DispatchFunction: SQS_ENDPOINT is None"),
    Fault("endpoints", lambda t: put(variables(t), "KMS_ENDPOINT", "http://localhost"), "DocumentsFunction: KMS_ENDPOINT is 'http://localhost'"),
    Fault("cors", lambda t: put(props(t, "Api"), "CorsConfiguration", True), "CORS belongs to the functions"),
    Fault("permissions", lambda t: event(t, Path="/v2/papers"), "DocumentsFunction has 2 permissions"),
    Fault("permissions", lambda t: t["Resources"].pop("FallbackPermission"), "FallbackFunction has 0 permissions"),
    Fault("permissions", lambda t: calls(t, "FallbackFunction"), "FallbackFunction is called by DocumentsRole/documents, and has 1"),
    Fault("permissions", lambda t: permission(t, "BulkFunction"), "BulkFunction has 1 permissions instead of none"),
    Fault("permissions", lambda t: props(t, "BulkFunction").pop("Events"), "BulkFunction has 0 permissions instead of one"),
    Fault("permissions", lambda t: calls(t, "FallbackLog"), "calls FallbackLog, which is no function"),
    Fault("permissions", lambda t: props(t, "FallbackPermission").pop("SourceArn"), "without SourceArn"),
    Fault("hosts", lambda t: t["Resources"].pop("Hosts") and t["Resources"].pop("HostsMapping"), "no domain name stands for"),
    Fault("hosts", lambda t: put(props(t, "Hosts"), "DomainName", {"Ref": "PlatformDomain"}), "no domain name stands for"),
    Fault("hosts", lambda t: put(hosts(t), "CertificateArn", "arn:aws:acm:eu-central-1:123456789012:certificate/x"), "CertificateArn is"),
    Fault("hosts", lambda t: put(hosts(t), "EndpointType", "EDGE"), "EndpointType is 'EDGE'"),
    Fault("hosts", lambda t: hosts(t).pop("SecurityPolicy"), "SecurityPolicy is None"),
    Fault("hosts", lambda t: t["Resources"].pop("HostsMapping"), "Hosts: does not lead to the API's stage"),
    Fault("hosts", lambda t: put(props(t, "HostsMapping"), "Stage", "production"), "Hosts: does not lead to the API's stage"),
    Fault("hosts", lambda t: put(props(t, "HostsMapping"), "ApiId", {"Ref": "AnotherApi"}), "Hosts: does not lead to the API's stage"),
    Fault("hosts", lambda t: put(props(t, "HostsMapping"), "ApiMappingKey", "v1"), "or under a path"),
    Fault("hosts", lambda t: t["Resources"]["Hosts"].pop("Condition"), "Hosts: a stack without a certificate"),
    Fault("hosts", lambda t: t["Resources"]["HostsMapping"].pop("Condition"), "HostsMapping: a stack without a certificate"),
    Fault("actions", lambda t: allow(t, "dynamodb:*", TABLE), "wildcard action dynamodb:*"),
    Fault("actions", lambda t: allow(t, ["s3:Get?bject"], TABLE), "wildcard action s3:Get?bject"),
    Fault("actions", lambda t: policy(t).append({"Effect": "Allow", "NotAction": "iam:PassRole", "Resource": TABLE}), "NotAction"),
    Fault("resources", lambda t: allow(t, "dynamodb:GetItem", "*"), "allows * as a resource"),
    Fault("resources", lambda t: allow(t, "s3:GetObject", "arn:aws:s3:::*"), "allows arn:aws:s3:::*"),
    Fault("resources", lambda t: allow(t, "dynamodb:GetItem", {"Fn::Sub": "arn:aws:dynamodb:*:*:table/${Table}"}), "dynamodb:*:*"),
    Fault("resources", lambda t: props(t, "WorkerSmsPolicy")["PolicyDocument"]["Statement"].pop(), "allows * as a resource"),
    Fault("resources", lambda t: allow(t, "sns:Publish", "*"), "allows * as a resource"),
    Fault("resources", lambda t: allow(t, "dynamodb:ListStreams", "*"), "DocumentsRole/documents: allows * as a resource"),
    Fault("resources", lambda t: put(streams(t), "Action", ["dynamodb:ListStreams", "dynamodb:GetRecords"]), "allows * as a resource"),
    Fault("resources", lambda t: policy(t).append({"Effect": "Allow", "Action": "s3:GetObject", "NotResource": TABLE}), "NotResource"),
    Fault("scan", lambda t: allow(t, "dynamodb:Scan", TABLE), "allows dynamodb:Scan"),
    Fault("scan", lambda t: allow(t, "dynamodb:S*", TABLE), "allows dynamodb:Scan"),
    Fault("scan", policy_template, "allows dynamodb:Scan"),
    Fault("scan", lambda t: allow(t, "dynamodb:PartiQLSelect", TABLE), "allows dynamodb:PartiQLSelect"),
    Fault("runtime", lambda t: put(props(t, "TenantsFunction"), "Architectures", ["x86_64"]), "TenantsFunction: Architectures"),
    Fault("runtime", lambda t: put(t["Globals"]["Function"], "Runtime", "provided.al2"), "Runtime is 'provided.al2'"),
    Fault("runtime", lambda t: t["Resources"]["TenantsFunction"].pop("Metadata"), "is not built by go1.x"),
    Fault("folders", lambda t: t["Resources"].pop("TenantsFunction"), "functions/tenants/lambda/ is a function that", program("tenants")),
    Fault("folders", nothing, "DocumentsFunction: functions/documents/lambda/ holds no Go", lambda root, names: None),
    Fault("roles", lambda t: put(props(t, "TenantsFunction"), "Role", {"Fn::GetAtt": ["IdentityRole", "Arn"]}), "shares its role"),
    Fault("roles", lambda t: put(props(t, "TenantsFunction"), "Role", {"Fn::GetAtt": ["WorkerRole", "Arn"]}), "shares its role with"),
    Fault("roles", lambda t: put(props(t, "BulkFunction"), "Role", {"Fn::GetAtt": ["DispatchRole", "Arn"]}), "shares its role with"),
    Fault("roles", lambda t: props(t, "TenantsFunction").pop("Role"), "TenantsFunction: its role is not written here"),
    Fault(
        "roles",
        lambda t: put(props(t, "TenantsRole"), "ManagedPolicyArns", ["arn:aws:iam::aws:policy/ReadOnlyAccess"]),
        "has a managed policy",
    ),
    Fault(
        "roles",
        lambda t: put(props(t, "TenantsRole")["AssumeRolePolicyDocument"]["Statement"][0], "Principal", {"AWS": "*"}),
        "is open to",
    ),
    Fault("logs", lambda t: props(t, "TenantsFunction").pop("LoggingConfig"), "TenantsFunction: its log group is not declared"),
    Fault("logs", lambda t: put(props(t, "TenantsFunction")["LoggingConfig"], "LogGroup", {"Ref": "IdentityLog"}), "shares its log"),
    Fault("logs", lambda t: put(policy(t)[0], "Resource", {"Fn::GetAtt": ["IdentityLog", "Arn"]}), "other log groups than its own"),
    Fault("logs", lambda t: policy(t, "WorkerRole")[0]["Resource"].append({"Fn::GetAtt": ["ApiLog", "Arn"]}), "other log groups than its own"),
    Fault("logs", lambda t: policy(t, "WorkerRole")[0]["Resource"].pop(), "BulkFunction: may write to other log groups than its own"),
    Fault("logs", lambda t: props(t, "ApiLog").pop("RetentionInDays"), "keeps its logs for ever"),
    Fault("logs", lambda t: props(t, "Api").pop("AccessLogSettings"), "has no access log"),
    Fault("bucket", lambda t: props(t, "Bucket")["PublicAccessBlockConfiguration"].pop("BlockPublicPolicy"), "BlockPublicPolicy"),
    Fault("bucket", lambda t: props(t, "Bucket").pop("BucketEncryption"), "is not encrypted"),
    Fault("bucket", lambda t: props(t, "Bucket").pop("VersioningConfiguration"), "is not versioned"),
    Fault("bucket", lambda t: t["Resources"].pop("BucketPolicy"), "without TLS"),
    Fault("bucket", lambda t: uploads(t)[0].pop("ExpirationInDays"), "objects under uploads/"),
    Fault("bucket", lambda t: uploads(t)[0].pop("NoncurrentVersionExpiration"), "old versions under uploads/"),
    Fault("bucket", lambda t: uploads(t)[0].pop("AbortIncompleteMultipartUpload"), "multipart uploads under uploads/"),
    Fault("bucket", lambda t: uploads(t).pop(1), "delete markers under uploads/"),
    Fault("bucket", lambda t: uploads(t)[2].pop("ExpirationInDays"), "objects under temporary/"),
    Fault("bucket", lambda t: uploads(t).pop(3), "delete markers under temporary/"),
    Fault("bucket", lambda t: uploads(t).pop(4), "objects under render/"),
    Fault(
        "bucket",
        lambda t: props(t, "Bucket")["CorsConfiguration"]["CorsRules"][0]["AllowedMethods"].append("POST"),
        "browsers may send",
    ),
    Fault("bucket", lambda t: props(t, "Bucket").pop("CorsConfiguration"), "browsers may send []"),
    Fault("seal", lambda t: props(t, "SealKey").pop("KeyPolicy"), "SealKey: without a policy"),
    Fault("seal", lambda t: seal(t)[0]["Action"].append("kms:*"), "SealKey: allows the wildcard action"),
    Fault("seal", lambda t: seal(t)[0]["Action"].append("kms:Sign"), "SealKey: signs for what is no role"),
    Fault("seal", lambda t: [seals(t, "TenantsRole"), seals(t, "IdentityRole")], "SealKey: signs for "),
    Fault("seal", lambda t: allow(t, "kms:Sign", {"Fn::GetAtt": ["SealKey", "Arn"]}), "DocumentsRole/documents: who may use SealKey"),
    Fault("idle", lambda t: put(t["Resources"], "Nat", {"Type": "AWS::EC2::NatGateway", "Properties": {}}), "AWS::EC2::NatGateway"),
]
