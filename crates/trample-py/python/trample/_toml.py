"""Python values as TOML: what scenes given as dicts and settings given as keywords become."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from typing import Any


def value(v: Any) -> str:
    """A value as TOML on one line.

    >>> value({"size": [4, 2.5], "material": "snow", "flat": True})
    '{ "size" = [4, 2.5], "material" = "snow", "flat" = true }'
    """
    if hasattr(v, "tolist"):  # numpy's numbers and arrays
        v = v.tolist()
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, int):
        return str(v)
    if isinstance(v, float):
        if math.isfinite(v):
            text = repr(v)
            return text if "." in text or "e" in text else text + ".0"
        return "nan" if math.isnan(v) else ("inf" if v > 0 else "-inf")
    if isinstance(v, Mapping):
        return "{ " + ", ".join(f"{_string(str(k))} = {value(x)}" for k, x in v.items()) + " }"
    if isinstance(v, str):
        return _string(v)
    if hasattr(v, "__fspath__"):
        return _string(v.__fspath__())
    if isinstance(v, Sequence):
        return "[" + ", ".join(value(x) for x in v) + "]"
    raise TypeError(f"a scene cannot hold a {type(v).__name__}: numbers, texts, lists and dicts only")


def document(table: Mapping[str, Any]) -> str:
    """A dict as a TOML file, one line per key, so that errors name the line of the key."""
    return "".join(f"{_string(str(k))} = {value(v)}\n" for k, v in table.items())


def setting(key: str, v: Any) -> str:
    """A keyword as the command's `--set key=value`; texts go as they are.

    >>> setting("mass", 90), setting("material", "mud")
    ('mass=90', 'material=mud')
    """
    return f"{key}={v if isinstance(v, str) else value(v)}"


def scene(told: str | os.PathLike[str] | Mapping[str, Any]) -> tuple[str, str | None]:
    """Name and text of a scene: a library name or a path has no text, a dict is a text of its own.

    >>> scene("plate"), scene({"preset": "plate"})
    (('plate', None), ('dict', '"preset" = "plate"\\n'))
    """
    return ("dict", document(told)) if isinstance(told, Mapping) else (os.fspath(told), None)


def _string(text: str) -> str:
    # JSON's escapes are TOML's, but for DEL and for halves of surrogate pairs, which are no text.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
