"""What Schemathesis doesn't know about requests that are refused or taken: it loads this file (schemathesis.toml).

A schema can't say everything, so a request that agrees with it may be refused, but only for what a schema can't say. And the platform
takes some values in more forms than the description names types for, so that programs send what they have: the description says so in
words (Bodies, Lists), and here they are rules.
"""

import atexit
import json
import pathlib
import re

import jsonschema_rs
import schemathesis
from schemathesis.core.failures import AcceptedNegativeData
from schemathesis.core.parameters import ParameterLocation
from schemathesis.openapi.checks import RejectedPositiveData
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

DESCRIPTION = json.loads((pathlib.Path(__file__).parent / "../../docs/openapi.json").read_text(encoding="utf-8"))

# The codes of what a schema says of a value, so no request that agrees with its schema is refused for it. Without `required` and
# `empty_list`: what is always required is described by the tag that makes it so, and what is so beside another field no schema says.
SAID = frozenset({
    "blank", "invalid_boolean", "invalid_date", "invalid_duration", "invalid_integer", "invalid_json", "invalid_number",
    "invalid_string", "invalid_time", "invalid_uuid", "malformed_body", "not_a_list", "null", "pattern_mismatch",
    "text_too_large", "too_long", "too_short", "value_too_large", "value_too_small",
})


# Parameters that many operations share: one code reads them for all, so they are tried at the operations of one group.
SHARED = frozenset({"idempotencyKey", "ifMatch", "ifNoneMatch", "page", "pageSize"})
TRIED_AT = "services"
# The same is true of the forms of a filter, which follow from its type: name__gte, name__in and so on.
FORM = re.compile("__(gte|lte|in|isnull)$")
# The company, which schemathesis.toml names in each request: without it the second one that is made would end all the rest.
COMPANY = "tenant"

# The operations that have taken a request, once for each. A run whose session has ended is refused everywhere, and every check passes.
TAKEN = []


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Takes shared parameters away from all groups but one, which halves what is sent."""
    for operations in raw_schema["paths"].values():
        for operation in operations.values():
            left_out = {COMPANY} if TRIED_AT in operation["tags"] else SHARED | {COMPANY}
            operation["parameters"] = [
                one
                for one in operation.get("parameters", [])
                if one.get("$ref", "").rpartition("/")[2] not in left_out
                and (TRIED_AT in operation["tags"] or not FORM.search(one.get("name", "")))
            ]


@schemathesis.hook
def before_call(context, case, kwargs):
    """Asks for problems, which have codes, where a request agrees with its schema, and for the usual errors where it doesn't."""
    if case.meta is not None and case.meta.generation.mode.is_positive:
        case.headers["Accept"] = "application/problem+json, */*;q=0.9"


@schemathesis.hook
def after_call(context, case, response):
    """Notes what was taken."""
    if 200 <= response.status_code < 300:
        TAKEN.append(case.operation.label)


@atexit.register
def told():
    """Tells the Go test, which wants a floor of both."""
    print(f"Taken: {len(TAKEN)} requests of {len(set(TAKEN))} operations")


@schemathesis.check
def refused_for_what_no_schema_says(ctx, response, case):
    """A request that agrees with its schema is taken, or refused for another reason than its form."""
    try:
        positive_data_acceptance(ctx, response, case)
    except RejectedPositiveData:
        # The body of another operation is any JSON but null, which no type says.
        said = codes(response) & (SAID - {"null"} if case.operation.path == "/v1/crm/requests/{id}/quote/" else SAID)
        # Formats within alternatives are made without regard to them: what is no date there is no value of the schema.
        if response.status_code not in (400, 422) or said and agrees(case, as_sent=True):
            raise


def codes(response):
    """The codes of what is wrong; of an answer that has none, one that a schema would say."""
    try:
        problem = response.json()
        return {one["code"] for one in problem.get("errors") or [problem]}
    except (AttributeError, KeyError, TypeError, ValueError):
        return {"invalid_json"}


