"""Output files: no input is overwritten, and an interrupted command leaves no partial file."""

from __future__ import annotations

import errno
import json
import os
import shlex
import signal
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

from stablehlo_py.storage import files
from stablehlo_py.storage.files import OutputFiles, OverwriteError, json_object, replacing, small_text

Shlo = Callable[..., "subprocess.CompletedProcess[str]"]

GUARD = 300.0  # seconds
PROGRAM = """func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.abs %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""
OLD = b"the old content"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "p.mlir").write_text(PROGRAM)
    np.save(tmp_path / "x.npy", np.float32([-1, 2]))
    np.savez(tmp_path / "x.npz", x=np.float32([-1, 2]))
    (tmp_path / "config.toml").write_text("[tool.shlo.lint]\n")
    (tmp_path / "link").symlink_to("p.mlir")
    (tmp_path / "hard").hardlink_to(tmp_path / "p.mlir")
    return tmp_path


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc, where open files are listed")
def test_no_file_stays_open(folder: Path) -> None:
    """Neither after a new file, a replaced or linked one, a device, nor one that is given up."""
    before = sorted(Path("/proc/self/fd").iterdir())
    for name in ("new", "p.mlir", "link", "/dev/null"):
        with replacing(folder / name) as file:
            file.write(b"content")
        with pytest.raises(KeyError), replacing(folder / name) as file:
            raise KeyError
    with files.open_regular(folder / "x.npy") as stream:
        assert stream.read(1) == b"\x93"
    assert files.small_text(folder / "config.toml") == "[tool.shlo.lint]\n"
    assert sorted(Path("/proc/self/fd").iterdir()) == before


def contents(folder: Path) -> Mapping[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize(
    "command",
    [
        "verify p.mlir --format json -o ./p.mlir",
        "verify p.mlir -o link",
        "verify link -o p.mlir",
        "verify . -o hard",
        "lint p.mlir -o ../{folder}/p.mlir",
        "lint p.mlir --config config.toml -o config.toml",
        "graph p.mlir -o p.mlir",
        "graph p.mlir -o hard",
        "run p.mlir -a x.npy -o x.npy",
        "run p.mlir -a x=x.npz -o x.npz",
        "run p.mlir -a x@0,0=x.npz -o x.npz",
        "run p.mlir -a x.npy --check-against x.npz -o x.npz",
        "run p.mlir -a x.npy --outfeed x.npz --infeed x.npz",
        "run p.mlir -a x.npy --profile-output p.mlir",
        "run p.mlir -a x.npy --profile-output new.npz -o new.npz",
    ],
)
def test_an_input_is_never_overwritten(shlo: Shlo, folder: Path, command: str) -> None:
    before = contents(folder)
    done = shlo(*command.format(folder=folder.name).split(), cwd=folder)
    assert done.returncode == 2
    assert "would overwrite an input file" in done.stderr or "is the file of two outputs" in done.stderr
    assert contents(folder) == before


def test_files_in_a_folder_of_outputs_are_protected(shlo: Shlo, folder: Path) -> None:
    assert shlo("run", "p.mlir", "-a", "x.npy", "-o", "raw", cwd=folder).returncode == 0
    done = shlo("run", "p.mlir", "-a", "raw/out0.bin", "-o", "raw", cwd=folder)
    assert (done.returncode, done.stderr) == (2, "shlo: raw/out0.bin: would overwrite an input file\n")
    probe = ("run", "p.mlir", "--probe", "abs", "--probe-dir", "probes")
    assert shlo(*probe, "-a", "x.npy", cwd=folder).returncode == 0
    before = contents(folder / "probes")
    assert shlo(*probe, "-a", "probes/main.0.npz", cwd=folder).returncode == 2
    assert contents(folder / "probes") == before


def test_modes_are_kept_and_links_followed(folder: Path) -> None:
    (folder / "p.mlir").chmod(0o604)
    with replacing(folder / "link") as stream:
        stream.write(b"new")
    assert (folder / "link").is_symlink() and (folder / "p.mlir").read_bytes() == b"new"
    assert (folder / "p.mlir").stat().st_mode & 0o777 == 0o604
    umask = os.umask(0o027)
    try:
        with replacing(folder / "fresh") as stream:
            stream.write(b"")
    finally:
        os.umask(umask)
    assert (folder / "fresh").stat().st_mode & 0o777 == 0o640


@pytest.fixture(params=["unnamed", "named"])
def create(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With temporary files that have no name, and on systems where they have one."""
    if request.param == "named":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    return str(request.param)


