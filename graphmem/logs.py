"""Logs: JSON for machines, one readable line for people, never the text of an episode."""

import logging
import sys
from datetime import UTC, datetime
from typing import Any

import msgspec

from graphmem.settings import Log

# What a log record always has; anything else was given by the caller as a field.
STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
NOISY = ("neo4j", "httpx", "httpcore", "procrastinate", "psycopg.pool")


def fields_of(record: logging.LogRecord) -> dict[str, Any]:
    """The fields a caller added."""
    return {name: value for name, value in vars(record).items() if name not in STANDARD}


class JsonLines(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """The record with its fields."""
        moment = datetime.fromtimestamp(record.created, UTC)
        head = {"time": moment, "level": record.levelname, "logger": record.name, "message": record.getMessage()}
        return msgspec.json.encode(head | fields_of(record), enc_hook=str).decode()


class ReadableLines(logging.Formatter):
    """One line for a person."""

    def format(self, record: logging.LogRecord) -> str:
        """Time, level, message, fields."""
        moment = datetime.fromtimestamp(record.created, UTC)
        fields = " ".join(f"{name}={value}" for name, value in fields_of(record).items())
        return f"{moment:%H:%M:%S} {record.levelname:<7} {record.getMessage()} {fields}".rstrip()


def configure_logs(settings: Log) -> None:
    """Send the logs of this process to standard error in the wanted form."""
    readable = settings.format == "text" or (settings.format == "auto" and sys.stderr.isatty())
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(ReadableLines() if readable else JsonLines())
    logging.basicConfig(level=settings.level, handlers=[handler], force=True)
    for name in NOISY:
        logging.getLogger(name).setLevel(logging.ERROR)
