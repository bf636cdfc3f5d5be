"""Fetching: against a local server, with retries, size limit, conditional requests; and the mirror folder."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from urllib3.util.retry import Retry

from pipeline.intake.snapshots import FetchError, Manual, Mirror, Web
from pipeline.intake.sources.base import Source, SourceFile

BODY = b"name,memory\nRTX 4090,24\n"
FAST = Retry(total=3, backoff_factor=0.01, status_forcelist=(503,), allowed_methods=("GET",), raise_on_status=False)


class Handler(BaseHTTPRequestHandler):
    """Answers by path; remembers what it was asked."""

    def do_GET(self) -> None:
        server: Server = self.server  # type: ignore[assignment]
        server.asked.append((self.path, dict(self.headers)))
        if self.path == "/flaky" and len(server.asked) < 3:
            self._answer(503, b"")
        elif self.path == "/gone":
            self._answer(404, b"")
        elif self.headers.get("If-None-Match") == '"v1"':
            self._answer(304, b"")
        else:
            self._answer(200, BODY)

    def _answer(self, code: int, body: bytes) -> None:
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", '"v1"')
        self.send_header("Last-Modified", "Tue, 12 May 2026 10:00:00 GMT")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Stay quiet."""


class Server(ThreadingHTTPServer):
    """A local server that remembers the requests."""

    asked: list[tuple[str, dict[str, str]]]


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server(("127.0.0.1", 0), Handler)
    running.asked = []
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield running
    running.shutdown()
    running.server_close()
    thread.join()


def source(path: str = "/list", form: str = "original", port: int = 0) -> Source:
    file = SourceFile("list.csv", f"http://127.0.0.1:{port}{path}", form)
    return Source("shop", "Shop", "Shop", "https://e.org", "MIT", "reference", "prices", (file,))


def web(cache: Path, day: str = "2026-11-21", **options: int) -> Web:
    return Web(cache, date.fromisoformat(day), FAST, **options)


def test_a_file_is_fetched_with_the_day_and_the_servers_date(server: Server, tmp_path: Path) -> None:
    shop = source(port=server.server_port)
    snapshot = web(tmp_path).get(shop, shop.files[0])
    assert snapshot.content == BODY
    assert (snapshot.retrieved, snapshot.published) == ("2026-11-21", "2026-05-12")
    assert "gpu-almanac" in server.asked[0][1]["User-Agent"]


def test_a_second_fetch_asks_only_whether_it_changed_and_keeps_the_day_it_was_read(
    server: Server, tmp_path: Path
) -> None:
    shop = source(port=server.server_port)
    web(tmp_path).get(shop, shop.files[0])
    again = web(tmp_path, "2026-12-01").get(shop, shop.files[0])
    assert server.asked[1][1]["If-None-Match"] == '"v1"'
    assert (again.content, again.retrieved) == (BODY, "2026-11-21")


def test_a_damaged_cache_is_fetched_anew(server: Server, tmp_path: Path) -> None:
    shop = source(port=server.server_port)
    web(tmp_path).get(shop, shop.files[0])
    (tmp_path / "shop" / "list.csv").write_bytes(b"half")
    assert web(tmp_path).get(shop, shop.files[0]).content == BODY
    assert "If-None-Match" not in server.asked[1][1]


def test_a_busy_server_is_asked_again(server: Server, tmp_path: Path) -> None:
    shop = source("/flaky", port=server.server_port)
    assert web(tmp_path).get(shop, shop.files[0]).content == BODY
    assert len(server.asked) == 3


def test_a_missing_page_is_an_error_with_its_address(server: Server, tmp_path: Path) -> None:
    shop = source("/gone", port=server.server_port)
    with pytest.raises(FetchError, match=r"shop/list.csv: http://127.0.0.1:\d+/gone answered 404"):
        web(tmp_path).get(shop, shop.files[0])


def test_a_file_over_the_size_limit_is_refused(server: Server, tmp_path: Path) -> None:
    shop = source(port=server.server_port)
    with pytest.raises(FetchError, match="larger than 5 bytes"):
        web(tmp_path, max_bytes=5).get(shop, shop.files[0])
    assert not (tmp_path / "shop" / "list.csv").exists()


def test_a_dead_server_is_an_error_that_says_try_again(tmp_path: Path) -> None:
    shop = source(port=9)  # nothing listens on the discard port
    with pytest.raises(FetchError, match="try again later"):
        web(tmp_path).get(shop, shop.files[0])


def test_an_extract_is_read_by_hand_online(server: Server, tmp_path: Path) -> None:
    shop = source(form="extract", port=server.server_port)
    with pytest.raises(Manual):
        web(tmp_path).get(shop, shop.files[0])
    assert server.asked == []


def mirror(folder: Path, digest: str) -> Mirror:
    (folder / "shop").mkdir()
    (folder / "shop" / "list.csv").write_bytes(BODY)
    heads = "source_id,file,upstream_url,upstream_date,retrieved,sha256\n"
    line = f"shop,list.csv,https://e.org/list,2026-05-12,2026-11-20,{digest}\n"
    (folder / "MANIFEST.csv").write_text(heads + line)
    return Mirror.open(folder)


def test_a_mirror_gives_the_file_with_the_dates_of_its_manifest(tmp_path: Path) -> None:
    shop = source(form="extract")
    snapshot = mirror(tmp_path, hashlib.sha256(BODY).hexdigest()).get(shop, shop.files[0])
    assert (snapshot.content, snapshot.retrieved, snapshot.published) == (BODY, "2026-11-20", "2026-05-12")


def test_a_mirror_file_that_was_changed_is_refused(tmp_path: Path) -> None:
    shop = source()
    with pytest.raises(FetchError, match=r"shop/list.csv: SHA-256 is \w+…, the manifest says 0000"):
        mirror(tmp_path, "0" * 64).get(shop, shop.files[0])


def test_a_folder_without_a_manifest_is_no_mirror(tmp_path: Path) -> None:
    with pytest.raises(FetchError, match=r"has no MANIFEST\.csv"):
        Mirror.open(tmp_path)


def test_a_document_is_fetched_by_its_address(server: Server, tmp_path: Path) -> None:
    address = f"http://127.0.0.1:{server.server_port}"
    assert web(tmp_path).document(f"{address}/sheet.pdf") == BODY
    with pytest.raises(FetchError, match="answered 404; look where it moved, or save the sheet"):
        web(tmp_path).document(f"{address}/gone")