def test_an_exception_leaves_the_old_file(tmp_path: Path, create: str) -> None:
    (tmp_path / "a").write_bytes(OLD)
    for name in ("a", "b"):
        with pytest.raises(KeyboardInterrupt), replacing(tmp_path / name) as stream:
            stream.write(b"half")
            stream.flush()
            raise KeyboardInterrupt
    assert contents(tmp_path) == {"a": OLD}
    with replacing(tmp_path / "a") as stream:
        stream.write(b"new")
    assert contents(tmp_path) == {"a": b"new"}


def test_a_file_that_cannot_be_finished_leaves_the_old_one(
    tmp_path: Path, create: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(descriptor: int) -> None:
        raise OSError(5, "broken disk")

    (tmp_path / "a").write_bytes(OLD)
    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(OSError, match="broken disk"), replacing(tmp_path / "a") as stream:
        stream.write(b"new")
    assert contents(tmp_path) == {"a": OLD}


def test_a_file_then_its_folder_are_flushed_to_disk(
    tmp_path: Path, create: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file when it is complete, and the folder when it has the new file."""
    target, flushed = tmp_path / "a", []

    def noted(descriptor: int) -> None:
        found = os.fstat(descriptor)
        same = os.path.samestat(found, tmp_path.stat())
        flushed.append((same, found.st_size == 3, target.exists() and target.read_bytes()))

    monkeypatch.setattr(os, "fsync", noted)
    for old in (False, b"new"):
        with replacing(target) as stream:
            stream.write(b"new")
        (is_folder, is_complete, before), (other_is_folder, _, after) = flushed
        assert (is_folder, is_complete, before, other_is_folder, after) == (False, True, old, True, b"new")
        assert [*tmp_path.iterdir()] == [target]
        flushed.clear()


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="needs files without a name")
def test_a_new_file_without_a_name_gets_that_of_the_target(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has no other name before, unless another file has taken the target's meanwhile."""
    link, target = files._link, tmp_path / "a"
    linked: list[Path] = []

    def late(descriptor: int, path: Path) -> None:
        linked.append(path)
        if path == target and is_late:
            target.write_bytes(OLD)
        link(descriptor, path)

    monkeypatch.setattr(files, "_link", late)
    for is_late in (False, True):
        with replacing(target) as stream:
            stream.write(b"new")
        assert contents(tmp_path) == {"a": b"new"}
        assert linked[:1] == [target] and len(linked) == 1 + is_late
        linked.clear()
        target.unlink()


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="needs names of open files")
def test_a_pipe_that_nobody_reads() -> None:
    """The first error is the one that is raised; one of the pipe names it."""
    reader, writer = os.pipe()
    os.close(reader)
    path = f"/dev/fd/{writer}"
    with pytest.raises(KeyError), replacing(path) as stream:
        stream.write(b"new")
        raise KeyError
    with pytest.raises(BrokenPipeError) as raised, replacing(path) as stream:
        stream.write(b"new")
    assert raised.value.filename == path
    os.close(writer)


@pytest.mark.skipif(not hasattr(os, "fchown"), reason="needs owners of files")
@pytest.mark.parametrize("is_permitted", [True, False])
def test_the_owner_is_kept_where_permitted(
    is_permitted: bool, tmp_path: Path, create: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def chown(descriptor: int, user: int, group: int) -> None:
        asked.append((os.fstat(descriptor).st_ino, user, group))
        if not is_permitted:
            raise PermissionError(errno.EPERM, "not permitted")

    monkeypatch.setattr(os, "fchown", chown)
    for owner in ((), (os.getuid(), os.getgid())):  # of a new file nothing is asked
        with replacing(tmp_path / "a") as stream:
            stream.write(b"new")
        found = (tmp_path / "a").stat()
        assert asked == ([(found.st_ino, *owner)] if owner else [])
        (tmp_path / "a").chmod(0o604)
    assert found.st_mode & 0o777 == 0o604


def test_temporary_files_of_killed_processes_are_deleted(tmp_path: Path) -> None:
    stale, fresh, other = (tmp_path / name for name in (".shlo-1.tmp", ".shlo-2.tmp", ".other-1.tmp"))
    for path in (stale, fresh, other):
        path.write_bytes(b"half")
    for path in (stale, other):
        os.utime(path, (0, 0))
    os.utime(fresh, (2**31, 2**31))  # however long this takes
    files._remove_stale.cache_clear()
    with replacing(tmp_path / "a") as stream:
        stream.write(b"new")
    assert set(contents(tmp_path)) == {"a", fresh.name, other.name}


# Writes half of a file in a process of its own, says so, and waits.
HALF = """
import os, sys, time
from stablehlo_py.storage.files import replacing
with replacing(sys.argv[1]) as stream:
    stream.write(b"x" * 1000000)
    stream.flush()
    print("half", flush=True)
    time.sleep(float(sys.argv[2]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("exists", [True, False])
def test_a_signal_leaves_the_old_file_and_nothing_else(tmp_path: Path, how: int, exists: bool) -> None:
    if not hasattr(os, "O_TMPFILE"):
        pytest.skip("a killed process leaves a temporary file, which the next one deletes")
    if exists:
        (tmp_path / "a").write_bytes(OLD)
    command = [sys.executable, "-c", HALF, str(tmp_path / "a"), str(GUARD)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None and process.stdout.readline() == b"half\n"
        process.send_signal(how)
        assert process.wait(GUARD) != 0
    assert contents(tmp_path) == ({"a": OLD} if exists else {})


# The command where a file holds 100 bytes, as on a full disk. The process limits itself: a function between
# fork and exec (`preexec_fn`) runs what libraries here have registered for a fork, and JAX warns there.
LIMITED = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
from stablehlo_py.cli.entry import main
main()
"""


@pytest.mark.parametrize(
    "command",
    [
        "verify p.mlir --format sarif -o out",
        "graph p.mlir -o out",
        "run p.mlir -a x.npy --profile-output out",
    ],
)
def test_a_full_disk_leaves_the_old_file(folder: Path, command: str) -> None:
    (folder / "out").write_bytes(OLD)
    before = contents(folder)
    arguments = [sys.executable, "-BPc", LIMITED, *command.split()]  # -B: no bytecode that is cut off
    done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, timeout=GUARD)
    assert (done.returncode, done.stderr) == (2, "shlo: out: File too large\n")
    assert contents(folder) == before


def test_what_is_a_device(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "pipe")
    for path in ("/dev/null", "/dev/stdout", "/dev/fd/3", tmp_path / "pipe"):
        assert files.is_device(path)
    for path in (tmp_path, tmp_path / "file", tmp_path / "missing"):
        assert not files.is_device(path)


@pytest.mark.slow
def test_devices_and_pipes(shlo_process: Shlo, folder: Path) -> None:
    program = folder / "p.mlir"
    done = shlo_process("graph", program, "-o", "/dev/stdout", "--format", "json")
    assert (done.returncode, json.loads(done.stdout)["name"]) == (0, str(program))
    done = shlo_process("graph", program, "-o", "/dev/full", "--format", "json")
    assert (done.returncode, done.stderr) == (2, "shlo: /dev/full: No space left on device\n")
    done = shlo_process("graph", program, "-o", "/dev/stderr", "--format", "json")
    assert (done.returncode, done.stdout, json.loads(done.stderr)["name"]) == (0, "", str(program))
    assert shlo_process("graph", program, "-o", "/dev/null").returncode == 0
    assert Path("/dev/null").is_char_device()


def test_process_substitution(folder: Path) -> None:
    shlo = f"{sys.executable} -Pc 'from stablehlo_py.cli.main import main; main()'"
    command = f"{shlo} run p.mlir -a x.npy --profile-output >(cat > copy); wait $!"
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, timeout=GUARD)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads((folder / "copy").read_text())


