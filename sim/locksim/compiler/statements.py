"""Statements: branches, loops and returns."""

from __future__ import annotations

import ast

from locksim.compiler.assignments import Assignments
from locksim.compiler.diagnostics import CompileError
from locksim.compiler.emitter import Emitter, Label
from locksim.compiler.expressions import Expressions
from locksim.compiler.sources import MethodSource
from locksim.compiler.values import INT, NULL_TYPE, Int, Operand, Type, Value
from locksim.compiler.variables import Variables
from locksim.lang.ops import Mark
from locksim.lang.struct import METERS

_REFUSED: dict[type[ast.stmt], tuple[str, str]] = {
    ast.Try: ("statement", "try"),
    ast.With: ("statement", "with"),
    ast.AsyncWith: ("async", ""),
    ast.AsyncFor: ("async", ""),
    ast.AsyncFunctionDef: ("async", ""),
    ast.Raise: ("statement", "raise"),
    ast.Delete: ("statement", "del"),
    ast.Match: ("statement", "match"),
    ast.Global: ("scope", "global"),
    ast.Nonlocal: ("scope", "nonlocal"),
    ast.Import: ("import", ""),
    ast.ImportFrom: ("import", ""),
    ast.FunctionDef: ("nested", "function"),
    ast.ClassDef: ("nested", "class"),
    ast.AnnAssign: ("statement", "declaration without a value"),
}


