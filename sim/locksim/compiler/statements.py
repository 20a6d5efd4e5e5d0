"""Statements: assignments, branches, loops and returns."""

from __future__ import annotations

import ast

from locksim.compiler.builder import Label
from locksim.compiler.calls import FUNCTIONS
from locksim.compiler.diagnostics import CompileError
from locksim.compiler.expressions import Expressions
from locksim.compiler.operations import operation_name
from locksim.compiler.sources import MISSING
from locksim.compiler.values import (
    INT,
    NULL_TYPE,
    Operand,
    StructAt,
    Value,
    WordAt,
)
from locksim.lang.fields import param
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


class Statements(Expressions):
    """Compiles a method's body."""

    def body(self, statements: list[ast.stmt]) -> None:
        """Compile statements one after the other."""
        for node in statements:
            if not self.loops:
                self.builder.next_temporary = self.floor
            try:
                self.statement(node)
            except CompileError:
                # While types are still being found out, a mistake may be one of not knowing yet.
                if not self.inferring:
                    raise

    def statement(self, node: ast.stmt) -> None:
        """Compile one statement."""
        match node:
            case ast.Expr():
                self._expression(node.value)
            case ast.Assign():
                self._assign(node)
            case ast.AnnAssign() if node.value is not None:
                self._store(node.target, node.value)
            case ast.AugAssign():
                self._augmented(node)
            case ast.If():
                self._if(node)
            case ast.While():
                self._while(node)
            case ast.For():
                self._for(node)
            case ast.Break():
                self.jump(self.loops[-1][1], node)
            case ast.Continue():
                self.jump(self.loops[-1][0], node)
            case ast.Return():
                self._return(node)
            case ast.Assert():
                self._assert(node)
            case ast.Pass():
                pass
            case _:
                code, what = _REFUSED.get(type(node), ("statement", type(node).__name__.lower()))
                self.fail(code, node, what=what)

    def _expression(self, node: ast.expr) -> None:
        if isinstance(node, ast.Yield):
            self.operation(node, None, used=False)
        elif isinstance(node, ast.YieldFrom):
            self.program_call(node, None, used=False)
        elif isinstance(node, ast.Call):
            self.call(node, None, used=False)
        elif not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            self.eval(node)
            self.fail("no-effect", node, text=self.text(node))

    # Assignments

    def _assign(self, node: ast.Assign) -> None:
        if len(node.targets) == 1:
            self._store(node.targets[0], node.value)
            return
        value = self.value(node.value)
        for target in node.targets:
            self._put(target, value, node.value)

    def _store(self, target: ast.expr, node: ast.expr) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            self._unpack(target, node)
            return
        register = self._variable(target, node)
        result = self.eval(node, register)
        value = (
            self.reference(result, register, node)
            if isinstance(result, WordAt)
            else self.as_value(result, node, register)
        )
        self._put(target, value, node)

    def _put(self, target: ast.expr, value: Value, node: ast.expr) -> None:
        register = self._variable(target, node)
        assert isinstance(target, ast.Name)
        kind = NULL_TYPE if value.operand == 0 else value.type
        self.unify(target.id, kind, target)
        self.move(register, value, node)

    def _unpack(self, target: ast.Tuple | ast.List, node: ast.expr) -> None:
        given = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
        if len(given) != len(target.elts):
            self.fail("unpack", node, names=len(target.elts), values=len(given))
        registers = [self._variable(t, node) for t in target.elts]
        values = [self.value(g) for g in given]
        for k, value in enumerate(values):
            if value.operand in registers[:k]:
                copy = self.builder.temporary()
                self.emit("MOV", copy, value.operand, node=given[k])
                values[k] = Value(copy, value.type)
        for one, value, source in zip(target.elts, values, given, strict=True):
            self._put(one, value, source)

    def _variable(self, target: ast.expr, node: ast.expr) -> str:  # noqa: RET503 - fail() raises
        """The register of the variable that is assigned to."""
        if isinstance(target, ast.Name):
            if target.id == "self":
                self.fail("assign-self", target)
            self.check_name(target.id, target)
            return self.registers[target.id]
        text = self.text(target)
        if isinstance(target, ast.Attribute):
            base = self.owner(target.value)
            if isinstance(base, StructAt):
                if isinstance(base.type.cls.FIELDS.get(target.attr), param):
                    self.fail(
                        "assign-field",
                        target,
                        text=text,
                        what="a param is fixed when the struct is made",
                    )
                found = self.field(base, target)
                if isinstance(found, WordAt):
                    self.fail("store-needed", target, text=text, value=self.text(node))
                what = (
                    "it is a part of the struct"
                    if isinstance(found, StructAt)
                    else "it is a constant"
                )
                self.fail("assign-field", target, text=text, what=what)
        if isinstance(target, ast.Subscript) and isinstance(self.eval(target), WordAt):
            self.fail("store-needed", target, text=text, value=self.text(node))
        self.fail("target", target, text=text)

    def check_name(self, name: str, node: ast.AST) -> None:
        """Refuse a variable that hides a word of the language."""
        found = self.method.lookup(name)
        if found is not MISSING and (
            operation_name(found) is not None or any(f is found for f in (*FUNCTIONS, range))
        ):
            self.fail("shadow", node, name=name)

    def _augmented(self, node: ast.AugAssign) -> None:
        register = self._augmented_target(node)
        assert isinstance(node.target, ast.Name)
        read = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        left, right = self.number(read), self.number(node.value)
        value = self.arithmetic(node.op, left, right, node, register)
        self._put(node.target, value, node.value)

    def _augmented_target(self, node: ast.AugAssign) -> str:
        if isinstance(node.target, ast.Name):
            return self._variable(node.target, node.value)
        self._variable(node.target, node.value)
        raise AssertionError("only a variable can be assigned")

    # Branches and loops

    def _if(self, node: ast.If) -> None:
        yes, no, end = Label(), Label(), Label()
        self.condition(node.test, yes, no)
        self.builder.place(yes)
        self.body(node.body)
        if node.orelse:
            self.jump(end, node)
        self.builder.place(no)
        self.body(node.orelse)
        self.builder.place(end)

    def _while(self, node: ast.While) -> None:
        if node.orelse:
            self.fail("loop-else", node.orelse[0])
        head, inside, end = Label(), Label(), Label()
        self.heads.append((head, node))
        self.builder.place(head)
        self.loops.append((head, end))
        self.condition(node.test, inside, end)
        self.builder.place(inside)
        self.body(node.body)
        self.loops.pop()
        self.jump(head, node)
        self.builder.place(end)

    def _for(self, node: ast.For) -> None:
        if node.orelse:
            self.fail("loop-else", node.orelse[0])
        start, stop, step = self._range(node)
        target = self._variable(node.target, node.iter)
        assert isinstance(node.target, ast.Name)
        self.unify(node.target.id, INT, node.target)
        counter = target if self._only_inside(node) else self._hidden()
        limit = self._frozen(stop, node)
        self.move(counter, start, node.iter)
        head, again, end = Label(), Label(), Label()
        # A loop that is known to go round once is tested at its end only.
        known = start.constant is not None and stop.constant is not None
        if known and not range(start.constant or 0, stop.constant or 0, step):
            self.jump(end, node)
        self.heads.append((head, node))
        self.builder.place(head)
        if not known:
            self.emit("JGE" if step > 0 else "JLE", counter, limit, end, node=node.iter)
        if counter != target:
            self.emit("MOV", target, counter, node=node.target)
        self.loops.append((again, end))
        self.body(node.body)
        self.loops.pop()
        self.builder.place(again)
        self.emit("ADD", counter, counter, step, node=node.iter)
        if known:
            self.emit("JLT" if step > 0 else "JGT", counter, limit, head, node=node.iter)
        else:
            self.jump(head, node)
        self.builder.place(end)

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
            self.fail("for-range", node.iter)
        values = [self.number(a) for a in call.args]
        step = 1
        if len(values) == 3:
            if not values[2].constant:
                self.fail("range-step", call.args[2])
            step = values[2].constant
        zero = Value(0, NULL_TYPE)
        start, stop = (zero, values[0]) if len(values) == 1 else (values[0], values[1])
        return start, stop, step

    def _only_inside(self, node: ast.For) -> bool:
        """Whether the variable can count itself: nobody changes it, or reads it after the loop."""
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
        return name not in self.arguments

    def _frozen(self, stop: Value, node: ast.For) -> Operand:
        """The end of a range as it is when the loop begins, whatever its body assigns."""
        if not (isinstance(stop.operand, str) and stop.operand.startswith("r")):
            return stop.operand
        assigned = {
            self.registers.get(n.id)
            for n in ast.walk(node)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
        }
        if stop.operand in self.registers.values() and stop.operand not in assigned:
            return stop.operand
        limit = self._hidden()
        self.move(limit, stop, node.iter)
        return limit

    def _hidden(self) -> str:
        """A register that lives as long as the loop: temporaries of the body come after it."""
        register = self.builder.temporary()
        if not self.loops:
            self.floor = self.builder.next_temporary
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
        value = self.value(node.value)
        kind = NULL_TYPE if value.operand == 0 else value.type
        self.returned.append((node, kind))
        self.finish(value, node)

    def finish(self, value: Value, node: ast.AST) -> None:
        """The marks of a metered method, and the return."""
        role = self.method.role
        if role in METERS and not role.endswith("release"):
            _, after, failed = METERS[role]
            self._finished(value, after, failed, node)
        self.emit("RET", value.operand, node=node)

    def _finished(self, value: Value, after: Mark, failed: Mark | None, node: ast.AST) -> None:
        if failed is not None and value.constant is None:
            success, end = Label(), Label()
            self.emit("JNZ", value.operand, success, node=node)
            self.emit("MARK", int(failed), "r0", node=node)
            self.emit("RET", value.operand, node=node)
            self.builder.place(success)
            self.emit("MARK", int(after), "r0", node=node)
            self.builder.place(end)
        else:
            mark = failed if failed is not None and not value.constant else after
            self.emit("MARK", int(mark), "r0", node=node)

    def _assert(self, node: ast.Assert) -> None:
        value = self.value(node.test)
        if value.constant is None or not value.constant:
            self.emit("ASSERT", value.operand, node=node.test)
