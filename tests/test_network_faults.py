"""What servers do wrong: each fault keeps the last good rows, says what happened, and lets the other sources pass."""

from __future__ import annotations

import gzip
import ipaddress
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from samples import Tree
from test_refresh import parse
from urllib3.util.retry import Retry

from pipeline.intake import refresh
from pipeline.intake.snapshots import Web
from pipeline.intake.sources.base import Source, SourceFile
from pipeline.record import build

GOOD = b"name,memory,price\n" + b"".join(b"RTX 4090,24,%d.5\n" % n for n in range(1, 41))
MOST_BYTES = 50_000
FAST = Retry(total=1, backoff_factor=0.01, status_forcelist=(429, 503), allowed_methods=("GET",), raise_on_status=False)
Answer = Callable[[BaseHTTPRequestHandler], None]


def status(code: int, body: bytes = b"", **heads: str) -> Answer:
    def answer(to: BaseHTTPRequestHandler) -> None:
        to.send_response(code)
        for name, value in heads.items():
            to.send_header(name.replace("_", "-"), value)
        to.send_header("Content-Length", str(len(body)))
        to.end_headers()
        to.wfile.write(body)

    return answer


def moved(where: str, code: int = 302) -> Answer:
    return status(code, Location=where)


def body(text: bytes) -> Answer:
    return status(200, text)


def hung(to: BaseHTTPRequestHandler) -> None:
    time.sleep(1.0)


def reset(to: BaseHTTPRequestHandler) -> None:
    to.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\0\0\0\0\0\0\0")
    to.connection.close()


def no_http(to: BaseHTTPRequestHandler) -> None:
    to.wfile.write(b"SSH-2.0-OpenSSH_9.2\r\n")


def promised(length: int, text: bytes) -> Answer:
    def answer(to: BaseHTTPRequestHandler) -> None:
        to.send_response(200)
        to.send_header("Content-Length", str(length))
        to.end_headers()
        to.wfile.write(text)

    return answer


def endless(to: BaseHTTPRequestHandler) -> None:
    to.send_response(200)
    to.end_headers()
    for _ in range(200):
        to.wfile.write(b"RTX 4090,24,1.5\n" * 200)


def dripping(to: BaseHTTPRequestHandler) -> None:
    to.send_response(200)
    to.send_header("Content-Length", str(len(GOOD)))
    to.end_headers()
    for number in range(len(GOOD)):
        to.wfile.write(GOOD[number : number + 1])
        time.sleep(0.05)


def chunk_without_end(to: BaseHTTPRequestHandler) -> None:
    to.send_response(200)
    to.send_header("Transfer-Encoding", "chunked")
    to.end_headers()
    to.wfile.write(b"40\r\nname,memory")


def broken_chunk(to: BaseHTTPRequestHandler) -> None:
    to.send_response(200)
    to.send_header("Transfer-Encoding", "chunked")
    to.end_headers()
    to.wfile.write(b"zz\r\nname,memory\r\n0\r\n\r\n")


BOMB = gzip.compress(b"RTX 4090,24,1.5\n" * 1_000_000)  # made before anybody waits for it
bomb = status(200, BOMB, Content_Encoding="gzip")


def rows(change: Callable[[list[bytes]], list[bytes]]) -> Answer:
    head, *lines = GOOD.splitlines(keepends=True)
    return body(head + b"".join(change(lines)))


def prices(factor: float) -> Answer:
    return body(b"name,memory,price\n" + b"".join(b"RTX 4090,24,%g\n" % ((n + 0.5) * factor) for n in range(1, 41)))


