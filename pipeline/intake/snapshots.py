"""Fetches documents: the only module that touches the network, or reads a mirror folder in its place."""

from __future__ import annotations

import csv
import hashlib
import ipaddress
import json
import os
import re
import socket
from dataclasses import dataclass
from datetime import date
from email.utils import parsedate_to_datetime
from pathlib import Path
from time import monotonic
from typing import Protocol
from urllib.parse import urljoin, urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3.exceptions import HTTPError
from urllib3.util.retry import Retry

from pipeline.intake.sources.base import Snapshot, Source, SourceFile

USER_AGENT = "gpu-almanac/0.1 (open dataset; one polite read a week)"
CONNECT_READ_TIMEOUTS_S = (10.0, 60.0)
MAX_BYTES = 64 * 1024 * 1024
MAX_SECONDS = 300.0  # for one body
CHUNK_BYTES = 1 << 16
CERTIFICATE = re.compile(r"certificate verify failed: ([^(]+)")
# Waits of 1, 2, 4 and 8 seconds; a server's Retry-After wins.
RETRY = Retry(
    total=4,
    backoff_factor=1.0,
    status_forcelist=(429, 500, 502, 503, 504),
    allowed_methods=("GET",),
    respect_retry_after_header=True,
    raise_on_status=False,
)
# A hundred sheets of four makers: a host that lets callers wait must not hold up the others for hours.
SHEET_RETRY = Retry(
    total=1,
    backoff_factor=1.0,
    status_forcelist=(429, 503),
    allowed_methods=("GET",),
    respect_retry_after_header=False,
    raise_on_status=False,
)
SHEET_TIMEOUTS_S = (5.0, 20.0)


class FetchError(OSError):
    """A file that could not be had: the message names source, file, address and the next step."""


class Gone(FetchError):
    """An address under which there is nothing any more: look where it moved."""


class Manual(FetchError):
    """An `extract` online: a person reads it, the last claims stay."""


class NotInMirror(FetchError):
    """A document that a mirror does not hold; on the network it may be there."""


class RedirectRefused(requests.RequestException):
    """A redirect that leads where no source of ours can be: the message says where and why."""


class Store(Protocol):
    """Where snapshots come from."""

    def get(self, source: Source, file: SourceFile) -> Snapshot:
        """Give the snapshot of one file; FetchError when it cannot be had."""


class Documents(Protocol):
    """Where single documents come from that no source lists."""

    def page(self, url: str) -> FetchedPage:
        """Give what stands at an address; FetchError when it cannot be had."""


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """What an address answered, and the address that answered in the end."""

    content: bytes
    url: str


@dataclass(frozen=True, slots=True)
class Mirror:
    """A folder with a MANIFEST.csv (public address → file, SHA-256) that is read in place of the network."""

    folder: Path
    entries: dict[tuple[str, str], dict[str, str]]

    @classmethod
    def open(cls, folder: Path) -> Mirror:
        """Read the manifest; FetchError when there is none."""
        manifest = folder / "MANIFEST.csv"
        if not manifest.is_file():
            raise FetchError(f"{folder} has no MANIFEST.csv; give the mirror's top folder")
        with manifest.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        return cls(folder, {(row["source_id"], row["file"]): row for row in rows})

    def get(self, source: Source, file: SourceFile) -> Snapshot:
        """Read one file of the mirror and check its hash against the manifest."""
        entry = self.entries.get((source.folder, file.name))
        if entry is None:
            raise FetchError(f"{source.id}/{file.name} is not in the mirror's MANIFEST.csv; add it there")
        path = self.folder / source.folder / file.name
        try:
            content = path.read_bytes()
        except OSError as error:
            raise FetchError(f"{source.id}/{file.name}: {error.strerror}; restore it from the mirror") from None
        found = hashlib.sha256(content).hexdigest()
        if found != entry["sha256"]:
            raise FetchError(
                f"{source.id}/{file.name}: SHA-256 is {found[:12]}…, the manifest says {entry['sha256'][:12]}…; "
                f"the copy was changed, restore it"
            )
        return Snapshot(
            source,
            file.name,
            file.url,
            content,
            entry["retrieved"],
            entry["upstream_date"],
            file.licence or source.licence,
        )

    def page(self, url: str) -> FetchedPage:
        """Read the mirror's copy of an address; FetchError when it holds none."""
        entry = next((entry for entry in self.entries.values() if entry.get("upstream_url") == url), None)
        if entry is None:
            raise NotInMirror(f"{url} is not in the mirror")
        path = self.folder / entry["source_id"] / entry["file"]
        try:
            content = path.read_bytes()
        except OSError as error:
            raise FetchError(f"{url}: {entry['file']}: {error.strerror}; restore it from the mirror") from None
        if hashlib.sha256(content).hexdigest() != entry["sha256"]:
            raise FetchError(f"{url}: {entry['file']} is not what the manifest says; restore it from the mirror")
        return FetchedPage(content, url)


