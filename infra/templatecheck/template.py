"""The template as the checks see it: as written, and as AWS gets it once SAM has expanded it."""

import copy
import functools
import json
import logging
import os
import re
from pathlib import Path

# The translator wants a region, though nothing here talks to AWS.
REGION = "eu-central-1"
ACCOUNT = "123456789012"
os.environ.setdefault("AWS_DEFAULT_REGION", REGION)

from samcli.yamlhelper import yaml_parse  # noqa: E402
from samtranslator.translator.transform import transform  # noqa: E402

# It counts its own calls and complains that nobody publishes them.
logging.getLogger("samtranslator.metrics").setLevel(logging.ERROR)

ALIAS = "AWS::Lambda::Alias"
# What each function is called at.
LIVE = "live"

PSEUDO = {
    "AWS::Region": REGION,
    "AWS::AccountId": ACCOUNT,
    "AWS::Partition": "aws",
    "AWS::URLSuffix": "amazonaws.com",
    "AWS::StackName": "tenantry",
}

# A stream's real label is a time; parliament takes its colons for the ARN's.
ATTRIBUTES = {
    ("AWS::DynamoDB::Table", "Arn"): "arn:aws:dynamodb:{region}:{account}:table/{id}",
    ("AWS::DynamoDB::Table", "StreamArn"): "arn:aws:dynamodb:{region}:{account}:table/{id}/stream/label",
    ("AWS::S3::Bucket", "Arn"): "arn:aws:s3:::{id}",
    ("AWS::IAM::Role", "Arn"): "arn:aws:iam::{account}:role/{id}",
    ("AWS::KMS::Key", "Arn"): "arn:aws:kms:{region}:{account}:key/{id}",
    ("AWS::SQS::Queue", "Arn"): "arn:aws:sqs:{region}:{account}:{id}",
    ("AWS::SQS::Queue", "QueueName"): "{id}",
    ("AWS::CloudWatch::Alarm", "Arn"): "arn:aws:cloudwatch:{region}:{account}:alarm:{id}",
    ("AWS::SNS::Topic", "TopicArn"): "arn:aws:sns:{region}:{account}:{id}",
    ("AWS::Logs::LogGroup", "Arn"): "arn:aws:logs:{region}:{account}:log-group:{id}:*",
    ("AWS::Lambda::Function", "Arn"): "arn:aws:lambda:{region}:{account}:function:{id}",
}


class NoManagedPolicies:
    """Stands in for the list that SAM asks IAM for. The template uses no policy of AWS's."""

    def load(self):
        return {}


