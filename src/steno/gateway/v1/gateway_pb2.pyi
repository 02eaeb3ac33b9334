from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TaskComplexity(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TASK_COMPLEXITY_UNSPECIFIED: _ClassVar[TaskComplexity]
    TASK_COMPLEXITY_SIMPLE: _ClassVar[TaskComplexity]
    TASK_COMPLEXITY_MEDIUM: _ClassVar[TaskComplexity]
    TASK_COMPLEXITY_COMPLEX: _ClassVar[TaskComplexity]
    TASK_COMPLEXITY_EPIC: _ClassVar[TaskComplexity]

class FinishReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    FINISH_REASON_UNSPECIFIED: _ClassVar[FinishReason]
    FINISH_REASON_END: _ClassVar[FinishReason]
    FINISH_REASON_LENGTH: _ClassVar[FinishReason]
    FINISH_REASON_REFUSED: _ClassVar[FinishReason]

class Role(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ROLE_UNSPECIFIED: _ClassVar[Role]
    ROLE_USER: _ClassVar[Role]
    ROLE_ASSISTANT: _ClassVar[Role]
TASK_COMPLEXITY_UNSPECIFIED: TaskComplexity
TASK_COMPLEXITY_SIMPLE: TaskComplexity
TASK_COMPLEXITY_MEDIUM: TaskComplexity
TASK_COMPLEXITY_COMPLEX: TaskComplexity
TASK_COMPLEXITY_EPIC: TaskComplexity
FINISH_REASON_UNSPECIFIED: FinishReason
FINISH_REASON_END: FinishReason
FINISH_REASON_LENGTH: FinishReason
FINISH_REASON_REFUSED: FinishReason
ROLE_UNSPECIFIED: Role
ROLE_USER: Role
ROLE_ASSISTANT: Role

class SessionContext(_message.Message):
    __slots__ = ("session_id", "user_id", "agent_lineage")
    SESSION_ID_FIELD_NUMBER: _ClassVar[int]
    USER_ID_FIELD_NUMBER: _ClassVar[int]
    AGENT_LINEAGE_FIELD_NUMBER: _ClassVar[int]
    session_id: str
    user_id: str
    agent_lineage: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, session_id: _Optional[str] = ..., user_id: _Optional[str] = ..., agent_lineage: _Optional[_Iterable[str]] = ...) -> None: ...

class Message(_message.Message):
    __slots__ = ("role", "text")
    ROLE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    role: Role
    text: str
    def __init__(self, role: _Optional[_Union[Role, str]] = ..., text: _Optional[str] = ...) -> None: ...

class InferenceRequest(_message.Message):
    __slots__ = ("context", "system", "messages", "prompt", "task_complexity", "max_tokens", "schema")
    CONTEXT_FIELD_NUMBER: _ClassVar[int]
    SYSTEM_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    PROMPT_FIELD_NUMBER: _ClassVar[int]
    TASK_COMPLEXITY_FIELD_NUMBER: _ClassVar[int]
    MAX_TOKENS_FIELD_NUMBER: _ClassVar[int]
    SCHEMA_FIELD_NUMBER: _ClassVar[int]
    context: SessionContext
    system: str
    messages: _containers.RepeatedCompositeFieldContainer[Message]
    prompt: str
    task_complexity: TaskComplexity
    max_tokens: int
    schema: str
    def __init__(self, context: _Optional[_Union[SessionContext, _Mapping]] = ..., system: _Optional[str] = ..., messages: _Optional[_Iterable[_Union[Message, _Mapping]]] = ..., prompt: _Optional[str] = ..., task_complexity: _Optional[_Union[TaskComplexity, str]] = ..., max_tokens: _Optional[int] = ..., schema: _Optional[str] = ...) -> None: ...

class Usage(_message.Message):
    __slots__ = ("sent", "cached", "written", "said")
    SENT_FIELD_NUMBER: _ClassVar[int]
    CACHED_FIELD_NUMBER: _ClassVar[int]
    WRITTEN_FIELD_NUMBER: _ClassVar[int]
    SAID_FIELD_NUMBER: _ClassVar[int]
    sent: int
    cached: int
    written: int
    said: int
    def __init__(self, sent: _Optional[int] = ..., cached: _Optional[int] = ..., written: _Optional[int] = ..., said: _Optional[int] = ...) -> None: ...

class InferenceResponse(_message.Message):
    __slots__ = ("text", "finish_reason", "usage", "model")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    FINISH_REASON_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    text: str
    finish_reason: FinishReason
    usage: Usage
    model: str
    def __init__(self, text: _Optional[str] = ..., finish_reason: _Optional[_Union[FinishReason, str]] = ..., usage: _Optional[_Union[Usage, _Mapping]] = ..., model: _Optional[str] = ...) -> None: ...

class StreamInferenceResponse(_message.Message):
    __slots__ = ("text", "finish_reason", "usage", "model")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    FINISH_REASON_FIELD_NUMBER: _ClassVar[int]
    USAGE_FIELD_NUMBER: _ClassVar[int]
    MODEL_FIELD_NUMBER: _ClassVar[int]
    text: str
    finish_reason: FinishReason
    usage: Usage
    model: str
    def __init__(self, text: _Optional[str] = ..., finish_reason: _Optional[_Union[FinishReason, str]] = ..., usage: _Optional[_Union[Usage, _Mapping]] = ..., model: _Optional[str] = ...) -> None: ...
