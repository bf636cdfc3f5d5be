"""The makers' sheets are read again against a local server; what changed, moved or went is said, and nothing else."""

from __future__ import annotations

import hashlib
import re
import threading
import time
from collections.abc import Iterator
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner
from samples import Tree
from test_sheet_samples import html
from urllib3.util.retry import Retry

from pipeline import __main__ as cli
from pipeline.core import documents, gpus, paths
from pipeline.core.paths import DATA
from pipeline.intake.snapshots import FetchError, Mirror, NotInMirror, Web
from pipeline.tools.sheet import vendor_sheets
from pipeline.tools.sheet.vendor_sheets import Library, ListedSheet, SheetReading

TODAY = date(2026, 11, 21)
CARD = "nvidia-geforce-rtx-4090"
ROWS = [("GPU Memory", "24 GB"), ("Total Graphics Power", "450 W"), ("Boost Clock", "2.52 GHz")]
ONCE = Retry(total=0, raise_on_status=False)


class Handler(BaseHTTPRequestHandler):
    """Answers what the test laid under the path."""

    def do_GET(self) -> None:
        server: Server = self.server  # type: ignore[assignment]
        server.asked.append(self.path)
        code, headers, body = server.pages.get(self.path, (404, {}, b""))
        if self.path == "/slow":
            time.sleep(0.6)
        try:
            self.send_response(code)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the reader gave up, as the test wants

    def log_message(self, format: str, *args: object) -> None:
        """Stay quiet."""


class Server(ThreadingHTTPServer):
    """A maker's site of one test."""

    pages: dict[str, tuple[int, dict[str, str], bytes]]
    asked: list[str]

    def lay(self, path: str, body: bytes, code: int = 200, **headers: str) -> None:
        self.pages[path] = (code, headers, body)