class Template:
    """One template, at a path, and what it expands to."""

    def __init__(self, path, root=None):
        self.path = Path(path)
        self.root = Path(root) if root else self.path.parent
        self.source = yaml_parse(self.path.read_text(encoding="utf-8"))

    def changed(self, path, change, root=None):
        """Writes a copy with one change; the copy belongs to the same folder of code unless another is given."""
        source = copy.deepcopy(self.source)
        change(source)
        path.write_text(json.dumps(source, indent=1, default=str), encoding="utf-8")
        return Template(path, root or self.root)

    @functools.cached_property
    def expanded(self):
        return self.expand({})

    def expand(self, parameters):
        """What it expands to with values of parameters."""
        source = copy.deepcopy(self.source)
        for resource in source["Resources"].values():
            if resource["Type"] == "AWS::Serverless::Function":
                # Where `sam package` would have put the code.
                resource["Properties"]["CodeUri"] = {"Bucket": "artifacts", "Key": "code.zip"}
        return json.loads(json.dumps(transform(source, parameters, NoManagedPolicies()), default=str))

    def resources(self, kind):
        """The expanded resources of one type: name and properties."""
        return {
            name: resource.get("Properties", {})
            for name, resource in self.expanded["Resources"].items()
            if resource["Type"] == kind
        }

    def written(self, kind):
        """The resources of one type as they are written: name and the whole resource."""
        return {name: resource for name, resource in self.source["Resources"].items() if resource["Type"] == kind}

    def function(self, node):
        """The function that a reference points to, and whether to its alias: directly, or by the text that SAM's local tools need."""
        text = node.get("Fn::Sub") if isinstance(node, dict) else None
        if isinstance(text, list):  # as SAM writes an authorizer's
            text = text[1].get("__FunctionArn__", {}).get("Fn::Sub")
        if text:
            match = re.search(r"\$\{(\w+)\.Arn\}(:" + LIVE + r")?(/invocations)?$", text)
            return (match[1], bool(match[2])) if match else (None, False)
        target = self.expanded["Resources"].get(named(node), {})
        if target.get("Type") == ALIAS:
            return named(target["Properties"]["FunctionName"]), target["Properties"]["Name"] == LIVE
        return named(node), False

    def resolve(self, node):
        """Replaces references by values of the shape that AWS gives; a reference to nothing is a KeyError."""
        if isinstance(node, list):
            return [self.resolve(item) for item in node]
        if not isinstance(node, dict):
            return node
        if len(node) != 1:
            return {key: self.resolve(value) for key, value in node.items()}
        (key, value), = node.items()
        if key == "Ref":
            return self._ref(value)
        if key == "Fn::GetAtt":
            return self._attribute(*(value.split(".", 1) if isinstance(value, str) else value))
        if key == "Fn::Sub":
            return self._sub(value)
        if key == "Fn::Select":
            index, items = value
            return self.resolve(items)[int(index)]
        if key == "Fn::Split":
            separator, text = value
            return self.resolve(text).split(separator)
        if key == "Fn::Join":
            separator, items = value
            return separator.join(self.resolve(items))
        if key == "Fn::If":
            condition, yes, no = value
            return self.resolve(yes if self.holds(self.expanded["Conditions"][condition]) else no)
        if key.startswith("Fn::"):
            raise KeyError(f"no rule for {key}")
        return {key: self.resolve(value)}

    def holds(self, condition):
        """Whether a condition is true of the parameters' defaults."""
        (key, value), = condition.items()
        if key == "Fn::Not":
            return not self.holds(value[0])
        if key == "Fn::Equals":
            one, other = self.resolve(value)
            return str(one) == str(other)
        raise KeyError(f"no rule for {key}")

    def _ref(self, name):
        if name in PSEUDO:
            return PSEUDO[name]
        if name in self.expanded.get("Parameters", {}):
            default = self.expanded["Parameters"][name].get("Default", "")
            return default or {"MailFrom": "post@tenantry.example", "PlatformDomain": "tenantry.example"}.get(name, "")
        if self.expanded["Resources"].get(name, {}).get("Type") == ALIAS:
            properties = self.expanded["Resources"][name]["Properties"]
            return f"{self._attribute(named(properties['FunctionName']), 'Arn')}:{properties['Name']}"
        if name in self.expanded["Resources"]:
            return name
        raise KeyError(f"nothing is named {name}")

    def _attribute(self, name, attribute):
        if name not in self.expanded["Resources"]:
            raise KeyError(f"nothing is named {name}")
        kind = self.expanded["Resources"][name]["Type"]
        if (kind, attribute) not in ATTRIBUTES:
            raise KeyError(f"no rule for {attribute} of {kind}")
        ident = name.lower() if kind == "AWS::S3::Bucket" else name
        return ATTRIBUTES[kind, attribute].format(region=REGION, account=ACCOUNT, id=ident)

    def _sub(self, value):
        text, given = (value, {}) if isinstance(value, str) else value
        out = ""
        while "${" in text:
            before, rest = text.split("${", 1)
            name, text = rest.split("}", 1)
            if name in given:
                found = self.resolve(given[name])
            elif "." in name:
                found = self._attribute(*name.split(".", 1))
            else:
                found = self._ref(name)
            out += before + str(found)
        return out + text


def listed(value):
    """One or many, as IAM and CloudFormation write it, as a list."""
    return value if isinstance(value, list) else [] if value is None else [value]


def named(node):
    """The logical name that a Ref or GetAtt points to, or None."""
    if isinstance(node, dict):
        if "Ref" in node:
            return node["Ref"]
        target = node.get("Fn::GetAtt")
        if target:
            return target.split(".")[0] if isinstance(target, str) else target[0]
    return None