@schemathesis.check
def taken_in_another_form(ctx, response, case):
    """A request that doesn't agree with its schema is refused, unless it does in the form that the platform reads it in."""
    try:
        negative_data_rejection(ctx, response, case)
    except AcceptedNegativeData:
        # Rows of penalties are judged one by one, and answered so: what is no row is refused there.
        rows = case.operation.path == "/v1/cars/penalties/" and isinstance(case.body, list)
        if not rows and not (negated(case) <= READ_FREELY and agrees(case)):
            raise


# Where values are taken in more forms than one.
READ_FREELY = frozenset({ParameterLocation.QUERY, ParameterLocation.BODY})


def negated(case):
    """The places of a request in which it doesn't agree with its schema."""
    return {place for place in case.meta.components if case.meta.is_negative_at(place)}


def agrees(case, as_sent=False):
    """Tells whether a request agrees with the description, once what that allows in words is done with it, or as it was sent."""
    operation = DESCRIPTION["paths"][case.operation.path][case.operation.method.lower()]
    for parameter in map(resolved, operation.get("parameters", [])):
        if as_sent or parameter["in"] != "query" or parameter["name"] not in (case.query or {}):
            continue
        value, schema = case.query[parameter["name"]], parameter["schema"]
        ignored = value in ("", [], [""]) or parameter["name"] == "pageSize"
        if not ignored and not valid(schema, typed(value, schema)):
            return False
    content = operation.get("requestBody", {}).get("content", {}).get(case.media_type)
    if content is None:
        return True
    if as_sent:
        return case.media_type != "application/json" or valid(content["schema"], case.body)
    return valid(content["schema"], read(case.body, content["schema"], form=case.media_type != "application/json"))


def resolved(schema):
    """What a reference leads to."""
    while "$ref" in schema:
        found = DESCRIPTION
        for name in schema["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        schema = found
    return schema


def valid(schema, value):
    """Tells whether a value agrees with a schema."""
    whole = {**schema, "components": DESCRIPTION["components"]}
    return jsonschema_rs.Draft202012Validator(whole, validate_formats=True).is_valid(value)


def typed(value, schema):
    """A value of a query, whose lists are texts with commas."""
    schema = resolved(schema)
    if schema.get("type") == "array":
        parts = value if isinstance(value, list) else str(value).split(",")
        return [read(one, schema["items"], form=True) for one in parts if one != ""]
    return read(value[-1] if isinstance(value, list) else value, schema, form=True)


def read(value, schema, form):
    """A value in the form that the platform reads it in: integers may be texts, texts numbers, booleans 0 and 1, and texts are trimmed."""
    schema = resolved(schema)
    for choice in schema.get("oneOf", []) + schema.get("anyOf", []):
        read_so = read(value, choice, form)
        if valid(choice, read_so):
            return read_so
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if isinstance(value, dict) and "object" in types:
        known = schema.get("properties", {})
        left = {name: one for name, one in value.items() if name in known and not (form and one == "")}
        return {name: read(one, known[name], form) for name, one in left.items()}
    if isinstance(value, list) and "array" in types:
        return [read(one, schema.get("items", {}), form) for one in value]
    if isinstance(value, str):
        value = value.strip()
        if "integer" in types and re.fullmatch(r"[+-]?\d+(\.0*)?", value):
            return int(value.partition(".")[0])
        if value.lower() in TRUTHS and "boolean" in types:
            return True
        if value.lower() in TRUTHS and set(schema.get("enum", [])) == {"true", "false"}:
            return "true"
        if "null" in types and value == "":
            return None
    elif "boolean" in types and value in (0, 1):
        return bool(value)
    elif "string" in types and isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"{value:f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
    return value


TRUTHS = frozenset({"true", "false", "1", "0", "t", "f", "yes", "no", "y", "n", "on", "off"})
