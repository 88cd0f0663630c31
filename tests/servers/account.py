"""As whom a server runs: PostgreSQL refuses to run as root."""

import os
import pwd
import stat
import tempfile
from pathlib import Path

# Where everybody may enter, if TMPDIR is a private folder of root.
PUBLIC = ("/tmp", "/var/tmp")  # noqa: S108


def unprivileged() -> pwd.struct_passwd | None:
    """The account to change to, or None if we are not root and may stay who we are."""
    return pwd.getpwnam("nobody") if os.geteuid() == 0 else None


def may_enter(folder: Path) -> bool:
    """Whether an account without any rights of its own reaches what is in the folder."""
    whole = folder.resolve()
    return all(step.stat().st_mode & stat.S_IXOTH for step in (whole, *whole.parents))


def new_home(name: str, owner: pwd.struct_passwd | None) -> Path:
    """A new temporary folder that only the owner (and root) can read."""
    parent = tempfile.gettempdir()
    if owner:
        choices = [place for place in (parent, *PUBLIC) if may_enter(Path(place))]
        if not choices:
            raise PermissionError(
                f"{owner.pw_name} can enter none of {parent}, {', '.join(PUBLIC)}; "
                "set TMPDIR to a folder everybody may enter"
            )
        parent = choices[0]
    home = Path(tempfile.mkdtemp(prefix=f"laguna-{name}-", dir=parent))
    if owner:
        os.chown(home, owner.pw_uid, owner.pw_gid)
    return home