@pytest.fixture
def site_of_maker(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server of this machine that counts as public, as a maker's does; documents refuse other private addresses."""
    monkeypatch.setattr(documents, "unreachable", lambda address: "")
    running = Server(("127.0.0.1", 0), Handler)
    running.pages, running.asked = {}, []
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield running
    running.shutdown()
    running.server_close()
    thread.join()


def page(rows: list[tuple[str, str]] = ROWS) -> bytes:
    return html("GeForce RTX 4090", rows).encode()


def entry(server: Server, path: str, *ids: str) -> ListedSheet:
    url = f"http://127.0.0.1:{server.server_port}{path}"
    return ListedSheet(title=f"Sheet {path}", maker="NVIDIA", form="page", url=url, gpus=ids or (CARD,))


@pytest.fixture
def library(tree: Tree) -> Library:
    return vendor_sheets.library(tree.data)


def read(
    server: Server, path: str, library: Library, tree: Tree, max_bytes: int = 100_000, patience_s: float = 20
) -> SheetReading:
    """Read one sheet as the last recorded facts of the tree stand."""
    store = Web(tree.data.data, TODAY, ONCE, max_bytes, (patience_s, patience_s))
    before = vendor_sheets.last_facts(tree.data.data)
    one = entry(server, path)
    return vendor_sheets.read(one, store, library, before.get(one.url), TODAY)


def recorded(server: Server, path: str, library: Library, tree: Tree) -> None:
    """Read a sheet and record that reading."""
    vendor_sheets.accept([read(server, path, library, tree)], tree.data.data, TODAY)


def test_a_sheet_that_says_the_same_is_unchanged(site_of_maker: Server, library: Library, tree: Tree) -> None:
    site_of_maker.lay("/same", page())
    recorded(site_of_maker, "/same", library, tree)
    reading = read(site_of_maker, "/same", library, tree)
    assert (reading.status, reading.changes) == ("unchanged", ())
    assert "## " not in vendor_sheets.markdown([reading])


def test_a_first_reading_is_compared_with_what_data_gpus_cites_from_that_address(
    site_of_maker: Server, library: Library, tree: Tree
) -> None:
    url = f"http://127.0.0.1:{site_of_maker.server_port}/first"
    file = tree.data.gpus / f"{CARD}.yml"
    known = library.gpus[CARD]
    document = (
        f"documents:\n  own:\n    title: t\n    kind: vendor\n    url: {url}\n    read: 2026-11-21\n    licence: x\n"
    )
    values = "".join(
        f"  - {{field: {f}, value: {v}, document: own, locator: l}}\n"
        for f, v in (("memory_gb", "24 GB"), ("board_power_w", "400 W"))
    )
    head = "".join(
        f"{key}: {getattr(known, key)}\n"
        for key in ("name", "vendor", "segment", "line", "architecture", "form_factor")
    )
    file.write_text(f"{head}{document}values:\n{values}")
    site_of_maker.lay("/first", page(ROWS[:2]))
    reading = read(site_of_maker, "/first", vendor_sheets.library(tree.data), tree)
    assert reading.status == "first reading"
    assert [(change.field, change.was, change.now) for change in reading.changes] == [
        ("board_power_w", "400 W", "450 W")
    ]


def test_changed_new_and_vanished_figures_are_listed_for_each_gpu(
    site_of_maker: Server, library: Library, tree: Tree
) -> None:
    site_of_maker.lay("/sheet", page())
    recorded(site_of_maker, "/sheet", library, tree)
    site_of_maker.lay(
        "/sheet", page([("GPU Memory", "48 GB"), ("Total Graphics Power", "450 W"), ("L2 Cache", "72 MB")])
    )
    reading = read(site_of_maker, "/sheet", library, tree)
    assert reading.status == "changed"
    assert [(change.gpu, change.field, change.was, change.now) for change in reading.changes] == [
        (CARD, "boost_clock_mhz", "2520 MHz", ""),
        (CARD, "l2_cache_mb", "", "72 MB"),
        (CARD, "memory_gb", "24 GB", "48 GB"),
    ]
    report = vendor_sheets.markdown([reading])
    assert "| nvidia-geforce-rtx-4090 | memory_gb | 24 GB | 48 GB |" in report
    assert "not found any more" in report


def test_an_address_that_is_gone_is_told_from_one_that_does_not_answer(
    site_of_maker: Server, library: Library, tree: Tree
) -> None:
    site_of_maker.lay("/slow", page())
    site_of_maker.lay("/closed", b"", 403)
    gone, closed = (read(site_of_maker, path, library, tree) for path in ("/gone", "/closed"))
    slow = read(site_of_maker, "/slow", library, tree, patience_s=0.2)
    assert (gone.status, slow.status, closed.status) == ("gone", "not read", "not read")
    assert "answered 404; look where it moved" in gone.note
    assert "ReadTimeout" in slow.note or "ConnectionError" in slow.note
    assert "answered 403" in closed.note


def test_a_page_that_moved_is_read_where_it_is_and_its_new_address_is_said(
    site_of_maker: Server, library: Library, tree: Tree
) -> None:
    site_of_maker.lay("/new", page())
    site_of_maker.lay("/old", page())
    recorded(site_of_maker, "/old", library, tree)
    site_of_maker.lay("/old", b"", 301, Location="/new")
    reading = read(site_of_maker, "/old", library, tree)
    assert reading.status == "moved"
    assert re.search(r"moved to http://127\.0\.0\.1:\d+/new", vendor_sheets.markdown([reading]))


@pytest.mark.parametrize(
    "landing",
    [
        b"<!doctype html><html><body><h1>Welcome to NVIDIA</h1><p>AI, games and more.</p></body></html>",
        html("GeForce RTX 3090", ROWS).encode(),
    ],
)
def test_an_address_that_leads_to_a_home_page_or_another_card_is_gone_and_says_where_it_leads(
    site_of_maker: Server, library: Library, tree: Tree, landing: bytes
) -> None:
    site_of_maker.lay("/sheet", page())
    recorded(site_of_maker, "/sheet", library, tree)
    site_of_maker.lay("/", landing)
    site_of_maker.lay("/sheet", b"", 302, Location="/")
    reading = read(site_of_maker, "/sheet", library, tree)
    assert reading.status == "gone"
    assert re.search(r"moved to http://127\.0\.0\.1:\d+/(;|$)", reading.note)
    assert reading.facts is None, "a home page must not replace what the sheet said"


def test_a_web_page_in_the_place_of_a_pdf_is_said_to_be_that(
    site_of_maker: Server, library: Library, tree: Tree
) -> None:
    site_of_maker.lay("/a.pdf", b"<!doctype html><html><body><p>Accept our cookies</p></body></html>")
    site_of_maker.lay("/b.pdf", page())
    store = Web(tree.data.data, TODAY, ONCE)
    wall, viewer = (
        vendor_sheets.read(entry(site_of_maker, path).model_copy(update={"form": "pdf"}), store, library, None, TODAY)
        for path in ("/a.pdf", "/b.pdf")
    )
    assert wall.status == "unreadable"
    assert "gives a web page where the list says a PDF; " in wall.note and "no table" in wall.note
    assert (viewer.status, viewer.note) == ("first reading", "gives a web page where the list says a PDF")
    before = viewer.facts
    again = vendor_sheets.read(viewer.entry, store, library, before, TODAY)
    assert again.status == "moved", "the wrong form must show, although no figure changed"


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (page() + b" " * 2000, "not read", "larger than 1500 bytes"),
        (b"<!doctype html><html><body><p>Accept our cookies</p></body></html>", "unreadable", "no table"),
        (b"\x89PNG\r\n\x1a\n0000", "unreadable", "a PNG picture"),
        (b'{"error": "consent"}', "unreadable", "JSON"),
        (b"%PDF-1.7 half", "unreadable", "not a readable PDF"),
        (b"", "unreadable", "empty file"),
    ],
)
def test_a_file_that_is_too_big_or_no_sheet_is_said_to_be_that(
    site_of_maker: Server, library: Library, tree: Tree, body: bytes, status: str, said: str
) -> None:
    site_of_maker.lay("/sheet", body)
    reading = read(site_of_maker, "/sheet", library, tree, 1500)
    assert reading.status == status
    assert said in reading.note