class PublicSession(requests.Session):
    """A session that follows redirects only to public addresses, and never from https to anything else.

    Who controls a source's server, or its expired name, could else have the machine that refreshes read what only
    that machine can reach: a cloud's metadata, a router, a service on localhost.
    """

    def get_redirect_target(self, resp: requests.Response) -> str | None:
        """Where a redirect leads; RedirectRefused where that is no place for a source."""
        target: str | None = super().get_redirect_target(resp)
        if target:
            self._check(resp.url, urljoin(resp.url, target))
        return target

    def _check(self, here: str, there: str) -> None:
        came, goes = urlsplit(here), urlsplit(there)
        if goes.scheme not in ("https", came.scheme):
            raise RedirectRefused(f"{here} redirects to {there}, of another scheme; look whether the source moved")
        if (goes.hostname, goes.port) == (came.hostname, came.port):
            return
        for address in self._addresses(goes.hostname or "", there):
            if not ipaddress.ip_address(address).is_global:
                raise RedirectRefused(
                    f"{here} redirects to {there}, which is at {address}, no public address; look whether the source "
                    f"moved"
                )

    def _addresses(self, host: str, url: str) -> set[str]:
        """The addresses of a host; where a proxy asks in our place, only those that the name itself tells."""
        literal = _literal(host)
        if literal or (host != "localhost" and requests.utils.get_environ_proxies(url)):
            return literal
        try:
            return {str(entry[4][0]).partition("%")[0] for entry in socket.getaddrinfo(host, None)}
        except OSError as error:
            raise RedirectRefused(f"a redirect leads to {url}, whose host has no address ({error})") from None


def _literal(host: str) -> set[str]:
    try:
        return {str(ipaddress.ip_address(host))}
    except ValueError:
        return set()


