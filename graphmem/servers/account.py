"""Who runs Postgres: it refuses to be root, so root hands it to `nobody`."""

import os
import pwd
import shutil
import stat
import subprocess
from dataclasses import dataclass
from pathlib import Path

from graphmem.errors import SettingsError
from graphmem.servers.process import Command

CAPABILITIES = {"dac_read_search": 2, "dac_override": 1}
REMEDY = "run as an ordinary user, or set GRAPHMEM_POSTGRES__DSN to a Postgres of your own"


@dataclass(frozen=True)
class Account:
    """The server's user, and how a command becomes it: by dropping root's rights, or by the words before it."""

    uid: int
    gid: int
    drop: bool = False
    prefix: tuple[str, ...] = ()

    def command(self, *words: str | Path, cwd: Path) -> Command:
        """A command of that user, free of settings meant for other servers."""
        environment = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}
        uid, gid = (self.uid, self.gid) if self.drop else (None, None)
        return Command((*self.prefix, *words), environment, cwd, uid, gid)

    def own(self, path: Path) -> None:
        """Make a folder of ours the server's, and closed to all others."""
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            path.chmod(0o700)
            if path.stat().st_uid != self.uid:
                os.chown(path, self.uid, self.gid)
        except PermissionError as error:
            raise SettingsError(f"{path} belongs to another user: choose another GRAPHMEM_DATA_DIR.") from error


def server_account(*, binary: Path, folder: Path) -> Account:
    """Ourselves; or, for root, `nobody`, with the right to pass closed folders if some lie on the way.

    The folders on the way are never opened to others: that would outlive us.
    """
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid())
    try:
        nobody = pwd.getpwnam("nobody")
    except KeyError as error:
        raise SettingsError(f"Postgres does not run as root and there is no user `nobody` here: {REMEDY}.") from error
    uid, gid = nobody.pw_uid, nobody.pw_gid
    if open_to_others(binary) and open_to_others(folder.parent):
        return Account(uid, gid, drop=True)
    account = Account(uid, gid, prefix=passing_closed_folders(uid, gid))
    check(account, binary)
    return account


def open_to_others(path: Path) -> bool:
    """Whether a stranger may walk down to it (and run it, if it is a program)."""
    resolved = path.resolve()
    return all(step.stat().st_mode & stat.S_IXOTH for step in (resolved, *resolved.parents))


def passing_closed_folders(uid: int, gid: int) -> tuple[str, ...]:
    """The words that make a command `nobody` who may still search any folder."""
    setpriv = shutil.which("setpriv")
    held = effective_capabilities()
    capability = next((name for name, bit in CAPABILITIES.items() if held >> bit & 1), None)
    if setpriv is None or capability is None:
        raise SettingsError(
            "Postgres does not run as root, and as `nobody` it cannot reach its files: put GRAPHMEM_DATA_DIR and "
            f"the Python environment where every user may pass, {REMEDY}."
        )
    grants = (f"--inh-caps=+{capability}", f"--ambient-caps=+{capability}")
    return (setpriv, f"--reuid={uid}", f"--regid={gid}", "--clear-groups", *grants)


def effective_capabilities() -> int:
    """The capability bits of this process."""
    status = Path("/proc/self/status").read_text() if Path("/proc/self/status").exists() else ""
    line = next((line for line in status.splitlines() if line.startswith("CapEff:")), "CapEff: 0")
    return int(line.split()[1], 16)


def check(account: Account, binary: Path) -> None:
    """Refuse, with the remedy, when the server's user cannot even start the program."""
    asked = subprocess.run([*account.prefix, str(binary), "--version"], capture_output=True, check=False)  # noqa: S603
    if asked.returncode != 0:
        reason = asked.stderr.decode(errors="replace").strip()
        raise SettingsError(f"Postgres does not run as root, and starting it as `nobody` failed ({reason}): {REMEDY}.")
