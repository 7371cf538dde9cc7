"""The life of a stage on paper: it goes up, is updated, goes back, comes down. Each step's template is one that CloudFormation takes, and what
the step asks for, by CloudFormation's registry, the roles of infra/deployer.yaml may do (infra/rehearsal). Faults beside the rules."""

import functools
import json
import subprocess
import tempfile
from pathlib import Path

import cfnlint
from deploying import DEPLOYER, OFF, UNUSED, spoiled
from faults import Fault, props, put
from template import ACCOUNT, ALIAS, PSEUDO, REGION, named
from tools import findings

HERE = Path(__file__).resolve().parents[2]
STACK = PSEUDO["AWS::StackName"]
FIRST, SECOND = "2611271930-0123456789ab", "2611271931-0123456789ab"
# What a stage has from its second deployment on, and with it whatever a parameter turns on that a workflow may make.
GROWN = {
    "DeletionProtection": "true", "ReserveConcurrency": "true", "AlarmEmail": "alarms@tenantry.example", "SmsProvider": "sns",
    "ConcurrencyQuota": "1000", "WorkerConcurrency": "10", "DeliverConcurrency": "40",
}  # fmt: skip
# What a resource is named by where the template says how, and what is named after the stack and its id otherwise.
NAME = {
    "AWS::Lambda::Function": "FunctionName", "AWS::IAM::Role": "RoleName", "AWS::DynamoDB::Table": "TableName", "AWS::S3::Bucket": "BucketName",
    "AWS::SQS::Queue": "QueueName", "AWS::SNS::Topic": "TopicName", "AWS::Events::Rule": "Name", "AWS::CloudWatch::Alarm": "AlarmName",
    "AWS::Logs::LogGroup": "LogGroupName", "AWS::CloudWatch::Dashboard": "DashboardName",
}  # fmt: skip
FORM = {
    "AWS::Lambda::Function": "lambda:{region}:{account}:function:{name}", "AWS::IAM::Role": "iam::{account}:role{path}{name}",
    "AWS::DynamoDB::Table": "dynamodb:{region}:{account}:table/{name}", "AWS::S3::Bucket": "s3:::{lower}",
    "AWS::SQS::Queue": "sqs:{region}:{account}:{name}", "AWS::SNS::Topic": "sns:{region}:{account}:{name}",
    "AWS::SNS::Subscription": "sns:{region}:{account}:{name}", "AWS::Events::Rule": "events:{region}:{account}:rule/{name}",
    "AWS::CloudWatch::Alarm": "cloudwatch:{region}:{account}:alarm:{name}", "AWS::CloudWatch::Dashboard": "cloudwatch::{account}:dashboard/{name}",
    "AWS::Logs::LogGroup": "logs:{region}:{account}:log-group:{name}", "AWS::KMS::Key": "kms:{region}:{account}:key/1",
    "AWS::Lambda::EventSourceMapping": "lambda:{region}:{account}:event-source-mapping:1", "AWS::ApiGatewayV2::Api": "apigateway:{region}::/apis/1",
    "AWS::ApiGatewayV2::Stage": "apigateway:{region}::/apis/1/stages/1",
}  # fmt: skip
# What is a part of another resource, and so is asked of that.
PART = {
    "AWS::Lambda::Version": "FunctionName", ALIAS: "FunctionName", "AWS::Lambda::Permission": "FunctionName",
    "AWS::Lambda::EventInvokeConfig": "FunctionName", "AWS::IAM::RolePolicy": "RoleName", "AWS::S3::BucketPolicy": "Bucket",
    "AWS::SNS::Subscription": "TopicArn",
}  # fmt: skip
# What IAM knows no resource of, or none before it is made.
NAMELESS = {
    "kms:CreateKey", "lambda:CreateEventSourceMapping", "logs:CreateLogDelivery", "logs:PutResourcePolicy", "logs:DescribeResourcePolicies",
    "logs:DescribeLogGroups",
}  # fmt: skip


@functools.cache
def handlers():
    out = {}
    for file in (Path(cfnlint.__file__).parent / "data/schemas/resources").glob("*.json"):
        schema = json.loads(file.read_text(encoding="utf-8"))
        out[schema.get("typeName")] = {step: h.get("permissions", []) for step, h in schema.get("handlers", {}).items()}
    return out


