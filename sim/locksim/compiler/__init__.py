"""The compiler: from a class in the lock language to bytecode, and on to one table of numbers."""

from locksim.compiler.diagnostics import CompileError
from locksim.compiler.frontend import compile_class, compile_source

__all__ = ["CompileError", "compile_class", "compile_source"]
