"""How a namespace searches: the named recipes, and what it changes of them."""

from typing import Annotated, Any
from zoneinfo import available_timezones

import msgspec
from litestar import get, patch
from litestar.di import NamedDependency
from litestar.params import JSONBody
from msgspec import UNSET, Meta, Struct, UnsetType

from graphmem.errors import ConflictError, InvalidError
from graphmem.http.access import Access
from graphmem.http.problems import problem_specs
from graphmem.memory import Name, Namespace
from graphmem.recall.profiles import KNOBS, PROFILES, Numbers, Profile, Rules, profile_named, ranges, tuned
from graphmem.service import Service

Days: Any = Annotated[int, Meta(ge=1, le=36_500)]


class ProfilePage(Struct, frozen=True):
    """The named recipes, and what each of their numbers and rules may be."""

    profiles: list[Profile]
    ranges: dict[str, Any]
    cursor: str | None = None


Changes: Any = msgspec.defstruct(
    "Changes",
    [
        ("namespace", Namespace | None | UnsetType, UNSET),
        ("profile", Name | None | UnsetType, UNSET),
        ("text_search", Name | None | UnsetType, UNSET),
        ("time_zone", Name | None | UnsetType, UNSET),
        ("retention_days", Days | None | UnsetType, UNSET),
        *((item.name, item.type | UnsetType | None, UNSET) for item in KNOBS),
    ],
    frozen=True,
    kw_only=True,
    forbid_unknown_fields=True,
    module=__name__,
)


class NamespaceProfile(Struct, frozen=True):
    """How a namespace searches: its profile with the namespace's changes, and those changes."""

    namespace: str
    profile: str
    text_search: str
    time_zone: str | None
    retention_days: int | None
    numbers: Numbers
    rules: Rules
    changed: dict[str, Any]


@get("/v1/profiles", opt={"role": "reader"}, responses=problem_specs())
async def list_profiles() -> ProfilePage:
    """The named recipes."""
    return ProfilePage(list(PROFILES.values()), ranges())


@get("/v1/settings", opt={"role": "reader"}, responses=problem_specs())
async def show_settings(access: NamedDependency[Access], service: NamedDependency[Service]) -> NamespaceProfile:
    """How a namespace searches."""
    settings = await service.namespaces.settings(access.namespace)
    changes = dict(settings.numbers)
    profile = tuned(profile_named(changes.pop("profile", "default")), changes, prefix="")
    return NamespaceProfile(
        namespace=access.namespace,
        profile=profile.name,
        text_search=settings.text_search,
        time_zone=await service.namespaces.time_zone(access.namespace),
        retention_days=await service.archive.retention(access.namespace),
        numbers=profile.numbers,
        rules=profile.rules,
        changed=settings.numbers,
    )


@patch("/v1/settings", opt={"role": "admin"}, responses=problem_specs(409))
async def change_settings(
    data: JSONBody[Changes],  # pyright: ignore[reportInvalidTypeForm, reportUnknownParameterType]
    access: NamedDependency[Access],
    service: NamedDependency[Service],
) -> NamespaceProfile:
    """Change how a namespace searches, from the next search on; null takes a number back to the profile's."""
    changes: dict[str, Any] = msgspec.to_builtins(data)
    changes.pop("namespace", None)
    text_search: str | None = changes.pop("text_search", None)
    time_zone: str | UnsetType | None = changes.pop("time_zone", UNSET)
    retention_days: int | UnsetType | None = changes.pop("retention_days", UNSET)
    check_time_zone(time_zone)
    await service.preferences.check(access.namespace, changes)
    if text_search is not None:
        await choose_language(service, access.namespace, text_search)
    if time_zone is not UNSET:
        await service.namespaces.change_time_zone(access.namespace, time_zone)
    if retention_days is not UNSET:
        await service.archive.change_retention(access.namespace, retention_days)
    if changes:
        await service.preferences.change(access.namespace, changes)
    return await show_settings.fn(access, service)


def check_time_zone(time_zone: str | UnsetType | None) -> None:
    """Raise when it is no time zone; none is the service's."""
    if isinstance(time_zone, str) and time_zone not in available_timezones():
        raise InvalidError.of("time_zone", "must be the name of a time zone, such as Europe/Paris")


async def choose_language(service: Service, namespace: str, text_search: str) -> None:
    """Set the language of keyword search, which is possible while the namespace is empty."""
    languages = await service.namespaces.languages()
    if text_search not in languages:
        raise InvalidError.of("text_search", f"must be one of {', '.join(languages)}")
    if not await service.namespaces.change_language(namespace, text_search):
        raise ConflictError(
            "The namespace holds episodes in another language: export, delete, set, import.", "text_search"
        )


HANDLERS = [list_profiles, show_settings, change_settings]