PAGE = b"<!doctype html><html><body><h1>Sorry</h1></body></html>"
# The fault, and a word of what the message must say.
FAULTS: dict[str, tuple[Answer, str]] = {
    "time-out": (hung, "ReadTimeout|ConnectionError"),
    "reset": (reset, "ConnectionError"),
    "no HTTP": (no_http, "ConnectionError"),
    "301 loop": (moved("/fault", 301), "TooManyRedirects"),
    "302 loop": (moved("/fault"), "TooManyRedirects"),
    "redirect to ftp": (moved("ftp://e.org/list"), "of another scheme"),
    "redirect to file": (moved("file:///etc/passwd"), "of another scheme"),
    "redirect to data": (moved("data:text/csv,name"), "of another scheme"),
    "redirect to loopback": (moved("http://127.0.0.2/"), "no public address"),
    "redirect to localhost": (moved("http://localhost:1/"), "no public address"),
    "redirect to IPv6 loopback": (moved("http://[::1]/"), "no public address"),
    "redirect to a private network": (moved("http://10.0.0.1/"), "no public address"),
    "redirect to a home's router": (moved("https://192.168.1.1/"), "no public address"),
    "redirect to 172.16": (moved("http://172.16.0.9/"), "no public address"),
    "redirect to a cloud's metadata": (moved("http://169.254.169.254/latest/meta-data/"), "no public address"),
    "redirect to IPv6 link-local": (moved("http://[fe80::1]/"), "no public address"),
    "redirect to IPv6 private": (moved("http://[fd00::1]/"), "no public address"),
    "redirect to an IPv4 in IPv6": (moved("http://[::ffff:10.0.0.1]/"), "no public address"),
    "redirect to this host's any": (moved("http://0.0.0.0/"), "no public address"),
    "redirect to another port here": (moved("http://127.0.0.1:1/"), "no public address"),
    "308 to a private network": (moved("http://10.0.0.1/", 308), "no public address"),
    "redirect without a place": (status(302), "answered 302"),
    "204": (status(204), "answered 204"),
    "400": (status(400), "answered 400"),
    "401": (status(401), "answered 401"),
    "403": (status(403, PAGE), "answered 403"),
    "404": (status(404, PAGE), "answered 404"),
    "410": (status(410), "answered 410"),
    "418": (status(418), "answered 418"),
    "429 with Retry-After": (status(429, Retry_After="0"), "answered 429|RetryError"),
    "451": (status(451), "answered 451"),
    "500": (status(500, PAGE), "answered 500"),
    "502": (status(502), "answered 502"),
    "503": (status(503), "answered 503|RetryError"),
    "504": (status(504), "answered 504"),
    "304 without a cache": (status(304), "answered 304"),
    "slow drip": (dripping, "not complete after 1 s"),
    "truncated body": (
        promised(len(GOOD), GOOD[:300]),
        "IncompleteRead|ProtocolError|ReadTimeoutError|InvalidChunkLength",
    ),
    "chunk without end": (chunk_without_end, "IncompleteRead|ProtocolError|ReadTimeoutError|InvalidChunkLength"),
    "broken chunk": (broken_chunk, "IncompleteRead|ProtocolError|ReadTimeoutError|InvalidChunkLength"),
    "decompression bomb": (bomb, "larger than"),
    "endless body": (endless, "larger than"),
    "gzip that is none": (status(200, GOOD, Content_Encoding="gzip"), "DecodeError"),
    "empty": (body(b""), "shop"),
    "only heads": (body(b"name,memory,price\n"), "0 rows"),
    "HTML with status 200": (body(PAGE), "no column"),
    "error as JSON with status 200": (body(b'{"error": "rate limit"}'), "no column"),
    "wrong encoding": (body(GOOD.decode().encode("utf-16")), "UTF-8|utf-8"),
    "bytes of no encoding": (body(GOOD + b"\xff\xfe\xff"), "UTF-8|utf-8"),
    "NUL": (body(GOOD.replace(b"24", b"2\x004", 1)), "shop"),
    "renamed column": (body(GOOD.replace(b"memory", b"vram")), "no column 'memory'"),
    "columns in another order, heads as before": (
        rows(lambda lines: [b",".join(reversed(line.strip().split(b","))) + b"\n" for line in lines]),
        "shop",
    ),
    "a head twice": (body(GOOD.replace(b"memory", b"name")), "shop"),
    "half the rows gone": (rows(lambda lines: lines[:20]), "looks damaged"),
    "all rows doubled": (rows(lambda lines: lines * 2), "looks damaged"),
    "all prices times a hundred": (prices(100), "looks damaged"),
    "all prices a tenth": (prices(0.1), "looks damaged"),
    "all prices halved": (prices(0.5), "looks damaged"),
    "prices that are no numbers": (body(GOOD.replace(b".5", b".x")), "ValueError|not a number"),
    "prices nan": (body(GOOD.replace(b",1.5", b",nan")), "no price or result"),
    "prices below zero": (body(GOOD.replace(b",1.5", b",-1.5")), "no price or result"),
}


# What is wrong with a server's certificate: for whom, from when, until when, by whom; and what the message says.
HERE, ELSEWHERE, LONG_AGO, PAST, AHEAD, FAR = "127.0.0.1", "e.org", 2015, 2020, 2090, 2099
CERTIFICATES: dict[str, tuple[str, int, int, bool, str]] = {
    "TLS expired": (HERE, LONG_AGO, PAST, True, "certificate has expired"),
    "TLS not valid yet": (HERE, AHEAD, FAR, True, "not yet valid"),
    "TLS for another host": (ELSEWHERE, LONG_AGO, FAR, True, "not valid for '127.0.0.1'"),
    "TLS by nobody known": (HERE, LONG_AGO, FAR, False, "self-signed certificate|unable to get local issuer"),
}


