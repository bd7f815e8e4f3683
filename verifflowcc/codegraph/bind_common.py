"""Names that say little about whom they mean: those of the languages themselves."""

import builtins

_SCRIPT = (
    "Array Boolean Date Error Function Infinity JSON Map Math NaN Number Object Promise Proxy Reflect RegExp Set String"
    " Symbol WeakMap WeakSet alert clearInterval clearTimeout console document fetch isFinite isNaN parseFloat parseInt"
    " queueMicrotask require setInterval setTimeout undefined window globalThis URL encodeURIComponent"
    " decodeURIComponent process module exports"
)
_GO = (
    "any append bool byte cap clear close comparable complex complex128 complex64 copy delete error false float32"
    " float64 imag int int16 int32 int64 int8 iota len make max min new nil panic print println real recover rune"
    " string true uint uint16 uint32 uint64 uint8 uintptr"
)
_METHODS = (
    "add all any append apply apply_async bind call catch clear clone close concat contains copy count create"
    " decode delete display done dump dumps each empty encode end equals exec execute exists exit fetch filter"
    " find first flush forEach format get group hash has hashCode id includes index indexOf info init insert"
    " is_empty isEmpty items iter iterator join key keys last len length list load loads lock log lower map"
    " match name new next of on open parse path pop print println push put read readline reduce remove render"
    " replace request reset resolve reverse run save search seek send set setup shift size slice sort splice"
    " split start stat status stop strip sub submit substring tell test text then toString to_s trim type"
    " unlock unwrap update upper value values wait warn write"
)

BUILTINS = {
    "python": frozenset(dir(builtins)) | {"__file__", "__name__", "__path__"},
    "script": frozenset(_SCRIPT.split()),
    "go": frozenset(_GO.split()),
}
"""What a name alone means in a family of languages if no scope has it."""

COMMON_METHODS = frozenset(_METHODS.split()).union(
    *(dir(each) for each in (str, bytes, list, dict, set, tuple, int, float, Exception))
)
"""Methods that objects of any kind have: that one alone is defined here does not say that it is meant."""