def test_a_sheet_of_another_gpu_is_reported_and_a_host_that_keeps_failing_is_left_alone(
    site_of_maker: Server, library: Library, tree: Tree
) -> None:
    site_of_maker.lay("/other", html("GeForce RTX 3090", ROWS).encode())
    other = read(site_of_maker, "/other", library, tree)
    assert f"says nothing of {CARD}" in other.note and "nvidia-geforce-rtx-3090" in other.note
    for at in range(5):
        site_of_maker.lay(f"/{at}", b"", 403)
    store = Web(tree.data.data, TODAY, ONCE)
    entries = [entry(site_of_maker, f"/{at}") for at in range(5)]
    readings = vendor_sheets.read_all(entries, store, library, {}, TODAY, lambda reading: None)
    assert [reading.status for reading in readings] == ["not read"] * 5
    assert site_of_maker.asked[1:] == ["/0", "/1", "/2"]
    assert "left alone" in readings[-1].note


def test_a_recorded_reading_replaces_its_own_facts_only_and_a_failed_sheet_keeps_its_last(
    site_of_maker: Server, library: Library, tree: Tree
) -> None:
    for path in ("/one", "/two"):
        site_of_maker.lay(path, page())
        recorded(site_of_maker, path, library, tree)
    site_of_maker.lay("/one", b"", 404)
    site_of_maker.lay("/two", page([("GPU Memory", "48 GB")]))
    readings = [read(site_of_maker, path, library, tree) for path in ("/one", "/two")]
    vendor_sheets.accept(readings, tree.data.data, TODAY)
    facts = {
        url[-4:]: [value for value, _ in found.values()]
        for url, found in vendor_sheets.last_facts(tree.data.data).items()
    }
    assert facts == {"/one": ["450 W", "2520 MHz", "24 GB"], "/two": ["48 GB"]}


