"""Helpers that the wires share: places of blocks, texts of parts, arguments of calls.

A place says where a block is in its message's JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from steno.core.errors import BadMessage
from steno.core.message import Block, Call, Media, Message, Opaque, Result, Role, Speaker, Text
from steno.core.wire import Wire
from steno.providers.shared.plain_json import Json, json_text, parse_json

Part = Text | Media | Opaque
"""A block that content may hold, inside a result or beside it."""
Place = tuple[str | int, ...]
"""Keys and indexes that lead to a block; () is the whole message."""
BlockPlaces = list[tuple[Place, Block]]
TURN_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system"}
"""Roles of a provider that has none for tools."""


def encode_message(
    message: Message,
    to_json: Callable[[Message], list[Json]],
    apply_patches: Callable[[Json, Message], Json],
) -> tuple[str, ...]:
    """Return the JSON texts of a message: its own text if it is untouched."""
    if message.raw is None:
        return tuple(json_text(plain) for plain in to_json(message))
    if not message.patches:
        return (message.raw,)
    return (json_text(apply_patches(parse_json(message.raw), message)),)


def patch_places(
    plain: Json,
    message: Message,
    places: BlockPlaces,
    change: Callable[[Any, Block, Block], Any],
) -> Json:
    """Return a message's JSON, with what is at the places of its patches as `change` makes it.

    change: takes what is there, its block and the new block. What has no new block goes, except
    the message itself.
    """
    # From the last on, so that the places of the others stay as they were.
    for at, blocks in sorted(message.patches, reverse=True):
        place, old = places[at]
        if not place:
            for block in blocks[:1]:
                plain = change(plain, old, block)
            continue
        holder: Any = plain
        for step in place[:-1]:
            holder = holder[step]
        made = [change(holder[place[-1]], old, block) for block in blocks]
        if isinstance(holder, list):
            index = cast(int, place[-1])
            holder[index : index + 1] = made
        elif len(made) == 1:
            holder[place[-1]] = made[0]
        elif made:
            holder[place[-1]] = "\n".join(made)
        else:
            del holder[place[-1]]
    return plain


def function_tool(name: str, description: str, schema: Json) -> Json:
    """Return a tool's definition as OpenAI's chat completions take it, and LangChain too."""
    function = {"name": name, "description": description, "parameters": schema}
    return {"type": "function", "function": function}


def content_with_places(
    content: Any, where: str, read_part: Callable[[Any, str], Block]
) -> BlockPlaces:
    """Return the blocks of a `content`, which is null, a string or a list of parts."""
    if content is None:
        return []
    if isinstance(content, str):
        return [(("content",), Text(content))]
    if not isinstance(content, list):
        raise BadMessage(
            where, f"must be a string, a list of parts or null, got {type(content).__name__}"
        )
    return [(("content", at), read_part(part, f"{where}[{at}]")) for at, part in enumerate(content)]


def known_role(role: Any, roles: Mapping[str, Role], wire: str, where: str) -> Role:
    """Return what a provider's role is to us; refuse one that it does not have."""
    if not isinstance(role, str) or role not in roles:
        raise BadMessage(f"{where}.role", f"unknown role {role!r}; {wire} has {', '.join(roles)}")
    return roles[role]


def user_speaker(role: Role, name: Any) -> Speaker:
    """Return who speaks: a user's message with a name comes from an agent, or from another app."""
    if role == "user" and name not in (None, ""):
        return "program"
    return "caller"


def only_blocks(places: BlockPlaces) -> tuple[Any, ...]:
    """Return the blocks of a message, or of a result, without their places."""
    return tuple(block for _, block in places)


def refuse_misplaced(role: Role, blocks: Sequence[Block], where: str) -> None:
    """Raise BadMessage for a call that is not the assistant's, or a result in a wrong message."""
    if role != "assistant" and any(isinstance(block, Call) for block in blocks):
        raise BadMessage(where, f"only an assistant's message can call a tool, not a {role}'s")
    if role in ("assistant", "system") and any(isinstance(block, Result) for block in blocks):
        raise BadMessage(where, f"the result of a call cannot stand in a message of role {role}")


def part_type(part: Any, where: str) -> str:
    """Return the type of a content part; raise BadMessage if it has none."""
    if not isinstance(part, dict) or not isinstance(part.get("type"), str):
        raise BadMessage(where, "a block must be an object with a type")
    return cast(str, part["type"])


def optional_list(plain: Json, key: str, where: str) -> list[Any]:
    """Return the list under a key, empty if there is none; raise BadMessage for anything else."""
    found = plain.get(key) or []
    if not isinstance(found, list):
        raise BadMessage(f"{where}.{key}", f"must be a list, got {type(found).__name__}")
    return found


def joined_parts(parts: Iterable[Part]) -> str:
    """Return the parts as one text; what is no text is named in brackets."""
    lines = []
    for part in parts:
        if isinstance(part, Text):
            lines.append(part.text)
        else:
            lines.append(f"[{part.kind}]")
    return "\n".join(lines)


def joined_words(blocks: Iterable[Block]) -> str:
    """Return the texts and opaque blocks of a message as one text."""
    return "\n".join(block.text for block in blocks if isinstance(block, Text | Opaque))


def arguments_object(arguments: str) -> Json:
    """Return a call's arguments as an object, even if the model wrote something else."""
    try:
        value = parse_json(arguments)
    except (ValueError, RecursionError):
        value = arguments
    if isinstance(value, dict):
        return value
    return {"arguments": value}


def custom_input(arguments: str) -> str:
    """Return the free text that a custom tool takes; shortened arguments wrap it in an object."""
    value = parse_json(arguments)
    if isinstance(value, dict) and len(value) == 1:
        value = next(iter(value.values()))
    if isinstance(value, str):
        return value
    return arguments


def as_turn(
    message: Message,
    element: Callable[[Block], Json],
    assistant: str = "assistant",
    key: str = "content",
) -> list[Json]:
    """Return a message that Steno wrote, for a provider that has no role for tools.

    A medium is named by its `element`: its bytes are only in the original JSON.
    """
    role = "user"
    if message.role == "assistant":
        role = assistant
    return [{"role": role, key: [element(block) for block in message.blocks]}]


def without_nulls(**fields: Any) -> Json:
    return {key: value for key, value in fields.items() if value is not None}


def join_neighbours(wire: Wire, plains: list[Any]) -> list[Any]:
    """Return the messages with neighbours of one role as one, where the provider wants that."""
    if wire.terms.joins is None:
        return plains
    return [joined for joined, _ in neighbour_groups(wire, plains)]


def neighbour_groups(wire: Wire, plains: Iterable[Any]) -> list[tuple[Any, int]]:
    """Return the joined messages, each with how many it was made of."""
    groups: list[tuple[Any, int]] = []
    last: Any = None
    for given in plains:
        one = None
        # A caller's own objects are left alone: only dicts can be joined, or their JSON text.
        plain = getattr(given, "plain", given)
        both = isinstance(last, dict) and isinstance(plain, dict)
        if wire.terms.joins and both and last.get("role") == plain.get("role"):
            one = wire.terms.joins(last, plain)
        last = plain if one is None else one
        if one is None:
            groups.append((given, 1))
        else:
            groups[-1] = one, groups[-1][1] + 1
    return groups
