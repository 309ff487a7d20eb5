"""Linking: object files (relocatable ELF, x86-64) become executable memory, without LLVM.

Loading LLVM takes longer than most programs that are in the disk cache. The object files have code and
constants only, and the few relocations of position-independent code; anything else is left to LLVM.
"""

from __future__ import annotations

import ctypes
import mmap
import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from platform import machine
from struct import Struct, error
from typing import Any, NamedTuple

_HEADER = Struct("<16sHHIQQQIHHHHHH")
_SECTION = Struct("<IIQQQQIIQQ")
_SYMBOL = Struct("<IBBHQQ")
_RELOCATION = Struct("<QQq")

_MAGIC = b"\x7fELF\x02\x01\x01"  # 64 bits, little endian
_RELOCATABLE, _X86_64 = 1, 62
_PROGBITS, _SYMTAB, _RELA = 1, 2, 4
_WRITE, _ALLOC = 1, 2
_UNDEFINED, _FIRST_RESERVED, _GLOBAL = 0, 0xFF00, 1

_ABSOLUTE, _RELATIVE, _CALL = 1, 2, 4  # R_X86_64_64, R_X86_64_PC32, R_X86_64_PLT32
_LOADS = (9, 41, 42)  # of an address: R_X86_64_GOTPCREL, R_X86_64_GOTPCRELX, R_X86_64_REX_GOTPCRELX
_ADDRESS, _OFFSET = Struct("<Q"), Struct("<i")

_JUMP = b"\xff\x25\x00\x00\x00\x00"  # to the address behind it
_STUB = 16  # bytes of a jump and its address, with two that are not reached
_PAGE = mmap.PAGESIZE
_MOST = 1 << 30  # bytes: what code refers to is less than 2 GB away


class Unlinkable(Exception):
    """The object files, or this system, are of another kind."""


class MissingFunction(Unlinkable):
    """Code calls a function that this process does not have.

    LLVM calls functions of a compiler's library for what a processor has no instructions for (conversions of
    f16, if it has no F16C).
    """


def links_here() -> bool:
    """Test whether object files for this machine can be linked here."""
    return sys.platform == "linux" and machine() == "x86_64" and sys.maxsize > 1 << 32


class _Symbol(NamedTuple):
    name: str
    is_global: bool
    section: int
    value: int


