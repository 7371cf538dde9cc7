"""SAM's own code, as `sam local start-api` and `sam local invoke` run it, without a container engine.

It reads commands and writes answers, one JSON document a line; samlocal_test.go says what has to come out. SAM loads the
template, finds the routes, makes the events and each function's environment, and answers requests by its Flask app. Only
what would run a container is replaced: that invocation goes to the test, which runs the real bootstrap with it.
"""

import base64
import json
import logging
import os
import sys
import urllib.request
from io import StringIO
from pathlib import Path

os.environ["SAM_CLI_TELEMETRY"] = "0"

from samcli.commands._utils.template import move_template  # noqa: E402
from samcli.commands.local.cli_common.invoke_context import InvokeContext  # noqa: E402
from samcli.commands.local.lib.local_api_service import LocalApiService  # noqa: E402
from samcli.commands.local.lib.local_lambda import LocalLambdaRunner  # noqa: E402
from samcli.lib.config.samconfig import SamConfig  # noqa: E402
from samcli.lib.telemetry.event import EventTracker  # noqa: E402
from samcli.lib.utils.stream_writer import StreamWriter  # noqa: E402
from samcli.local.apigw.local_apigw_service import LocalApigwService  # noqa: E402
from samcli.local.services.base_local_service import LambdaOutputParser  # noqa: E402
from samcli.yamlhelper import yaml_parse  # noqa: E402


class Runner(LocalLambdaRunner):
    """SAM's runner, up to the container: function and environment are what SAM found."""

    helper = None

    def invoke(self, function_identifier, event, stdout=None, **_):
        function = self.get_function(function_identifier)
        config = self.get_invoke_config(function)
        sent = {"function": function.function_id, "environment": config.env_vars.resolve(), "event": event}
        request = urllib.request.Request(self.helper, json.dumps(sent).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            stdout.write_str(answer.read().decode())


class Context(InvokeContext):
    """SAM's context, which would end here because it finds no container engine."""

    @property
    def local_lambda_runner(self):
        return self.runner

    @staticmethod
    def _get_container_manager(*_):
        return None

    def __enter__(self):
        super().__enter__()
        self.runner = Runner(
            local_runtime=None,
            function_provider=self._function_provider,
            cwd=self.get_cwd(),
            real_path=self.get_cwd(),
            aws_region=self._aws_region,
            env_vars_values=self._env_vars_value,
        )
        return self


class Local:
    def load(self, helper, template, env, built=None):
        """Starts everything for a template; with a folder in built, for the template that `sam build` would make of it."""
        if built:
            source = yaml_parse(Path(template).read_text(encoding="utf-8"))
            move_template(template, str(Path(built) / "template.yaml"), source)
            template = str(Path(built) / "template.yaml")
        Runner.helper = helper
        self.context = Context(template_file=template, env_vars_file=env, aws_region="eu-central-1")
        self.context.__enter__()
        service = LocalApiService(self.context, 3000, "127.0.0.1", None, False, None)
        api = service.api_provider.api
        self.gateway = LocalApigwService(api=api, lambda_runner=self.context.local_lambda_runner, port=3000, host="127.0.0.1")
        self.gateway.create()
        self.client = self.gateway._app.test_client()
        return {
            "template": Path(template).read_text(encoding="utf-8"),
            "routes": [
                {
                    "path": r.path,
                    "methods": sorted(r.methods),
                    "function": r.function_name,
                    "authorizer": r.authorizer_object.lambda_name if r.authorizer_object else "",
                    "payload": r.payload_format_version,
                }
                for r in api.routes
            ],
        }

    def environment(self, function):
        runner = self.context.local_lambda_runner
        return runner.get_invoke_config(runner.get_function(function)).env_vars.resolve()

    def presets(self, command):
        """What samconfig.toml presets for a command."""
        return SamConfig(os.environ["SAMROOT"]).get_all(["local", command], "parameters")

    def route(self, method, path):
        """The function that Flask would call."""
        endpoint, _ = self.gateway._app.url_map.bind("127.0.0.1").match(path, method)
        return self.gateway._dict_of_routes[f"{endpoint}:{method}"].function_name

    def request(self, method, path, headers, body="", encoding="utf-8"):
        answer = self.client.open(path, method=method, headers=headers, data=body.encode(encoding), base_url="http://127.0.0.1:3000")
        return {
            "status": answer.status_code,
            "headers": dict(answer.headers.items()),
            "body": base64.b64encode(answer.get_data()).decode(),
        }

    def invoke(self, function, event):
        with StringIO() as stdout:
            self.context.local_lambda_runner.invoke(function, event, stdout=StreamWriter(stdout, auto_flush=True))
            answer, failed = LambdaOutputParser.get_lambda_output(stdout)
        return {"answer": answer, "failed": failed}


def main():
    logging.disable(logging.CRITICAL)
    EventTracker.track_event = staticmethod(lambda *_, **__: None)
    local, out = Local(), sys.stdout
    sys.stdout = sys.stderr  # answers only
    for line in sys.stdin:
        command = json.loads(line)
        try:
            answer = {"ok": getattr(local, command.pop("do"))(**command)}
        except Exception as problem:  # it is the test that judges
            answer = {"error": f"{type(problem).__name__}: {problem}"}
        print(json.dumps(answer), file=out, flush=True)


if __name__ == "__main__":
    main()
