"""Who is answered: requests that come by an address of the server, or by a name that was allowed,
and from its own page.

A page elsewhere may send requests to this machine from its visitor's browser: these have another
Origin. Or its name is resolved to this machine, which makes the page's own Origin that of the
server: these have a foreign name as Host. An address as Host cannot be the name of such a page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from ipaddress import IPv6Address, ip_address

from ..._errors import BadInput, sentence

HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?", re.IGNORECASE | re.ASCII)
LOOPBACK = {"127.0.0.1", "::1", "localhost"}


class Admission:
    """The checks of a server that is bound to an address and answers to some other names too."""

    def __init__(self, bound: str, allowed: Sequence[str] = ()) -> None:
        address = ip_address(_plain(bound))
        self._everywhere = address.is_unspecified  # all addresses of this machine
        self._own = {str(address)}
        if address.is_loopback or self._everywhere:
            self._own |= LOOPBACK
        self._allowed = {_allowed(name) for name in allowed}

    def problem(self, host: str, origin: str | None) -> str:
        """Why a request with these headers is refused; empty if it is not."""
        found = HOST.fullmatch(host)
        name = _plain(found[1]) if found else ""
        if not self._knows(name):
            return (
                f"Host must be an address of this server, got {sentence(host, 80)!r}; open the "
                "page by its address, or start the server with --allow-host NAME"
            )
        pages = [f"http://{host.lower()}"]
        if name in self._allowed:  # of a proxy, which may speak https
            pages.append(f"https://{host.lower()}")
        if origin is not None and origin.lower() not in pages:
            return (
                f"Origin must be the page of this server, got {sentence(origin, 80)!r}; open that "
                "page"
            )
        return ""

    def _knows(self, name: str) -> bool:
        return name in self._own | self._allowed or (self._everywhere and _is_address(name))


def _plain(name: str) -> str:
    """One spelling per name or address: ::FFFF:7F00:1 and 127.0.0.1 are the same."""
    try:
        address = ip_address(name.strip("[]").partition("%")[0])
    except ValueError:
        return name.lower()
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return str(mapped or address)


def _is_address(name: str) -> bool:
    try:
        return bool(ip_address(name))
    except ValueError:
        return False


def _allowed(name: str) -> str:
    """A name or an address that the user allows, without a port."""
    if _is_address(_plain(name)) or ((found := HOST.fullmatch(name)) and found[1] == name):
        return _plain(name)
    raise BadInput(
        f"--allow-host must be the name of a host, such as lab.example.org, got {name[:80]!r}; "
        "leave out scheme, port and path"
    )