class Web:
    """The public addresses, with a cache that asks a server only whether a file has changed."""

    def __init__(
        self,
        cache: Path,
        today: date,
        retry: Retry = RETRY,
        max_bytes: int = MAX_BYTES,
        timeouts: tuple[float, float] = CONNECT_READ_TIMEOUTS_S,
        max_seconds: float = MAX_SECONDS,
    ) -> None:
        self._cache, self._today, self._max_bytes, self._timeouts = cache, today, max_bytes, timeouts
        self._max_seconds = max_seconds
        self._session = PublicSession()
        self._session.headers["User-Agent"] = USER_AGENT
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, HTTPAdapter(max_retries=retry))

    def get(self, source: Source, file: SourceFile) -> Snapshot:
        """Fetch one file, or take the cached bytes where the server says they still hold."""
        where = f"{source.id}/{file.name}"
        if file.form == "extract":
            raise Manual(f"{where}: {file.url} is a page for people; read by hand, last claims kept")
        known = self._remembered(source, file)
        try:
            with self._session.get(
                file.url,
                headers=_conditions(known),
                timeout=self._timeouts,
                stream=True,
            ) as answer:
                if answer.status_code == requests.codes.not_modified and known:
                    return self._snapshot(source, file, known)
                if answer.status_code != requests.codes.ok:
                    raise FetchError(f"{where}: {file.url} answered {answer.status_code}; look whether it moved")
                content = self._limited(answer, where)
                return self._snapshot(source, file, self._remember(source, file, content, answer))
        except RedirectRefused as error:
            raise FetchError(f"{where}: {error}") from None
        except (requests.RequestException, HTTPError) as error:
            raise FetchError(f"{where}: {file.url}: {_what_failed(error)}; try again later") from error

    def document(self, url: str) -> bytes:
        """Fetch one address that no source lists (a spec sheet), without the cache."""
        return self.page(url).content

    def page(self, url: str) -> FetchedPage:
        """Fetch one address that no source lists, and say where it led; Gone where there is nothing any more."""
        hint = "save the sheet and give the file instead"
        try:
            with self._session.get(url, timeout=self._timeouts, stream=True) as answer:
                if answer.status_code in (requests.codes.not_found, requests.codes.gone):
                    raise Gone(f"{url} answered {answer.status_code}; look where it moved, or {hint}")
                if answer.status_code != requests.codes.ok:
                    raise FetchError(f"{url} answered {answer.status_code}; {hint}")
                return FetchedPage(self._limited(answer, url), answer.url)
        except RedirectRefused as error:
            raise FetchError(f"{error}; {hint}") from None
        except (requests.RequestException, HTTPError) as error:
            raise FetchError(f"{url}: {_what_failed(error)}; {hint}") from error

    def _limited(self, answer: requests.Response, where: str) -> bytes:
        """Read a body up to the limits of size and time, whatever its headers promise."""
        content, end = bytearray(), monotonic() + self._max_seconds
        # Each reading waits for one packet, so that a server that sends a byte now and then cannot hold it for hours.
        while chunk := answer.raw.read1(CHUNK_BYTES, decode_content=True):
            content += chunk
            if len(content) > self._max_bytes:
                raise FetchError(f"{where}: larger than {self._max_bytes} bytes; raise MAX_BYTES if that is right")
            if monotonic() > end:
                raise FetchError(f"{where}: not complete after {self._max_seconds:g} s; try again later")
        return bytes(content)

    def _paths(self, source: Source, file: SourceFile) -> tuple[Path, Path]:
        folder = self._cache / source.id
        return folder / file.name, folder / f"{file.name}.json"

    def _remembered(self, source: Source, file: SourceFile) -> dict[str, str]:
        """What the cache knows of a file; nothing where the bytes are not those it noted."""
        path, note = self._paths(source, file)
        if not (path.is_file() and note.is_file()):
            return {}
        known: dict[str, str] = json.loads(note.read_text(encoding="utf-8"))
        intact = hashlib.sha256(path.read_bytes()).hexdigest() == known.get("sha256")
        return known if intact and known.get("url") == file.url else {}

    def _remember(
        self,
        source: Source,
        file: SourceFile,
        content: bytes,
        answer: requests.Response,
    ) -> dict[str, str]:
        path, note = self._paths(source, file)
        modified = answer.headers.get("Last-Modified", "")
        known = {
            "url": file.url,
            "sha256": hashlib.sha256(content).hexdigest(),
            "etag": answer.headers.get("ETag", ""),
            "last_modified": modified,
            "published": parsedate_to_datetime(modified).date().isoformat() if modified else "",
            "retrieved": self._today.isoformat(),
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        for target, data in (
            (path, content),
            (note, json.dumps(known, indent=1).encode()),
        ):
            beside = target.with_name(target.name + ".new")
            beside.write_bytes(data)
            os.replace(beside, target)
        return known

    def _snapshot(self, source: Source, file: SourceFile, known: dict[str, str]) -> Snapshot:
        path, _ = self._paths(source, file)
        return Snapshot(
            source,
            file.name,
            file.url,
            path.read_bytes(),
            known["retrieved"],
            known["published"],
            file.licence or source.licence,
        )


def _what_failed(error: Exception) -> str:
    """The kind of an error of the network, and what is wrong with a certificate: for its owner to mend."""
    found = CERTIFICATE.search(str(error))
    return f"{type(error).__name__} ({found[1].strip()})" if found else type(error).__name__


def _conditions(known: dict[str, str]) -> dict[str, str]:
    pairs = (
        ("If-None-Match", known.get("etag")),
        ("If-Modified-Since", known.get("last_modified")),
    )
    return {header: value for header, value in pairs if value}
