"""What the pages say is so: links lead somewhere, settings and commands exist, generated pages are current."""

import re
from pathlib import Path

import pytest

from docs import generate
from graphmem import settings
from graphmem.cli.main import COMMANDS
from graphmem.errors import SettingsError
from graphmem.http.app import application

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
DECISIONS = [page for page in PAGES if page.parent.name == "decisions"]
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def anchors(page: Path) -> set[str]:
    """What a link may name after the `#`."""
    headings = HEADING.findall(FENCE.sub("", page.read_text()))
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def leads_nowhere(page: Path, link: str) -> bool:
    """Whether a link has no page, or no such heading there."""
    name, _, anchor = link.partition("#")
    target = (page.parent / name).resolve() if name else page
    return not target.exists() or bool(anchor and anchor not in anchors(target))


@every_page
def test_links_lead_somewhere(page: Path) -> None:
    links = [link for link in LINK.findall(page.read_text()) if "://" not in link]

    assert not [link for link in links if leads_nowhere(page, link)]


@every_page
def test_every_setting_that_is_named_exists(page: Path) -> None:
    unknown = [name for name in re.findall(r"\bGRAPHMEM_[A-Z0-9_]+\b(?!\*)", page.read_text()) if not is_setting(name)]

    assert not unknown


def is_setting(name: str) -> bool:
    """Whether a name is taken by the settings, whatever its value."""
    try:
        settings.place({}, name, "")
    except SettingsError:
        return False
    return True


@every_page
def test_every_make_target_that_is_named_exists(page: Path) -> None:
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    named = re.findall(r"(?:`|^)make ([a-z]+)\b", page.read_text(), re.MULTILINE)

    assert not set(named) - set(targets)


@every_page
def test_every_command_that_is_named_exists(page: Path) -> None:
    named = re.findall(r"(?:`|^|\s)graphmem ([a-z]+)`", page.read_text(), re.MULTILINE)

    assert not set(named) - set(COMMANDS)


@pytest.mark.parametrize("name", generate.PAGES)
def test_a_page_that_comes_from_the_code_is_current(name: str) -> None:
    assert (ROOT / "docs" / name).read_text() == generate.PAGES[name](), "run make docs"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_help_on_the_page(command: str) -> None:
    assert f"## graphmem {command}\n" in (ROOT / "docs" / "cli.md").read_text()


def test_every_page_is_found_from_the_index() -> None:
    index = ROOT / "docs" / "index.md"
    found = {(index.parent / link.partition("#")[0]).resolve() for link in LINK.findall(index.read_text())}

    assert not set(PAGES) - found - {index}


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.stem)
def test_a_decision_tells_context_choice_and_cost(page: Path) -> None:
    assert HEADING.findall(page.read_text())[1:] == ["Context", "Choice", "Cost"]


def test_the_api_page_names_every_route_with_its_role() -> None:
    routes = {
        (method, re.sub(r":\w+}", "}", path), str(handler.opt.get("role", "none")))
        for route in application(settings.load({})).routes
        for handler in getattr(route, "route_handlers", [])
        for method in handler.http_methods
        for path in [max(handler.paths)]
        if path.startswith(("/v1/", "/health", "/metrics")) and method not in {"OPTIONS", "HEAD"}
    }
    table = re.findall(r"^\| `(\w+) ([^`]+)` \| (\w+)", (ROOT / "docs/http.md").read_text(), re.MULTILINE)

    assert sorted(routes) == sorted(table)