def test_the_command_prints_the_report_and_changes_nothing_unless_asked(
    tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = "https://www.nvidia.com/sheet"
    line = f"- {{title: t, maker: NVIDIA, form: page, url: '{url}', gpus: [{CARD}]}}\n"
    (tree.data.data / vendor_sheets.LIST).write_text(f"sheets:\n{line}{line.replace('/sheet', '/other')}")
    mirror(tmp_path / "mirror", url, page())
    monkeypatch.setattr(paths, "DATA", tree.data)
    words = ["refresh", "--sheets", "--mirror", str(tmp_path / "mirror")]
    before = tree.state()
    answer = CliRunner().invoke(cli.main, words)
    assert (answer.exit_code, tree.state()) == (0, before)
    assert "- 1 first reading" in answer.output and "- 1 not in the mirror" in answer.output
    CliRunner().invoke(cli.main, [*words, "--accept"])
    assert set(tree.state()) - set(before) == {vendor_sheets.FACTS}
    assert "- 1 unchanged" in CliRunner().invoke(cli.main, words).output


def mirror(folder: Path, url: str, body: bytes, digest: str = "") -> Mirror:
    (folder / "maker").mkdir(parents=True)
    (folder / "maker" / "sheet.html").write_bytes(body)
    digest = digest or hashlib.sha256(body).hexdigest()
    line = f"maker,sheet.html,{url},,2026-11-20,{digest}\n"
    (folder / "MANIFEST.csv").write_text(f"source_id,file,upstream_url,upstream_date,retrieved,sha256\n{line}")
    return Mirror.open(folder)


def test_a_mirror_gives_the_sheets_it_holds_and_names_the_others(tmp_path: Path, library: Library) -> None:
    url = "https://www.nvidia.com/sheet"
    store = mirror(tmp_path / "mirror", url, page())
    held, other = (ListedSheet(title="t", maker="NVIDIA", form="page", url=u, gpus=(CARD,)) for u in (url, f"{url}2"))
    assert vendor_sheets.read(held, store, library, None, TODAY).status == "first reading"
    assert vendor_sheets.read(other, store, library, None, TODAY).status == "not in the mirror"
    with pytest.raises(NotInMirror):
        store.page(other.url)
    with pytest.raises(FetchError, match="not what the manifest says"):
        mirror(tmp_path / "changed", url, page(), "0" * 64).page(url)


def test_a_text_of_a_sheet_cannot_break_the_report(site_of_maker: Server, library: Library, tree: Tree) -> None:
    site_of_maker.lay("/sheet", page([*ROWS, ("Power connectors", "&lt;script&gt; | `x` | 16-pin")]))
    report = vendor_sheets.markdown([read(site_of_maker, "/sheet", library, tree)])
    assert "<script>" not in report and "`" not in report


# ---------------------------------------------------------------- the list itself


def test_a_list_with_an_unknown_gpu_or_an_address_twice_is_refused(tmp_path: Path, library: Library) -> None:
    line = "- {title: t, maker: NVIDIA, form: page, url: 'https://www.nvidia.com/a', gpus: [nvidia-widget-9]}\n"
    (tmp_path / vendor_sheets.LIST).write_text(f"sheets:\n{line}{line}")
    with pytest.raises(vendor_sheets.SheetListError, match=r"stands 2 times.*\n.*unknown GPU 'nvidia-widget-9'"):
        vendor_sheets.load(tmp_path, library.gpus)


@pytest.mark.parametrize(
    ("maker", "url", "ids", "said"),
    [
        ("NVIDIA", "http://www.nvidia.com/a.pdf", CARD, "is not https"),
        ("NVIDIA", "https://shop.e.org/a.pdf", CARD, "shop.e.org is no host of NVIDIA"),
        ("NVIDIA", "https://nvidia.com.e.org/a.pdf", CARD, "nvidia.com.e.org is no host of NVIDIA"),
        ("AMD", "https://d1.awsstatic.com/a.pdf", CARD, "is no host of AMD"),
        ("NVIDIA", "https://www.nvidia.com/", CARD, "is a home page"),
        ("NVIDIA", "https://www.nvidia.com/a.pdf", "", "no GPU; name at least one"),
        ("NVIDIA", "https://www.nvidia.com/a.pdf", f"{CARD}, {CARD}", "stands twice under gpus"),
    ],
)
def test_an_address_that_is_no_makers_sheet_is_refused(
    tmp_path: Path, library: Library, maker: str, url: str, ids: str, said: str
) -> None:
    line = f"- {{title: t, maker: {maker}, form: pdf, url: '{url}', gpus: [{ids}]}}\n"
    (tmp_path / vendor_sheets.LIST).write_text(f"sheets:\n{line}")
    with pytest.raises(vendor_sheets.SheetListError, match=said):
        vendor_sheets.load(tmp_path, library.gpus)


def test_every_makers_sheet_that_a_gpu_cites_stands_in_the_list() -> None:
    known = gpus.load(DATA.gpus)
    # The page of a machine is cited for what it says of one GPU; read as a sheet it would only be refused.
    listed = {sheet.url for sheet in vendor_sheets.load(DATA.data, known)}
    cited = {
        document.url
        for gpu in known.values()
        for document in gpu.documents.values()
        if re.search(r"//[\w.]*(nvidia|amd|intel|google|apple)\.com/", document.url)
        and re.search(r"data sheet|product page|tpu/docs", f"{document.title} {document.url}")
        and not re.search(r"/(dgx|hgx)", document.url)
    }
    assert len(cited) > 10
    assert not cited - listed, "add these addresses to data/sheets.yml"
