"""What can go wrong, and whose move it is.

GraphmemError
  InvalidError                 the caller's: the request makes no sense
  UnauthenticatedError         the caller's: no key, or one we do not know
  ForbiddenError               the caller's: the key does not reach that far
  NotFoundError                the caller's: we do not have it
  ConflictError                the caller's: it fights with what is stored
  TooManyError                 the caller's: slow down
  UnavailableError             wait: something we depend on is down
    PostgresUnavailableError
    GraphUnavailableError
    ModelUnavailableError
    BudgetSpentError
  ModelAnswerError             the model's: it answers, but not what it was asked
  SettingsError                the operator's: the service cannot start like this
  InconsistentError            ours: the stores disagree
"""

from collections.abc import Sequence


class GraphmemError(Exception):
    """The root: its text is one sentence that a caller may read."""


class InvalidError(GraphmemError):
    """The request makes no sense; `problems` names each field and the rule it breaks."""

    def __init__(self, message: str, problems: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)

    @classmethod
    def of(cls, field: str, rule: str) -> "InvalidError":
        """One field breaks one rule."""
        return cls(f"{field}: {rule}", [(field, rule)])


class UnauthenticatedError(GraphmemError):
    """No key was given, or one that we do not know."""


class ForbiddenError(GraphmemError):
    """The key does not reach that namespace, or lacks the role."""


class NotFoundError(GraphmemError):
    """We do not have what was asked for."""


class ConflictError(GraphmemError):
    """It fights with what is stored; `field` names where."""

    def __init__(self, message: str, field: str = "id") -> None:
        super().__init__(message)
        self.field = field


class TooManyError(GraphmemError):
    """The key asks faster than its limit allows."""

    def __init__(self, message: str, *, retry_after_seconds: float) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds


class UnavailableError(GraphmemError):
    """Something we depend on is down; the same request may succeed later."""


class PostgresUnavailableError(UnavailableError):
    """Postgres does not answer."""


class GraphUnavailableError(UnavailableError):
    """Neo4j does not answer."""


class ModelUnavailableError(UnavailableError):
    """A model, or the server that has it, does not answer."""


class BudgetSpentError(UnavailableError):
    """A language model was asked for as much as it may be; next month it may be asked again."""


class ModelAnswerError(GraphmemError):
    """A language model gave an answer that is of no use; `tokens` is what it cost all the same."""

    def __init__(self, message: str, *, tokens: int = 0) -> None:
        super().__init__(message)
        self.tokens = tokens


class SettingsError(GraphmemError):
    """The service cannot start like this; the text says what to change."""


class InconsistentError(GraphmemError):
    """The stores disagree: a bug of ours, or a hand in the database."""
