"""The texts of all compile errors: what was found, what to do, and an example."""

from __future__ import annotations

from dataclasses import dataclass

from locksim.lang import struct as language


@dataclass(frozen=True)
class Mistake:
    """One kind of mistake.

    Arguments:
        message: what was found. help: what to do. Both are format strings.
        example: one line that makes the mistake (a statement of a program where nothing else is
            said).
    """

    message: str
    help: str
    example: str


_PLAIN = "use integers, pointers, words and arrays declared in the class"

MISTAKES: dict[str, Mistake] = {
    # Python itself
    "syntax": Mistake("Python cannot read this: {detail}", "correct the line", "while True"),
    "no-source": Mistake(
        "the source of {name} cannot be found",
        "define the class in a file or a notebook cell",
        "exec('class L(Lock): ...')",
    ),
    "too-deep": Mistake(
        "this program is nested too deeply", "split the expression", "((((((1))))))"
    ),
    # Operations and yields
    "missing-yield": Mistake(
        "this operation is never performed: '{text}' needs a yield before it",
        "write '{yielded}'",
        "self.word.load()",
    ),
    "yield-not-operation": Mistake(
        "'{text}' is not an operation; a yield performs exactly one",
        "yield a load, store, swap, compare_swap, fetch_…, fence, pause, compute, block, wake, "
        "switch, alloc, free, done, note or doorway; anything else needs no yield",
        "yield 3",
    ),
    "yield-nothing": Mistake(
        "this yield performs nothing", "write 'yield pause()' to wait", "yield"
    ),
    "yield-program": Mistake(
        "'{name}()' is a program, not one operation",
        "write 'yield from {text}'",
        "yield self.take()",
    ),
    "yield-from-operation": Mistake(
        "'{text}' is one operation, not a program", "write 'yield {text}'", "yield from pause()"
    ),
    "yield-from-helper": Mistake(
        "'{name}()' performs no operation; call it without 'yield from'",
        "write '{text}'",
        "x = yield from self.hash(3)",
    ),
    "yield-from-other": Mistake(
        "'{text}' is not a call of a program",
        "write 'yield from self.method(…)' or 'yield from self.part.method(…)'",
        "yield from range(3)",
    ),
    "missing-yield-from": Mistake(
        "'{name}()' is a program; calling it alone does not run it",
        "write 'yield from {text}'",
        "self.take()",
    ),
    "not-called": Mistake("'{text}' is not called", "write '{text}(…)'", "yield self.word.load"),
    "unknown-operation": Mistake(
        "a word has no operation '{name}'", "{suggestion}", "yield self.word.fetch_sub(1)"
    ),
    "operation-arguments": Mistake(
        "{name}() does not take these arguments", "write {form}", "yield self.word.store()"
    ),
    "bad-order": Mistake(
        "{name} cannot have the order {order}",
        "use one of {allowed}",
        "yield self.word.load(RELEASE)",
    ),
    "not-an-order": Mistake(
        "'{text}' is not a memory order",
        "use RELAXED, ACQUIRE, RELEASE, ACQ_REL or SEQ_CST by name",
        "yield self.word.load(1)",
    ),
    "type-needed": Mistake(
        "{name}() needs a struct class here, not '{text}'",
        "write the class's name: {name}(Node…)",
        "node = yield alloc(3)",
    ),
    "negative-time": Mistake(
        "compute() cannot go back in time: {value} ps",
        "give a duration of 0 or more",
        "yield compute(-1)",
    ),
    # Names
    "unbound": Mistake(
        "'{name}' may have no value here: some path to this line does not set it",
        "set it on every path: '{name} = 0'",
        "yield self.word.store(x)",
    ),
    "unknown-name": Mistake(
        "there is no '{name}' here", "{suggestion}", "yield self.word.store(taken)"
    ),
    "unknown-call": Mistake(
        "'{name}()' is Python that a program cannot call",
        "programs call operations, cpu(), thread(), n_cpus(), n_threads(), now(), "
        "random_below(), random_exponential(), cast(), int(), min(), max(), abs() and methods of "
        "structs",
        "print(3)",
    ),
    "shadow": Mistake(
        "'{name}' is a name of the language; a variable would hide it",
        "choose another name, '{name}_'",
        "cpu = 3",
    ),
    "assign-self": Mistake("'self' cannot be changed", "use another variable", "self = 3"),
    "not-a-value": Mistake("'{text}' is not a value", "{suggestion}", "x = Lock"),
    # Fields
    "unknown-field": Mistake(
        "{owner} has no field '{name}'", "{suggestion}", "yield self.wrod.store(1)"
    ),
    "unknown-method": Mistake(
        "{owner} has no method '{name}'", "{suggestion}", "yield from self.aquire()"
    ),
    "store-needed": Mistake(
        "the word '{text}' lies in shared memory; '=' cannot change it",
        "write 'yield {text}.store({value})'",
        "self.word = 1",
    ),
    "load-needed": Mistake(
        "the word '{text}' lies in shared memory; load its value first",
        "write '(yield {text}.load())'",
        "x = self.word + 1",
    ),
    "assign-field": Mistake(
        "'{text}' cannot be assigned: {what}",
        "keep the value in a variable or in a word()",
        "self.slots = 3",
    ),
    "attribute-of-number": Mistake(
        "'{text}' is a number, so it has no '{name}'", "{suggestion}", "yield x.next.load()"
    ),
    "not-indexable": Mistake(
        "'{text}' is not an array",
        "declare it as array(n), percpu() or perthread(), or drop the index",
        "yield self.word[0].load()",
    ),
    "index-needed": Mistake(
        "'{text}' is an array; one element is needed here",
        "write '{text}[index]'",
        "yield self.items.load()",
    ),
    "index-range": Mistake(
        "index {index} is outside '{text}', which has {count} elements",
        "use an index from 0 to {last}",
        "yield self.items[9].load()",
    ),
    # Types
    "float": Mistake(
        "{value} is not an integer; programs compute with integers",
        "scale it: times are in picoseconds, 'compute(250 * NS)'",
        "x = 0.5",
    ),
    "string": Mistake("a program has no text", _PLAIN, "x = 'abc'"),
    "none": Mistake("a program has no None", "write NULL for no pointer, or 0", "x = None"),
    "collection": Mistake(
        "a program has no {what}", "declare an array in the class: items = array(8)", "x = [1, 2]"
    ),
    "too-big": Mistake(
        "{value} does not fit into 64 bits", "stay between -2**63 and 2**63 - 1", "x = 2**70"
    ),
    "pointer-arithmetic": Mistake(
        "'{text}' is a pointer; there is no arithmetic on pointers",
        "write 'int({text})' to compute with the address, and cast(Type, …) to come back",
        "x = self + 1",
    ),
    "two-types": Mistake(
        "'{name}' is {new} here and {old} elsewhere",
        "use two variables",
        "x = 1; x = yield alloc(L)",
    ),
    "wrong-type": Mistake(
        "{name}() takes {wanted} as '{argument}', not {given}",
        "{suggestion}",
        "yield from self.push(3)",
    ),
    # Expressions
    "is": Mistake("'is' compares Python objects", "write '{text}'", "if x is 0: yield pause()"),
    "in": Mistake(
        "a program has no 'in'", "compare one by one: x == a or x == b", "if x in y: yield pause()"
    ),
    "true-division": Mistake("'/' gives a fraction", "write '//', which rounds down", "x = 7 / 2"),
    "power": Mistake(
        "'{text}' is not an operation of the machine", "write a shift, 1 << n", "x = x ** x"
    ),
    "division-by-zero": Mistake("this divides by 0", "divide by something else", "x = 1 // 0"),
    "shift-range": Mistake(
        "a shift by {count} is outside the 64-bit word", "shift by 0 to 63", "x = 1 << 64"
    ),
    "lambda": Mistake("a program has no lambda", "write a method of the class", "x = lambda: 1"),
    "comprehension": Mistake(
        "a program has no comprehensions", "write a for loop", "x = [i for i in y]"
    ),
    "walrus": Mistake(
        "a program has no ':='", "assign on a line of its own", "if (x := 1): yield pause()"
    ),
    "expression": Mistake("a program has no {what}", _PLAIN, "x = y[1:2]"),
    "no-effect": Mistake(
        "the result of '{text}' is not used", "assign it, or delete the line", "x == 1"
    ),
    # Calls
    "wrong-count": Mistake(
        "{name}() takes {takes}, not {given}",
        "pass one value for each argument: {form}",
        "yield from self.take(1, 2)",
    ),
    "keyword-argument": Mistake(
        "{name}() is called with a keyword argument",
        "pass '{text}' by its position",
        "yield from self.take(n=1)",
    ),
    "star-argument": Mistake(
        "a program has a fixed number of arguments",
        "name each argument; no *args, no **kwargs",
        "yield from self.take(*x)",
    ),
    "recursion": Mistake(
        "{chain}: a program cannot call itself", "write a loop", "yield from self.acquire()"
    ),
    "super": Mistake(
        "'super()' without a call of a method means nothing here",
        "write 'yield from super().acquire()'; a field is 'self.word' wherever it is declared",
        "x = super()",
    ),
    "super-nothing": Mistake(
        "no class above {owner} has a method {name}()",
        "derive {owner} from a class that has one, or write the method itself",
        "yield from super().acquire()",
    ),
    "no-value": Mistake(
        "'{name}()' returns no value",
        "make it return a value, or call it on a line of its own",
        "x = yield from self.release()",
    ),
    "mixed-returns": Mistake(
        "{name}() returns a value on one path and nothing on another",
        "end every path with 'return …'; 'return 0' means no",
        "return",
    ),
    "thread-return": Mistake(
        "nothing receives the value that thread() returns", "write 'return' alone", "return 1"
    ),
    # Statements
    "statement": Mistake(
        "a program has no '{what}'",
        "use assignments, if, while, for … in range, break, continue, return, assert",
        "del x",
    ),
    "scope": Mistake(
        "a program has no '{what}'", "keep shared values in words of the class", "global x"
    ),
    "import": Mistake(
        "a program cannot import",
        "import at the top of the file, from locksim.lang",
        "import math",
    ),
    "nested": Mistake(
        "a program cannot define a {what} inside",
        "write a method of the class",
        "def inner(): pass",
    ),
    "loop-else": Mistake(
        "a program has no 'else' after a loop",
        "set a variable before the break and test it after the loop",
        "while x: ... else: ...",
    ),
    "for-range": Mistake(
        "a program's for loop counts: it takes a range",
        "write 'for i in range(n):'",
        "for i in self.items: ...",
    ),
    "range-step": Mistake(
        "the step of a range must be a constant other than 0",
        "write a number, as in range(0, n, 2)",
        "for i in range(0, 9, x): ...",
    ),
    "target": Mistake(
        "'{text}' cannot be assigned",
        "assign to a variable; memory is written by a store",
        "self.items[0] = 1",
    ),
    "unpack": Mistake(
        "{values} values cannot be assigned to {names} names",
        "write one value for each name",
        "a, b = 1",
    ),
    "endless-loop": Mistake(
        "this loop can repeat forever without any time passing",
        "perform an operation in every iteration; 'yield pause()' if there is nothing to do",
        "while True: pass",
    ),
    "long-range": Mistake(
        "this loop may count for very long without any time passing: its range depends on memory, "
        "or is very large",
        "perform an operation in every iteration; or count to a constant, a param, thread(), "
        "cpu(), n_threads() or n_cpus()",
        "for i in range(x): ...",
    ),
    # Methods and classes
    "decorator": Mistake("a program has no decorators", "delete '@{text}'", "@property"),
    "async": Mistake(
        "a program has no async and await", "use def and yield", "async def acquire(self): ..."
    ),
    "missing-self": Mistake(
        "the first argument of {name}() must be 'self'",
        "write 'def {name}(self):'",
        "def acquire(): ...",
    ),
    "default-argument": Mistake(
        "argument '{name}' has a default value",
        "pass it in every call, or declare a param()",
        "def take(self, n=1): ...",
    ),
    "annotation": Mistake(
        "'{text}' is not a type that a register can have",
        "annotate with the name of a struct, or int",
        "def take(self, n: float): ...",
    ),
    "special-method": Mistake(
        "{name}() is one of Python's own methods",
        "choose a name without underscores",
        "def __init__(self): ...",
    ),
    "reserved-name": Mistake(
        "'{name}' is already a name of every struct",
        "choose another name, '{name}_'",
        "key = word()",
    ),
    "metered-helper": Mistake(
        "{name}() is metered but performs no operation",
        "yield at least one operation in it, such as fence(RELEASE)",
        "def release(self): pass",
    ),
    "metered-name": Mistake(
        "METERED cannot watch '{name}' as '{role}'",
        "roles are acquire, try_acquire, release, read_acquire, read_try_acquire and read_release",
        'METERED = {"take": "grab"}',
    ),
    # Files
    "module-import": Mistake(
        "a lock's file may import only the language and library locks, not '{name}'",
        "write 'from locksim.lang import *' "
        "or 'from locksim.library.locks.ticket import TicketLock'",
        "import os",
    ),
    "module-statement": Mistake(
        "a lock's file holds imports, numbers and classes; this is something else",
        "move it into a method, or delete it",
        "print(1)",
    ),
    "class-statement": Mistake(
        "a struct holds fields, numbers in upper case, METERED, MODELS and methods; "
        "this is something else",
        "declare a word(), pointer(), array(), percpu(), perthread(), part() or param(), or write "
        "a method",
        "size = 3",
    ),
    "declaration": Mistake(
        "this declaration does not work: {detail}", "correct its arguments", "slots = array(-1)"
    ),
    "not-constant": Mistake(
        "'{text}' is not a constant", "use integers and names of constants above", "N = cpu()"
    ),
    "base-class": Mistake(
        "'{text}' is not a struct, so {name} cannot derive from it",
        f"derive it from {', '.join(kind.__name__ for kind in language.KINDS)} or another struct",
        "class L(dict): ...",
    ),
}