class Statements:
    """Compiles a method's body. Owns its loops and its returns.

    Arguments:
        inferring: the types of variables are still being collected. A mistake may then be one of
            not knowing yet, so it is passed over.
        heads: the first label and the node of every loop, inner loops after outer ones.
        returned: every return, and the type of what it gives (None for nothing).
    """

    def __init__(
        self,
        method: MethodSource,
        variables: Variables,
        emitter: Emitter,
        expressions: Expressions,
        *,
        inferring: bool,
    ) -> None:
        self.method, self.source = method, method.source
        self.variables, self.emitter, self.expressions = variables, emitter, expressions
        self.assignments = Assignments(method, variables, emitter, expressions)
        self.inferring = inferring
        self.loops: list[tuple[Label, Label]] = []
        self.heads: list[tuple[Label, ast.stmt]] = []
        self.returned: list[tuple[ast.Return, Type | None]] = []

    def body(self, statements: list[ast.stmt]) -> None:
        """Compile statements one after the other."""
        for node in statements:
            if not self.loops:
                self.emitter.release_temporaries()
            try:
                self.statement(node)
            except CompileError:
                if not self.inferring:
                    raise

    def statement(self, node: ast.stmt) -> None:
        """Compile one statement."""
        match node:
            case ast.Expr():
                self._expression(node.value)
            case ast.Assign():
                self.assignments.assign(node)
            case ast.AnnAssign() if node.value is not None:
                self.assignments.one(node.target, node.value)
            case ast.AugAssign():
                self.assignments.augmented(node)
            case ast.If():
                self._if(node)
            case ast.While():
                self._while(node)
            case ast.For():
                self._for(node)
            case ast.Break():
                self.emitter.jump(self.loops[-1][1], node)
            case ast.Continue():
                self.emitter.jump(self.loops[-1][0], node)
            case ast.Return():
                self._return(node)
            case ast.Assert():
                self._assert(node)
            case ast.Pass():
                pass
            case _:
                code, what = _REFUSED.get(type(node), ("statement", type(node).__name__.lower()))
                self.source.fail(code, node, what=what)

    def _expression(self, node: ast.expr) -> None:
        if isinstance(node, ast.Yield):
            self.expressions.operation(node, used=False)
        elif isinstance(node, ast.YieldFrom):
            self.expressions.program_call(node, used=False)
        elif isinstance(node, ast.Call):
            self.expressions.call(node, used=False)
        elif not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            self.expressions.result(node)
            self.source.fail("no-effect", node, text=self.source.code(node))

    # Branches and loops

    def _if(self, node: ast.If) -> None:
        yes, no, end = Label(), Label(), Label()
        self.expressions.conditions.branch(node.test, yes, no)
        self.emitter.place(yes)
        self.body(node.body)
        if node.orelse:
            self.emitter.jump(end, node)
        self.emitter.place(no)
        self.body(node.orelse)
        self.emitter.place(end)

    def _while(self, node: ast.While) -> None:
        if node.orelse:
            self.source.fail("loop-else", node.orelse[0])
        head, inside, end = Label(), Label(), Label()
        # Where nothing is tested, tidying leaves only the second.
        self.heads += [(head, node), (inside, node)]
        self.emitter.place(head)
        self.loops.append((head, end))
        self.expressions.conditions.branch(node.test, inside, end)
        self.emitter.place(inside)
        self.body(node.body)
        self.loops.pop()
        self.emitter.jump(head, node)
        self.emitter.place(end)

    def _for(self, node: ast.For) -> None:
        if node.orelse:
            self.source.fail("loop-else", node.orelse[0])
        start, stop, step = self._range(node)
        target = self.assignments.variable(node.target, node.iter)
        assert isinstance(node.target, ast.Name)
        self.variables.unify(node.target.id, INT, node.target)
        counter = target if self._only_inside(node) else self._hidden()
        limit = self._frozen(stop, node)
        self.emitter.move(counter, start, node.iter)
        head, again, end = Label(), Label(), Label()
        # A loop that is known to go round once is tested at its end only.
        known = start.constant is not None and stop.constant is not None
        if known and not range(start.constant or 0, stop.constant or 0, step):
            self.emitter.jump(end, node)
        self.heads.append((head, node))
        self.emitter.place(head)
        if not known:
            self.emitter.emit("JGE" if step > 0 else "JLE", counter, limit, end, node=node.iter)
        if counter != target:
            self.emitter.emit("MOV", target, counter, node=node.target)
        self.loops.append((again, end))
        self.body(node.body)
        self.loops.pop()
        self.emitter.place(again)
        self.emitter.emit("ADD", counter, counter, step, node=node.iter)
        if known:
            self.emitter.emit("JLT" if step > 0 else "JGT", counter, limit, head, node=node.iter)
        else:
            self.emitter.jump(head, node)
        self.emitter.place(end)

    def _range(self, node: ast.For) -> tuple[Value, Value, int]:
        """Start, stop and step of the range that a for loop counts over."""
        call = node.iter
        if not (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Name)
            and self.method.lookup(call.func.id) is range
            and 1 <= len(call.args) <= 3
            and not call.keywords
        ):
            self.source.fail("for-range", node.iter)
        values = [self.expressions.number(a) for a in call.args]
        step = 1
        if len(values) == 3:
            if not values[2].constant:
                self.source.fail("range-step", call.args[2])
            step = values[2].constant
        zero = Value(0, NULL_TYPE)
        start, stop = (zero, values[0]) if len(values) == 1 else (values[0], values[1])
        return start, stop, step

    def _only_inside(self, node: ast.For) -> bool:
        """Whether the variable can count itself: nothing changes it, or reads it after the loop."""
        assert isinstance(node.target, ast.Name)
        name = node.target.id
        loops = [
            n
            for n in ast.walk(self.method.node)
            if isinstance(n, ast.For) and isinstance(n.target, ast.Name) and n.target.id == name
        ]
        targets = {id(n.target) for n in loops}
        inside = {id(n) for loop in loops for s in loop.body for n in ast.walk(s)}
        for n in ast.walk(self.method.node):
            if isinstance(n, ast.Name) and n.id == name:
                if isinstance(n.ctx, ast.Store) and (id(n) not in targets or id(n) in inside):
                    return False
                if isinstance(n.ctx, ast.Load) and id(n) not in inside:
                    return False
        return name not in self.variables.arguments

    def _frozen(self, stop: Value, node: ast.For) -> Operand:
        """The end of a range as it is when the loop begins, whatever its body assigns."""
        if not (isinstance(stop.operand, str) and stop.operand.startswith("r")):
            return stop.operand
        assigned = {
            self.variables.registers.get(n.id)
            for n in ast.walk(node)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }
        if stop.operand in self.variables.registers.values() and stop.operand not in assigned:
            return stop.operand
        limit = self._hidden()
        self.emitter.move(limit, stop, node.iter)
        return limit

    def _hidden(self) -> str:
        """A register that lives as long as the loop: temporaries of the body come after it."""
        register = self.emitter.temporary()
        if not self.loops:
            self.emitter.keep_temporaries()
        return register

    # The end

    def _return(self, node: ast.Return) -> None:
        bare = node.value is None or (
            isinstance(node.value, ast.Constant) and node.value.value is None
        )
        if bare:
            self.returned.append((node, None))
            self.finish(Value(0, NULL_TYPE), node)
            return
        assert node.value is not None
        value = self.expressions.word(node.value)
        # cast(Node, 0) is a pointer to a Node; a plain 0 stands for any pointer.
        null = value.operand == 0 and isinstance(value.type, Int)
        kind = NULL_TYPE if null else value.type
        self.returned.append((node, kind))
        self.finish(value, node)

    def finish(self, value: Value, node: ast.AST) -> None:
        """The marks of a metered method, and the return."""
        role = self.method.role
        if role in METERS and not role.endswith("release"):
            _, after, failed = METERS[role]
            self._finished(value, after, failed, node)
        self.emitter.emit("RET", value.operand, node=node)

    def _finished(self, value: Value, after: Mark, failed: Mark | None, node: ast.AST) -> None:
        if failed is not None and value.constant is None:
            success = Label()
            self.emitter.emit("JNZ", value.operand, success, node=node)
            self.emitter.emit("MARK", int(failed), "r0", node=node)
            self.emitter.emit("RET", value.operand, node=node)
            self.emitter.place(success)
            self.emitter.emit("MARK", int(after), "r0", node=node)
        else:
            mark = failed if failed is not None and not value.constant else after
            self.emitter.emit("MARK", int(mark), "r0", node=node)

    def _assert(self, node: ast.Assert) -> None:
        value = self.expressions.value(node.test)
        if value.constant is None or not value.constant:
            self.emitter.emit("ASSERT", value.operand, node=node.test)
