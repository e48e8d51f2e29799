"""`view`: the browser simulator inside a notebook."""

from __future__ import annotations

import functools
import http.server
import os
import pathlib
import threading
import urllib.parse
from typing import TYPE_CHECKING

from . import _trample
from ._world import World

if TYPE_CHECKING:
    from anywidget import AnyWidget

_SERVED: dict[pathlib.Path, http.server.ThreadingHTTPServer] = {}

_SCRIPT = """
function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.style.cssText = "width: 100%; border: 0";
  frame.allow = "fullscreen; gamepad; cross-origin-isolated";
  const show = () => { frame.src = model.get("address"); frame.style.height = `${model.get("height")}px`; };
  model.on("change:address change:height", show);
  show();
  el.appendChild(frame);
}
export default { render };
"""


def find_page(page: str | os.PathLike[str] | None = None) -> pathlib.Path:
    """The folder that `cargo xtask web` has built: `page`, the environment's TRAMPLE_PAGE, or target/web above this folder."""
    told = page or os.environ.get("TRAMPLE_PAGE")
    targets = [os.environ["CARGO_TARGET_DIR"]] if "CARGO_TARGET_DIR" in os.environ else []
    folders = [pathlib.Path.cwd(), *pathlib.Path.cwd().parents]
    looked = [*(pathlib.Path(t, "web") for t in targets), *(folder / "target/web" for folder in folders)]
    for place in [pathlib.Path(told)] if told else looked:
        if (place / "index.html").exists() and any(place.glob("*.wasm")):
            return place.absolute()
    where = f"{told} is no such page" if told else "it was looked for in target/web"
    raise FileNotFoundError(f"the browser simulator is not built ({where}): `cargo xtask web` builds it; then give page= or TRAMPLE_PAGE")


def view(world: World, *, height: int = 520, page: str | os.PathLike[str] | None = None) -> AnyWidget:
    """Embeds the browser simulator with the scene and the settings of `world`, from its beginning, as an anywidget.

    Needs the page (`cargo xtask web`) and `pip install anywidget`. The page is served to this machine alone, at 127.0.0.1. A world of
    the library can be shown; one from a file or a dict has no link."""
    name, settings = world._told
    if name not in dict(_trample.scenes()):
        raise ValueError(f"{name}: only scenes of the library can be shown; their settings come along")
    folder = find_page(page)
    try:
        import anywidget
        import traitlets
    except ImportError as e:
        raise ImportError("trample.view needs anywidget: pip install 'trample[view]'") from e

    class View(anywidget.AnyWidget):
        """The page in a frame."""

        _esm = _SCRIPT
        address = traitlets.Unicode().tag(sync=True)
        height = traitlets.Int().tag(sync=True)

    asked = [("scene", name), *((key, value) for key, _, value in (setting.partition("=") for setting in settings))]
    query = urllib.parse.urlencode(asked, quote_via=urllib.parse.quote)
    return View(address=f"http://127.0.0.1:{_serve(folder)}/?{query}", height=height)


def _serve(folder: pathlib.Path) -> int:
    """Serves a folder to this machine until Python ends; returns the port."""
    if folder not in _SERVED:
        handler = functools.partial(_Quiet, directory=os.fspath(folder))
        _SERVED[folder] = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=_SERVED[folder].serve_forever, daemon=True).start()
    return _SERVED[folder].server_address[1]


class _Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm", ".js": "text/javascript"}

    def log_message(self, format: str, *args: object) -> None:
        pass
