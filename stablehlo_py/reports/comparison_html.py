"""A comparison of two runs as HTML, from what `shlo compare --format json` prints; error maps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stablehlo_py.diagnostics.render import counted
from stablehlo_py.reports.html import Cell, facts, table, text
from stablehlo_py.reports.page import page
from stablehlo_py.reports.plots.bars import bars, histogram
from stablehlo_py.reports.plots.heat_map import heat_map
from stablehlo_py.reports.plots.svg import figure

Data = Mapping[str, Any]


def comparison_html(found: Data) -> str:
    """Render a comparison.

    Args:
        found: The plain data of a comparison.
    """
    return "".join(_parts(found))


def comparison_page(found: Data, names: tuple[str, str]) -> str:
    """Return the page of a comparison of two runs with these names."""
    return page("Comparison", f"{names[0]} and {names[1]}", comparison_html(found))


def _parts(found: Data) -> Iterator[str]:
    first = found["first"]
    rows = [("verdict", _verdict(found)), ("compared", counted(found["ops"], "op execution"))]
    rows += [("without a counterpart", f"{found['unmatched']:,}")] if found["unmatched"] else []
    yield facts(rows)
    if found["error"] is not None:
        yield f'<p class="error"><b>The second run failed:</b> {text(found["error"])}</p>'
    if first is not None:
        yield from _first(first)
    if found["others"]:
        yield "<h2>Errors of other ops on equal operands</h2>"
        yield figure(bars([_bar(each) for each in found["others"]], "Errors of other ops"), "")
    if found["results"]:
        yield f"<h2>Results of the program</h2>{values_html(found['results'])}"
    if found["changes"]:
        yield f"<h2>Differences in text, not in results</h2>{_listed(found['changes'])}"
    yield "".join(f'<p class="faint">{text(note)}</p>' for note in found["notes"])


def _verdict(found: Data) -> str:
    if found["error"] is not None:
        return "failed"
    if not (found["ops"] or found["results"]):
        return "nothing was compared"
    if not found["ok"]:
        return "out of tolerance"
    return "within tolerance" if found["first"] or found["results"] else "equal"


def _first(first: Data) -> Iterator[str]:
    yield f"<h2>{'First difference' if first['ok'] else 'First wrong op'}: {text(first['op'])}</h2>"
    lines = [f"{first['line']}: {first['text'].strip()}"]
    if first["other_line"] and first["other_text"] != first["text"]:
        lines.append(f"{first['other_line']}: {first['other_text'].strip()}")
    yield f"<pre>{text(chr(10).join(lines))}</pre>"
    notes = [*first["origin"], *(f"differs in {each}" for each in first["details"])]
    if first["iterations"]:
        notes.append(f"in iteration {', '.join(map(str, first['iterations']))} of the loop, counted from 0")
    yield _listed(notes)
    yield values_html(first["operands"], "operand") if first["operands"] else ""
    yield values_html(first["results"], "result")


def _listed(rows: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{text(row)}</li>' for row in rows)}</ul>" if rows else ""


def values_html(values: Sequence[Data], role: str = "value") -> str:
    """Render the errors of values: a table, and plots of those that are out of tolerance.

    Args:
        values: The plain data of the values' differences.
        role: What they are.
    """
    heads = (role, "type", "verdict", "max absolute", "max relative", "max ULP", "out of tolerance")
    listed = table(heads, [_row(each) for each in values], sortable=len(values) > 1)
    plots = "".join(_plots(each) for each in values if not each["ok"] and not each["error"]["problem"])
    return f'<div class="scroll">{listed}</div>{plots}'


def _row(value: Data) -> tuple[object, ...]:
    error = value["error"]
    code = Cell(value["name"], html=f"<code>{text(value['name'])}</code>")
    type = Cell(value["type"], html=f"<code>{text(value['type'])}</code>")
    if error is None:
        return code, type, "equal", *[Cell("0", 0)] * 4
    if error["problem"]:
        return code, type, error["problem"], *[Cell("", float("inf"))] * 4
    verdict = Cell("ok") if value["ok"] else Cell("wrong", html='<b class="error">wrong</b>')
    sizes = [Cell(f"{error[name]:.3g}", error[name]) for name in ("max_abs", "max_rel")]
    return code, type, verdict, *sizes, error["max_ulp"], Cell(f"{error['wrong']:,}", error["wrong"])


def _plots(value: Data) -> str:
    """Plot where the errors of a value are, and how many have which size."""
    name, cells, parts = value["name"], value.get("map"), []
    if cells:
        caption = (
            f"Where {name} is wrong: the leading dimensions from top to bottom, the others from left "
            "to right. Darker cells have larger absolute errors, on a logarithmic scale."
        )
        parts.append(figure(heat_map(cells["cells"], cells["shape"], f"Error map of {name}"), caption))
    counts = value["error"]["histogram"]
    if counts:
        plot = histogram(counts, f"Errors of {name} in units in the last place", "error in ULP")
        parts.append(figure(plot, f"How many elements of {name} have which error."))
    worst = [
        (str(row["index"]), Cell("", html=f"<code>{text(row['first'])}</code>"), row["second"])
        for row in value["worst"]
    ]
    listed = table(("worst elements", "first run", "second run"), worst) if worst else ""
    return f'<div class="plots">{"".join(parts)}{listed}</div>'


def _bar(found: Data) -> tuple[str, float, str]:
    error = found["results"][0]["error"] or {"max_rel": 0.0, "problem": ""}
    title = f"{found['op']}  line {found['line']}"
    shown = error["problem"] or f"{error['max_rel']:.3g} relative{'' if found['ok'] else ', wrong'}"
    return title, 0.0 if error["problem"] else error["max_rel"], shown


def errors_by_line(found: Any) -> dict[int, float]:
    """Return the relative errors of ops by their lines, infinite where results cannot be compared.

    Args:
        found: The plain data of a comparison, from a file.

    Raises:
        ValueError: If it is something else.
    """
    if not isinstance(found, dict) or not isinstance(found.get("others"), list):
        raise ValueError("not a comparison")
    errors: dict[int, float] = {}
    for op in filter(None, [found.get("first"), *found["others"]]):
        match op:
            case {"line": int(line), "results": list(results)}:
                errors[line] = max([errors.get(line, 0.0), *map(_size, results)])
            case _:
                raise ValueError("not an op of a comparison")
    return errors


def _size(result: Any) -> float:
    """Return the relative error of a result."""
    match result:
        case {"error": None}:
            return 0.0
        case {"error": {"problem": "", "max_rel": float(size) | int(size), "histogram": histogram}}:
            return float("inf") if histogram and "not finite" in histogram else float(size)
        case {"error": {"problem": str()}}:
            return float("inf")
    raise ValueError("not a result of a comparison")