class Stage:
    """A stage as the template makes it with some parameters."""

    def __init__(self, t, folder, **parameters):
        def defaults(source):
            for name, value in parameters.items():
                source["Parameters"][name]["Default"] = value

        self.t = t.changed(Path(folder) / f"{len(list(Path(folder).iterdir()))}.json", defaults)
        self.all = {}
        for name, resource in self.t.expand(parameters)["Resources"].items():
            condition = resource.get("Condition")
            if resource["Type"] not in OFF and (not condition or self.t.holds(self.t.expanded["Conditions"][condition])):
                self.all[name] = resource

    def arn(self, ident):
        resource = self.all[ident]
        kind, properties = resource["Type"], resource.get("Properties", {})
        if kind in PART:
            node = properties[PART[kind]]
            return self.arn(self.t.function(node)[0] if PART[kind] == "FunctionName" else named(node))
        if kind not in FORM:
            raise KeyError(f"{ident}: how a {kind} is named is not known here")
        given = properties.get(NAME.get(kind))
        name = self.t.resolve(given) if given else f"{STACK}-{ident}-1A2B3C"
        return "arn:aws:" + FORM[kind].format(
            region=REGION, account=ACCOUNT, name=name, lower=name.lower(), path=self.t.resolve(properties.get("Path", "/"))
        )

    def asks(self, ident, step):
        """What CloudFormation asks for in a step with one resource: action, resource, context."""
        resource = self.all[ident]
        kind, properties = resource["Type"], resource.get("Properties", {})
        service = FORM.get(kind, "").split(":")[0] or self.arn(ident).split(":")[2]
        for action in handlers()[kind].get(step, []):
            context = {}
            if UNUSED.search(action) or action.split(":")[0] != service and (action, kind) != ("iam:PassRole", "AWS::Lambda::Function"):
                continue
            where = "*" if action in NAMELESS else self.arn(ident)
            if action == "iam:PassRole":
                where, context = self.arn(named(properties["Role"])), {"iam:PassedToService": ["lambda.amazonaws.com"]}
            elif action == "lambda:CreateEventSourceMapping":
                context = {"lambda:FunctionArn": [self.arn(self.t.function(properties["FunctionName"])[0])]}
            elif kind == "AWS::ApiGatewayV2::Api" and action == "apigateway:POST":
                where = where.rsplit("/", 1)[0]
            elif service == "iam":
                role = ident if kind == "AWS::IAM::Role" else named(properties["RoleName"])
                node = self.all[role]["Properties"].get("PermissionsBoundary")
                bound = self.t.resolve(node) if node else None
                context = {"iam:PermissionsBoundary": [bound]} if bound else {}
            yield action, where, context


def cloudformation(stage, step, of, idents):
    for ident in idents:
        for action, where, context in stage.asks(ident, step):
            yield {"Step": f"{of}, {step} {ident}", "Role": "ServiceRole", "Action": action, "Resource": where, "Context": context}


def deploys(of):
    """What `sam deploy` calls."""
    stack = f"arn:aws:cloudformation:{REGION}:{ACCOUNT}:stack/{STACK}/1"
    zips = "arn:aws:s3:::deployer-artifacts-1"
    for action, where, context in [
        ("cloudformation:DescribeStacks", stack, {}), ("cloudformation:CreateChangeSet", stack, {}),
        ("cloudformation:CreateChangeSet", f"arn:aws:cloudformation:{REGION}:aws:transform/Serverless-2016-10-31", {}),
        ("cloudformation:DescribeChangeSet", stack, {}), ("cloudformation:ExecuteChangeSet", stack, {}),
        ("cloudformation:DescribeStackEvents", stack, {}), ("cloudformation:GetTemplateSummary", "*", {}),
        ("s3:GetObject", f"{zips}/a.zip", {}), ("s3:PutObject", f"{zips}/a.zip", {}), ("s3:ListBucket", zips, {}),
        ("iam:PassRole", f"arn:aws:iam::{ACCOUNT}:role/deployer-ServiceRole-1", {"iam:PassedToService": ["cloudformation.amazonaws.com"]}),
    ]:  # fmt: skip
        yield {"Step": f"{of}, sam deploy", "Role": "DeployRole", "Action": action, "Resource": where, "Context": context}


def retained(stage, created=False):
    """What stays when the stack goes: all that is retained, or what is even where the stack was never whole."""
    keeps = {"Retain"} if created else {"Retain", "RetainExceptOnCreate"}
    return {ident for ident, r in stage.all.items() if r.get("DeletionPolicy") in keeps}