def test_a_named_pipe(shlo_process: Shlo, folder: Path) -> None:
    pipe = folder / "pipe.npy"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    assert shlo_process("run", "p.mlir", "-a", "x.npy", "-o", "pipe.npy", cwd=folder).returncode == 0
    reader.join(GUARD)
    assert read[0].startswith(b"\x93NUMPY") and pipe.is_fifo()


def test_an_open_file_is_continued(folder: Path) -> None:
    shlo = f"{sys.executable} -Pc 'from stablehlo_py.cli.main import main; main()'"
    command = f"(echo first; {shlo} graph p.mlir --format dot -o /dev/stdout; echo last) > out"
    subprocess.run(["bash", "-c", command], cwd=folder, check=True, timeout=GUARD)
    lines = (folder / "out").read_text().splitlines()
    assert (lines[0], lines[-1]) == ("first", "last") and lines[1].startswith("digraph")


@pytest.mark.parametrize("name", ["no/folder/out", ".", "p.mlir/out"])
def test_what_cannot_be_written_is_named(shlo: Shlo, folder: Path, name: str) -> None:
    done = shlo("graph", "p.mlir", "--format", "dot", "-o", name, cwd=folder)
    assert done.returncode == 2 and done.stderr.startswith(f"shlo: {name}: ")


