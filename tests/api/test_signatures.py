"""Parameters of the public functions and their defaults, as the documentation has them."""

from __future__ import annotations

import inspect

import stablehlo_py as shlo

EXPECTED = """
analyze(module, entry=None)
analyze_devices(module, entry=None, *, bandwidth=None)
blame(folder, inputs=(), program=None, *, module=None, engine='numpy', tolerance=None, every=None,
    seed=0, against=None)
build(module, output, *, name='model', entries=(), dims=None, target='native', static=False,
    weights='embedded', link=True, wheel=False, lapack=())
compare(module, other=None, inputs=(), entry=None, *, engine=None, against=None, tolerance=None,
    floor=0.0, top=5, until=None, seed=0)
compile(module, entry=None, engine='auto', *, max_steps=None, timeout=None, replicas=None,
    partitions=None, observer=None, semantics='specification', partition=False)
custom_call(*names, attributes=None, text=(), on_host=False, signature=None, elements=(),
    layout='any', typed=False)
extract(module, *, op=None, line=None, location=None, function=None, between=None, depends_on=None,
    inputs=None, entry=None, iteration=None)
format(module, generic=False, canonical=True, *, locations=None)
fuzz(engine, other='numpy', *, count=100, seed=0, request=None)
graph(module, *, errors=None)
hash(module, *, structure=False)
infer(name, operands=(), attributes=None, regions=())
lint(module, select=None, ignore=(), settings=None)
load(path, allow_unregistered=False, *, vjp=0, allow_newer=False)
load_hlo(path)
opt(module, passes, *, verify_each=True, exact=False)
parse(source, name='<string>', allow_unregistered=False, *, first_line=1, vjp=0, allow_newer=False)
precision(module, sets, entry=None, *, type='bf16', rtol=0.01, by='op', limit=500, engine='numpy',
    seed=0, say=...)
ranges(module, sets, entry=None, *, seed=0)
reduce(module, check, inputs=None, entry=None, *, jobs=1, journal=None, say=..., keep=...,
    finite=True)
report(*programs, inputs=None, title='StableHLO report')
run(module, inputs=(), entry=None, *, engine='auto', infeed=(), outfeed=None, seed=0,
    max_steps=None, timeout=None, replicas=None, partitions=None, observer=None,
    semantics='specification')
serialize(module, kind='portable', target=None, *, lower_chlo=None, allow_other_dialects=False,
    locations=False, generic=False)
shadow(module, inputs=(), entry=None, *, wide='f64', seed=0)
specialize(module, sizes)
verify(module, strict=False)
"""


def shown(name: str) -> str:
    """A function with its parameters; a default that is a function is `...`."""
    parts: list[str] = []
    for each in inspect.signature(getattr(shlo, name)).parameters.values():
        if each.kind is each.KEYWORD_ONLY and not any(part.startswith("*") for part in parts):
            parts.append("*")
        text = f"*{each.name}" if each.kind is each.VAR_POSITIONAL else each.name
        default = "..." if callable(each.default) else repr(each.default)
        parts.append(text if each.default is each.empty else f"{text}={default}")
    return f"{name}({', '.join(parts)})"


def test_signatures() -> None:
    expected = [" ".join(line.split()) for line in EXPECTED.strip().replace("\n    ", " ").splitlines()]
    functions = [name for name in sorted(shlo.__all__) if inspect.isfunction(getattr(shlo, name))]
    assert [shown(name) for name in functions] == expected
