"""Writes ``resources.py``: a class for each resource, whose methods call the operations of the generated code.

The signatures are those of the generated functions, without what the client sets itself.

Usage: ``python write_resources.py GENERATED_FOLDER < METHODS``, where METHODS is the list of ``client/methods.ts`` in JSON.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from pathlib import Path
from typing import Any

# The client sets these parameters.
OWN_PARAMETERS = {"client", "idempotency_key", "x_api_version", "x_test_fault"}
READERS = {"offset": "read_by_offset", "held": "read_held_still", "cursor": "read_by_cursor"}
HEAD = '''"""The resources of the API. This file is generated."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any, Literal
from uuid import UUID

from .._call import ApiCall, CallOptions
from .._lists import List, read_by_cursor, read_by_offset, read_held_still
from . import models
from .types import UNSET, Unset
'''


class Operation:
    """The generated function of an operation."""

    def __init__(self, module: Path) -> None:
        self.module = module
        text = module.read_text()
        self.is_read = '"method": "get"' in text
        tree = ast.parse(text)
        function = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "sync")
        assert function.returns is not None
        types = _alternatives(function.returns)
        self.returns = " | ".join(_public(each) for each in types if each not in ("None", "Error", "Any"))
        arguments = function.args
        self.ids = [each.arg for each in arguments.args]
        self.parameters = {
            each.arg: (_public(ast.unparse(each.annotation)) if each.annotation else "Any", default)
            for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults)
            if each.arg not in OWN_PARAMETERS
        }
        self.import_line = f"from .api.{module.parent.name} import {module.stem}"

    def item(self) -> str:
        """The type of the items of a page."""
        model = self.module.parents[2] / "models" / f"{_snake(self.returns.removeprefix('models.'))}.py"
        found = re.search(r"^    data: list\[(\w+)\]", model.read_text(), re.MULTILINE)
        assert found, model
        return f"models.{found[1]}"


def _alternatives(node: ast.expr) -> list[str]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_alternatives(node.left), *_alternatives(node.right)]
    return [ast.unparse(node)]


def _public(annotation: str) -> str:
    """Return a type as callers know it: a class of the models, and any sequence in the place of a list."""
    text = re.sub(r"(?<![\w.])(?!(?:Any|File|Literal|None|UNSET|UUID|Unset)\b)([A-Z]\w+)", r"models.\1", annotation)
    return re.sub(r"\blist\[", "Sequence[", text).replace("File", "bytes")


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def method_text(method: dict[str, Any], operation: Operation) -> str:
    parameters = dict(operation.parameters)
    body = parameters.pop("body", None)
    waits = parameters.pop("prefer", None) is not None
    is_list = method["list"] is not None
    required = ["self", *(f"{each}: str" for each in operation.ids)]
    call = [*operation.ids]
    if body is not None:
        given = f"body: {body[0]} | Mapping[str, Any]"
        required.append(f"{given} | None = None" if method["optionalBody"] else given)
        call.append("body={} if body is None else body" if method["optionalBody"] else "body=body")
    # The service has the defaults.
    named = [f"{name}: {kind}" + (" = UNSET" if default else "") for name, (kind, default) in parameters.items()]
    if waits:
        named.append("wait: bool = False")
        call.append('prefer="wait" if wait else UNSET')
    named += [] if operation.is_read else ["idempotency_key: str | None = None"]
    named += ["timeout: float | None = None", "max_retries: int | None = None"]
    options = "CallOptions(timeout, max_retries" + ("" if operation.is_read else ", idempotency_key") + ")"
    name = _snake(method["method"])
    of = "self._call" if method["resource"] else "self.__call"
    if is_list:
        returns = f"List[{operation.item()}, {operation.returns}]"
        pairs = ", ".join(f'"{each}": {each}' for each in parameters)
        defaults = "".join(f'"{_snake(key)}": {value!r}, ' for key, value in method["defaults"].items())
        ids = "".join(f", {each}" for each in operation.ids)
        result = (
            f"        options = {options}\n"
            f"        return List(\n"
            f"            lambda query: {of}({operation.module.stem}, options{ids}, **query),\n"
            f"            {{{defaults}**_given({{{pairs}}})}},\n"
            f"            {READERS[method['list']]},\n"
            f"        )\n"
        )
    else:
        returns = operation.returns
        call += [f"{each}={each}" for each in parameters]
        arguments = "".join(f", {each}" for each in call)
        result = f"        result: {returns} = {of}({operation.module.stem}, {options}{arguments})\n        return result\n"
    signature = ", ".join([*required, "*", *named])
    summary = method["summary"].rstrip(".")
    return f'    def {name}({signature}) -> {returns}:\n        """{summary}."""\n{result}'


def main(folder: Path, methods: list[dict[str, Any]]) -> None:
    modules = {module.stem: Operation(module) for module in folder.glob("api/*/*.py") if module.stem != "__init__"}
    used = [modules[_snake(each["operationId"])] for each in methods]
    classes: dict[str, str] = {}
    own = ""
    for method, operation in zip(methods, used):
        text = method_text(method, operation)
        if method["resource"] is None:
            own += f"\n{text}"
        else:
            classes[method["resource"]] = classes.get(method["resource"], "") + f"\n{text}"
    with (folder / "resources.py").open("w") as file:
        file.write(HEAD)
        file.writelines(sorted({f"{each.import_line}\n" for each in used}))
        file.write(
            "\n\ndef _given(query: dict[str, Any]) -> dict[str, Any]:\n"
            "    return {name: value for name, value in query.items() if not isinstance(value, Unset)}\n"
        )
        for resource, text in classes.items():
            name = resource[0].upper() + resource[1:]
            file.write(f"\n\nclass {name}:\n    def __init__(self, call: ApiCall) -> None:\n        self._call = call\n{text}")
        file.write("\n\nclass Resources:\n    def __init__(self, call: ApiCall) -> None:\n        self.__call = call\n")
        for resource in classes:
            file.write(f"        self.{_snake(resource)} = {resource[0].upper() + resource[1:]}(call)\n")
        file.write(own)


main(Path(sys.argv[1]), json.load(sys.stdin))