def certificate(folder: Path, host: str, first: int, last: int, signer: Signer | None) -> tuple[Path, Signer]:
    """Write a certificate with its key into one file; without a signer it signs itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "tests" if signer is None else host)])
    try:
        place: x509.GeneralName = x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        place = x509.DNSName(host)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(signer.name if signer else name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime(first, 1, 1, tzinfo=UTC))
        .not_valid_after(datetime(last, 1, 1, tzinfo=UTC))
        .add_extension(x509.SubjectAlternativeName([place]), critical=False)
        .add_extension(x509.BasicConstraints(ca=signer is None, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key((signer.key if signer else key).public_key()),
            critical=False,
        )
        .sign(signer.key if signer else key, hashes.SHA256())
    )
    path = folder / f"{host}-{first}-{last}.pem"
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(made.public_bytes(Encoding.PEM) + secret)
    return path, Signer(name, key)


@dataclass(frozen=True)
class Signer:
    """Who signs certificates."""

    name: x509.Name
    key: ec.EllipticCurvePrivateKey


class Handler(BaseHTTPRequestHandler):
    """Answers soundly, but under /fault with the fault of the test."""

    def do_GET(self) -> None:
        server: Server = self.server  # type: ignore[assignment]
        with suppress(OSError):  # the client left, as it should
            (server.fault if self.path == "/fault" else body(GOOD))(self)

    def log_message(self, format: str, *args: object) -> None:
        """Stay quiet."""


class Server(ThreadingHTTPServer):
    """A local server with a fault."""

    fault: Answer
    daemon_threads = True


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with served_as() as running:
        yield running


@contextmanager
def served_as(context: ssl.SSLContext | None = None) -> Iterator[Server]:
    """A running server, over TLS with a context."""
    running = Server(("127.0.0.1", 0), Handler)
    if context:
        running.socket = context.wrap_socket(running.socket, server_side=True)
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield running
    running.shutdown()
    running.server_close()
    thread.join()


def module(id: str, url: str) -> SimpleNamespace:
    file = SourceFile(f"{id}.csv", url, "original")
    about = Source(id, id, id, "https://e.org", "MIT", "reference", "prices", (file,))
    return SimpleNamespace(SOURCE=about, parse=parse)


def read(tree: Tree, server: Server, cache: Path, elsewhere: str = "") -> list[refresh.Outcome]:
    address = f"http://127.0.0.1:{server.server_port}"
    modules = [module("shop", f"{elsewhere or address}/fault"), module("other", f"{address}/sound")]
    web = Web(cache, date(2026, 11, 21), FAST, MOST_BYTES, (0.5, 0.3), max_seconds=1.0)
    return refresh.refresh(modules, web, build.load_names(tree.data), tree.data, lambda _: None)  # type: ignore[arg-type]


def test_there_are_at_least_forty_scenarios() -> None:
    assert len(FAULTS) + len(CERTIFICATES) >= 40


@pytest.mark.parametrize("fault", [None, *CERTIFICATES])
def test_a_server_without_a_sound_certificate_is_not_believed(
    tree: Tree, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str | None
) -> None:
    host, first, last, signed, what = CERTIFICATES[fault] if fault else (HERE, LONG_AGO, FAR, True, "")
    (tmp_path / "tls").mkdir()
    authority, signer = certificate(tmp_path / "tls", "tests.invalid", LONG_AGO, FAR, None)
    own, _ = certificate(tmp_path / "tls", host, first, last, signer if signed else None)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(authority))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(own)
    server.fault = body(GOOD)
    assert [o.problem for o in read(tree, server, tmp_path / "first")] == ["", ""]
    before = tree.state()
    with served_as(context) as secure:
        secure.fault = body(GOOD)
        broken, other = read(tree, server, tmp_path / "second", f"https://127.0.0.1:{secure.server_port}")
    assert other.problem == ""
    if fault:
        assert tree.state() == before
        assert any(word in broken.problem for word in what.split("|")), broken.problem
    else:
        assert broken.problem == "", "a sound certificate of a known authority"


@pytest.mark.sample(24)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_keeps_the_last_rows_says_what_happened_and_stops_no_other_source(
    tree: Tree, server: Server, tmp_path: Path, fault: str
) -> None:
    answer, what = FAULTS[fault]
    server.fault = body(GOOD)
    assert [o.problem for o in read(tree, server, tmp_path / "first")] == ["", ""]
    before = tree.state()
    server.fault = answer
    started = time.monotonic()
    broken, other = read(tree, server, tmp_path / "second")
    assert time.monotonic() - started < 10
    assert any(word in broken.problem for word in what.split("|")), broken.problem
    assert "shop" in broken.problem
    assert other.problem == ""
    assert tree.state() == before
