"""Dependencies between the resources of a translated template, and circles among them.

No validator finds a circle behind `Fn::Sub` in every resource type; CloudFormation refuses it at the deployment.
"""

import re
from collections.abc import Iterator

# A variable of `Fn::Sub`: a resource, or an attribute of a resource. `${!Literal}` is not a variable.
VARIABLE = re.compile(r"\$\{([A-Za-z0-9]+)(?:\.[^}]+)?\}")


def of(node: object) -> Iterator[str]:
    """Provides the names that a part of a template refers to: of resources, parameters and variables."""
    if isinstance(node, list):
        for item in node:
            yield from of(item)
    if not isinstance(node, dict):
        return
    for name, value in node.items():
        if name == "Ref":
            yield value
        elif name == "Fn::GetAtt":
            yield value.split(".")[0] if isinstance(value, str) else value[0]
        elif name == "Fn::Sub":
            yield from of_text(value)
        else:
            yield from of(value)


def of_text(sub: str | list) -> Iterator[str]:
    """Provides the names that a `Fn::Sub` refers to, except its own variables."""
    text, own = sub if isinstance(sub, list) else (sub, {})
    yield from (name for name in VARIABLE.findall(text) if name not in own)
    yield from of(own)


def graph(resources: dict[str, dict]) -> dict[str, set[str]]:
    """Returns the resources that each resource waits for. Both sides of a condition count."""
    edges = {}
    for name, resource in resources.items():
        named = resource.get("DependsOn", [])
        named = [named] if isinstance(named, str) else named
        edges[name] = (set(named) | set(of(resource.get("Properties", {})))) & set(resources)
    return edges


def circles(resources: dict[str, dict]) -> list[list[str]]:
    """Returns resources that wait for themselves, each with the path back to it."""
    edges = graph(resources)
    found, done = [], set()

    def follow(name: str, way: list[str]) -> None:
        if name in way:
            found.append([*way[way.index(name) :], name])
        elif name not in done:
            for next_name in sorted(edges[name]):
                follow(next_name, [*way, name])
            done.add(name)

    for name in sorted(edges):
        follow(name, [])
    return found