def plan(t, folder):
    """What each step asks for."""
    boundary = f"arn:aws:iam::{ACCOUNT}:policy/boundary"
    first = Stage(t, folder, Release=FIRST, PermissionsBoundary=boundary)
    second = Stage(t, folder, Release=SECOND, PermissionsBoundary=boundary, **GROWN)
    # Up: all is made. If that fails, all is taken back that isn't retained even so.
    yield from deploys("up")
    for step in ("create", "read"):
        yield from cloudformation(first, step, "up", first.all)
    yield from cloudformation(first, "delete", "up that fails", first.all.keys() - retained(first, created=True))
    # Update: what is new is made, what differs changes, what is gone goes. Anything that is there may differ in another release.
    yield from deploys("update")
    yield from cloudformation(second, "create", "update", second.all.keys() - first.all.keys())
    yield from cloudformation(second, "update", "update", second.all.keys() & first.all.keys())
    yield from cloudformation(first, "delete", "update", first.all.keys() - second.all.keys() - retained(first))
    # Back moves aliases, which is a person's; then versions that are old are pruned. Of the function itself nobody takes anything.
    for ident in second.all:
        if second.all[ident]["Type"] == "AWS::Lambda::Function":
            for action in ("lambda:ListAliases", "lambda:ListVersionsByFunction"):
                yield {"Step": f"back, {ident}", "Role": "DeployRole", "Action": action, "Resource": second.arn(ident)}
            one = {"Step": f"back, prune {ident}", "Role": "DeployRole", "Action": "lambda:DeleteFunction"}
            yield one | {"Resource": second.arn(ident) + ":1"}
            yield one | {"Resource": second.arn(ident), "Refused": True}
    # Down: what isn't retained goes; no workflow takes a stage down.
    yield from cloudformation(second, "delete", "down", second.all.keys() - retained(second))
    stack = f"arn:aws:cloudformation:{REGION}:{ACCOUNT}:stack/{STACK}/1"
    yield {"Step": "down", "Role": "DeployRole", "Action": "cloudformation:DeleteStack", "Resource": stack, "Refused": True}


def life(t):
    """Up, update, back and down ask for nothing that the deployer's roles may not do, by the registry and the repository's judge of policies."""
    with tempfile.TemporaryDirectory() as folder:
        requests = list({json.dumps(r, sort_keys=True): r for r in plan(t, folder)}.values())
    done = subprocess.run(
        ["go", "run", "./infra/rehearsal", "-stack", STACK, "-template", str((t.root if (t.root / DEPLOYER).is_file() else HERE) / DEPLOYER)],
        cwd=HERE, input=json.dumps(requests), capture_output=True, text=True, check=False,
    )  # fmt: skip
    said = [line for line in done.stdout.splitlines() + done.stderr.splitlines() if not line.startswith("exit status")]
    if done.returncode and not said:
        yield f"infra/rehearsal ended with {done.returncode}"
    yield from said


def grown(t):
    """The template is one that CloudFormation takes with what a stage has after its first deployment, as one that goes up is."""
    with tempfile.TemporaryDirectory() as folder:
        yield from findings(Stage(t, folder, Release=SECOND, **GROWN).t)


RULES = [life, grown]


def in_deployer(old, new, expect):
    return Fault("life", lambda t: None, expect, spoiled(DEPLOYER, old, new))


FAULTS = [
    in_deployer("                  - dynamodb:CreateTable\n", "", "up, create Table: ServiceRole may not dynamodb:CreateTable on arn:aws:dynamodb"),
    in_deployer("                  - dynamodb:DeleteTable\n", "", "up that fails, delete Table: ServiceRole may not dynamodb:DeleteTable"),
    in_deployer("                  - lambda:UpdateAlias\n", "", "Aliaslive: ServiceRole may not lambda:UpdateAlias"),
    in_deployer("                  - lambda:DeleteAlias\n", "", "down, delete WorkerFunctionAliaslive: ServiceRole may not lambda:DeleteAlias"),
    in_deployer("                  - sns:Subscribe\n", "", "update, create AlarmSubscription: ServiceRole may not sns:Subscribe"),
    in_deployer("function:${StackName}-*:*'", "function:${StackName}-*'", "back, prune WorkerFunction: DeployRole may lambda:DeleteFunction"),
    in_deployer("function:${StackName}-*:*'", "function:other-*:*'", "back, prune WorkerFunction: DeployRole may not lambda:DeleteFunction"),
    in_deployer("cloudformation:ListStackResources", "cloudformation:DeleteStack", "down: DeployRole may cloudformation:DeleteStack"),
    in_deployer("                  - cloudformation:ExecuteChangeSet\n", "", "up, sam deploy: DeployRole may not cloudformation:ExecuteChangeSet"),
    Fault("life", lambda t: put(props(t, "SmsLog"), "LogGroupName", "/other/sms"), "up, create SmsLog: ServiceRole may not logs:CreateLogGroup on"),
    Fault("life", lambda t: put(props(t, "PackRole"), "Path", "/pack/"), "up, create PackRole: ServiceRole may not iam:CreateRole on"),
    Fault("life", lambda t: props(t, "PackRole").pop("PermissionsBoundary"), "up, create PackRole: ServiceRole may not iam:CreateRole on"),
    Fault("life", lambda t: put(props(t, "NormalQueue"), "QueueName", "normal"), "up, create NormalQueue: ServiceRole may not sqs:CreateQueue on"),
    Fault("grown", lambda t: put(t["Parameters"]["DeletionProtection"], "AllowedValues", ["false"]), "DeletionProtection"),
]