class _Object:
    """An object file, and where its sections are in memory."""

    def __init__(self, data: bytes) -> None:
        header = _HEADER.unpack_from(data)
        if not header[0].startswith(_MAGIC) or header[1:3] != (_RELOCATABLE, _X86_64):
            raise Unlinkable("not a relocatable ELF file for x86-64")
        self.data = data
        self.sections = [_SECTION.unpack_from(data, header[6] + i * header[11]) for i in range(header[12])]
        self.places: dict[int, int] = {}
        self.symbols: list[_Symbol] = []
        for _, kind, flags, _, offset, size, link, _, _, _ in self.sections:
            if flags & _ALLOC and size and (kind != _PROGBITS or flags & _WRITE):
                raise Unlinkable("data besides constants")
            if kind == _SYMTAB:
                strings = self.sections[link][4]
                for at in range(offset, offset + size, _SYMBOL.size):
                    name, info, _, section, value, _ = _SYMBOL.unpack_from(data, at)
                    end = data.index(b"\0", strings + name)
                    text = data[strings + name : end].decode("ascii")
                    self.symbols.append(_Symbol(text, info >> 4 == _GLOBAL, section, value))

    def place(self, start: int) -> int:
        """Give the sections places behind `start`; return where they end."""
        for number, (_, _, flags, _, _, size, _, _, alignment, _) in enumerate(self.sections):
            if flags & _ALLOC:
                start = -(-start // alignment) * alignment
                self.places[number] = start
                start += size
        return start

    def contents(self) -> Iterator[tuple[int, bytes]]:
        """The places of the sections, and their bytes."""
        for number, place in self.places.items():
            offset, size = self.sections[number][4:6]
            content = self.data[offset : offset + size]
            if len(content) != size:
                raise Unlinkable("a section is cut off")
            yield place, content

    def relocations(self) -> Iterator[tuple[int, int, _Symbol, int]]:
        """The place, kind, symbol and addend of each relocation."""
        for _, kind, _, _, offset, size, _, target, _, _ in self.sections:
            if kind == _RELA and target in self.places:
                limit = self.sections[target][5]
                for at in range(offset, offset + size, _RELOCATION.size):
                    place, info, addend = _RELOCATION.unpack_from(self.data, at)
                    if place + (8 if info & 0xFFFFFFFF == _ABSOLUTE else 4) > limit:
                        raise Unlinkable("a relocation outside of its section")
                    yield self.places[target] + place, info & 0xFFFFFFFF, self.symbols[info >> 32], addend


class Executable:
    """Code in memory that can be executed and not written.

    Args:
        objects: Object files, which may call each other's functions and functions of the process.

    Raises:
        MissingFunction: They call a function that neither an object nor the process defines.
        Unlinkable: They, or this system, are of another kind.
    """

    def __init__(self, objects: Sequence[bytes]) -> None:
        if not links_here():
            raise Unlinkable("another system")
        try:
            self._link([_Object(data) for data in objects if data])
        except (error, LookupError, ValueError, ArithmeticError, AttributeError, OSError) as failure:
            raise Unlinkable(str(failure)) from failure

    def _link(self, objects: Sequence[_Object]) -> None:
        end = 0
        for each in objects:
            end = each.place(end)
        own = {
            symbol.name: each.places[symbol.section] + symbol.value
            for each in objects
            for symbol in each.symbols
            if symbol.is_global and symbol.section in each.places
        }
        names = dict.fromkeys(
            symbol.name
            for each in objects
            for _, kind, symbol, _ in each.relocations()
            if kind in _LOADS or (symbol.section == _UNDEFINED and symbol.name not in own)
        )
        first = -(-end // _STUB) * _STUB
        stubs = {name: first + n * _STUB for n, name in enumerate(names)}
        size = -(-(first + len(stubs) * _STUB + 1) // _PAGE) * _PAGE
        if size > _MOST:
            raise Unlinkable("too much code")
        self._memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self._start = ctypes.addressof(ctypes.c_char.from_buffer(self._memory))
        self._functions = own
        for each in objects:
            for place, content in each.contents():
                self._memory[place : place + len(content)] = content
        for name, place in stubs.items():
            address = self._start + own[name] if name in own else _process_function(name)
            self._memory[place : place + _STUB] = _JUMP + _ADDRESS.pack(address) + b"\xcc\xcc"
        for each in objects:
            self._relocate(each, stubs | own, stubs)
        protect = ctypes.CDLL(None, use_errno=True).mprotect
        protect.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
        if protect(self._start, size, mmap.PROT_READ | mmap.PROT_EXEC):
            raise OSError(ctypes.get_errno(), "memory cannot be made executable")

    def _relocate(self, each: _Object, functions: dict[str, int], stubs: dict[str, int]) -> None:
        for place, kind, symbol, addend in each.relocations():
            if kind in _LOADS:
                target = stubs[symbol.name] + len(_JUMP)
            elif symbol.section == _UNDEFINED:
                target = functions[symbol.name]
            elif symbol.section < _FIRST_RESERVED:
                target = each.places[symbol.section] + symbol.value
            else:
                raise Unlinkable("a symbol without a section")
            if kind == _ABSOLUTE:
                _ADDRESS.pack_into(self._memory, place, self._start + target + addend)
            elif kind in (_RELATIVE, _CALL, *_LOADS):
                _OFFSET.pack_into(self._memory, place, target + addend - place)
            else:
                raise Unlinkable(f"a relocation of kind {kind}")

    def address(self, name: str) -> int:
        """The address of a function."""
        return self._start + self._functions[name]


@lru_cache
def _process_function(name: str) -> int:
    """The address of a function of the C library."""
    function: Any = getattr(ctypes.CDLL(None), name, None)
    address = ctypes.cast(function, ctypes.c_void_p).value
    if address is None:
        raise MissingFunction(name)
    return address
