"""Files and folders that nobody else may read."""

import os
import secrets
from pathlib import Path

from graphmem.errors import SettingsError


def private_folder(path: Path) -> Path:
    """The folder by its full name, made if missing, closed to all others."""
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.chmod(0o700)
    except OSError as error:
        raise SettingsError(
            f"The folder {path} cannot be used ({error.strerror}): choose another GRAPHMEM_DATA_DIR."
        ) from error
    return path.absolute()


def write_private(path: Path, text: str) -> None:
    """Write a file of mode 0600, whole or not at all."""
    unfinished = path.with_name(f"{path.name}.new")
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


def kept_secret(path: Path) -> str:
    """The secret in that file, made up on first use; hexadecimal, so that no shell or URL needs to quote it."""
    if not path.exists():
        write_private(path, secrets.token_hex(16))
    return path.read_text().strip()