def test_two_outputs_and_missing_inputs(tmp_path: Path) -> None:
    outputs = OutputFiles(["no such file", "-", "dense<1> : tensor<2xi32>"])
    outputs.check("/dev/null", "/dev/null", None, tmp_path / "a", tmp_path / "b")
    again = f"{tmp_path}/./a"
    with pytest.raises(OverwriteError) as raised:
        outputs.check(tmp_path / "a", again)
    described = (raised.value.errno, raised.value.strerror, raised.value.filename)
    assert described == (errno.EEXIST, "is the file of two outputs", again)
    (tmp_path / "a").touch()
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OverwriteError, match="is the file of two outputs"):
        outputs.check(tmp_path / "a", tmp_path / "b")
    with pytest.raises(OverwriteError) as raised:
        OutputFiles([tmp_path / "a"]).check(tmp_path / "b")
    described = (raised.value.errno, raised.value.strerror, raised.value.filename)
    assert described == (errno.EEXIST, "would overwrite an input file", str(tmp_path / "b"))


def test_many_writers_of_one_file(tmp_path: Path) -> None:
    code = """
import sys
from stablehlo_py.storage.files import replacing
for _ in range(50):
    with replacing(sys.argv[1]) as stream:
        stream.write(sys.argv[2].encode() * 100000)
"""
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "a"), letter]) for letter in "abc"
    ]
    end = time.monotonic() + GUARD
    assert [process.wait(max(0.0, end - time.monotonic())) for process in running] == [0, 0, 0]
    content = (tmp_path / "a").read_bytes()
    assert len(content) == 100000 and len(set(content)) == 1
    assert list(contents(tmp_path)) == ["a"]


ARRAYS = "p.mlir -a x.npy"
DEVICES = [
    f"run {ARRAYS} -o",
    f"run {ARRAYS} --outfeed",
    f"run {ARRAYS} --profile-output",
    f"compare p.mlir {ARRAYS} -o",
    f"extract {ARRAYS} --op %0 -o",
    "reduce p.mlir --check 'test -e {}' -o",
    "graph p.mlir -o",
    "convert p.mlir -o",
    "opt p.mlir --pass cse -o",
    "report p.mlir -o",
    "inspect p.mlir --memory",
    "verify p.mlir -o",
    "lint p.mlir -o",
]


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="needs /dev/null")
@pytest.mark.parametrize("command", DEVICES)
def test_a_device_is_an_output(shlo: Shlo, folder: Path, command: str) -> None:
    """A link to /dev/null, beside which no file appears, and which stays a link."""
    (folder / "null").symlink_to("/dev/null")
    before = {path.name for path in folder.iterdir()}
    done = shlo(*shlex.split(command), "null", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert {path.name for path in folder.iterdir()} == before and (folder / "null").is_symlink()


def test_results_in_a_pipe_are_an_archive(shlo: Shlo, folder: Path) -> None:
    words = f"{sys.executable} -Pc 'from stablehlo_py.cli.main import main; main()'"
    command = f"{words} run {ARRAYS} -o >(cat > copy); wait $!"
    done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, check=False)
    assert done.returncode == 0
    with np.load(folder / "copy") as found:
        assert found["out0"].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("command", "suffixes"),
    [
        ("graph p.mlir -o x.pdf", ".html, .htm, .dot, .gv or .json, or --format"),
        ("convert p.mlir -o x.pdf", ".mlir, .mlirbc, .bc or .hlo, or --to"),
        (f"compare p.mlir {ARRAYS} -o x.pdf", ".html, .htm or .json, or --format"),
        (f"run {ARRAYS} --profile-output x.pdf", ".html, .htm or .json"),
        ("report p.mlir -o x.pdf", ".html or .htm"),
        (f"run {ARRAYS} --shadow f64 --html x.pdf", ".html or .htm"),
        (f"run {ARRAYS} -o x.pdf", "a .npy, .npz, .safetensors or .bin file, or a folder"),
        ("inspect p.mlir --memory x.pdf", ".svg or .html"),
    ],
)
def test_an_unknown_suffix_is_an_error(shlo: Shlo, folder: Path, command: str, suffixes: str) -> None:
    done = shlo(*command.split(), cwd=folder)
    assert done.returncode == 2 and suffixes in " ".join(done.stderr.split())
    assert not (folder / "x.pdf").exists()


