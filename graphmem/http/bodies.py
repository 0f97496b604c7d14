"""Request bodies, decoded strictly into our own types."""

from typing import Any, TypeVar, cast

import msgspec
from litestar.dto import AbstractDTO
from litestar.handlers import BaseRouteHandler
from litestar.typing import FieldDefinition

from graphmem.ingest.complaints import DECODING_ERRORS, invalid

T = TypeVar("T")


class StrictBody(AbstractDTO[T]):
    """JSON straight into the handler's type: no coercion, unknown fields refused, errors with the field's path."""

    def decode_bytes(self, value: bytes) -> Any:
        """The body as the type the handler declares."""
        handler = cast("BaseRouteHandler", self.asgi_connection.route_handler)
        assert handler.parsed_data_field is not None
        try:
            return msgspec.json.decode(value, type=handler.parsed_data_field.raw)
        except DECODING_ERRORS as error:
            raise invalid(error) from error

    @classmethod
    def create_for_field_definition(cls, *args: Any, **kwargs: Any) -> None:
        """Nothing is generated: msgspec knows the type."""

    @classmethod
    def create_openapi_schema(cls, *, field_definition: FieldDefinition, schema_creator: Any, **_: Any) -> Any:  # type: ignore[override]
        """The type's own schema."""
        return schema_creator.for_field_definition(field_definition)

    @classmethod
    def generate_field_definitions(cls, model_type: type[Any]) -> Any:  # noqa: ARG003
        """Not used: no model is rebuilt."""
        yield from ()

    @classmethod
    def detect_nested_field(cls, field_definition: FieldDefinition) -> bool:  # noqa: ARG003
        """Not used: no model is rebuilt."""
        return False