def test_the_suffix_selects_the_format_of_a_comparison(shlo: Shlo, folder: Path) -> None:
    assert shlo("compare", "p.mlir", *ARRAYS.split(), "-o", "found.json", cwd=folder).returncode == 0
    assert json.loads((folder / "found.json").read_text())["ok"] is True


@pytest.mark.parametrize("command", ["extract p.mlir --op %0 -a x.npy", "reduce p.mlir --check 'test -e {}'"])
def test_a_program_is_not_overwritten_by_its_inputs(shlo: Shlo, folder: Path, command: str) -> None:
    done = shlo(*shlex.split(command), "-o", "part.npz", cwd=folder)
    assert done.returncode == 2 and "is the file of two outputs" in done.stderr


def test_texts_and_objects_that_are_too_large(tmp_path: Path) -> None:
    path, limit = tmp_path / "a.json", 1 << 20
    path.write_text("{}" + " " * (limit - 2))
    assert small_text(path, most=limit) == "{}" + " " * (limit - 2)
    assert json_object(path, limit, "the index") == {}
    path.write_text("{}" + " " * (limit - 1))
    with pytest.raises(OSError, match="larger than 1 MiB") as raised:
        small_text(path, most=limit)
    assert (raised.value.errno, raised.value.filename) == (errno.EFBIG, str(path))
    with pytest.raises(ValueError, match=r"^the index has more than 1 MiB$"):
        json_object(path, limit, "the index")
    with path.open("wb") as stream:
        stream.truncate((1 << 26) + 1)
    with pytest.raises(OSError, match="larger than 64 MiB"):
        small_text(path)
    path.write_bytes(b"a\xff")
    assert small_text(path, "replace") == "a\ufffd"
    with pytest.raises(UnicodeDecodeError):
        small_text(path)


def test_owner_and_mode_are_those_of_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, ...]] = []
    monkeypatch.setattr(os, "fchown", lambda *given: asked.append(given), raising=False)
    monkeypatch.setattr(os, "fchmod", lambda *given: asked.append(given), raising=False)
    old = os.stat_result((stat.S_IFREG | 0o4604, 1, 2, 1, 12, 34, 0, 0, 0, 0))
    files._copy_permissions(7, old)
    assert asked == [(7, 12, 34), (7, 0o4604)]


def test_files_on_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no modes, no owners and no locks, and cannot open folders."""
    for name in ("fchown", "fchmod", "fsync", "O_TMPFILE"):
        monkeypatch.delattr(os, name, raising=False)
    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setattr(files.sys, "platform", "win32")
    assert files._lock(0) is True
    files._copy_permissions(0, tmp_path.stat())
    files._sync_folder(tmp_path)


def test_a_target_that_this_user_cannot_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a"
    path.write_bytes(OLD)
    monkeypatch.setattr(os, "access", lambda target, mode: False)
    with pytest.raises(PermissionError) as raised, replacing(path) as file:
        file.write(b"new")
    assert raised.value.errno == errno.EACCES
    assert path.read_bytes() == OLD and [*tmp_path.iterdir()] == [path]


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="needs files without a name")
@pytest.mark.parametrize(("error", "is_created"), [(errno.EOPNOTSUPP, True), (errno.ENOSPC, False)])
def test_files_without_a_name(
    error: int, is_created: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A system that does not have them gets one with a name; other errors are errors."""

    def fails(path: object, flags: int, *rest: int) -> int:
        if flags & os.O_TMPFILE == os.O_TMPFILE:
            raise OSError(error, os.strerror(error))
        return opened(path, flags, *rest)  # type: ignore[arg-type]

    opened = os.open
    monkeypatch.setattr(os, "open", fails)
    if not is_created:
        with pytest.raises(OSError, match=os.strerror(error)):
            files._create(tmp_path)
        return
    descriptor, name = files._create(tmp_path)
    os.close(descriptor)
    assert name is not None and [*tmp_path.iterdir()] == [name]


@pytest.mark.skipif(sys.platform == "win32", reason="needs locks of files")
@pytest.mark.parametrize(
    ("error", "expected"),
    [(None, True), (errno.EWOULDBLOCK, False), (errno.EACCES, False), (errno.ENOLCK, True)],
)
def test_locks(error: int | None, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system without locks does not say that a file is in use."""
    import fcntl

    def flock(descriptor: int, operation: int) -> None:
        assert operation == fcntl.LOCK_EX | fcntl.LOCK_NB
        if error is not None:
            raise OSError(error, os.strerror(error))

    monkeypatch.setattr(fcntl, "flock", flock)
    assert files._lock(0) is expected
