"""Small objects and specifications of the tests' own."""

from locksim.lang import RELAXED, Struct, alloc, array, pointer, random_below, thread, word


class Flags(Struct):
    """Two flags; ``up(key)`` raises one, ``see(key)`` gives the other."""

    raised = array(2)

    def up(self, key):
        yield self.raised[key - 1].store(1)

    def see(self, key):
        seen = yield self.raised[2 - key].load()
        return seen


class RelaxedFlags(Flags):
    """With plain stores: right under sc only, like any two words."""

    def up(self, key):
        yield self.raised[key - 1].store(1, RELAXED)

    def see(self, key):
        seen = yield self.raised[2 - key].load(RELAXED)
        return seen


class Dispenser(Struct):
    """``take()`` gives 0, 1, 2 and so on."""

    taken = word()

    def take(self):
        number = yield self.taken.fetch_add(1)
        return number


class CountingNetwork(Struct):
    """One balancer and two counters (Aspnes, Herlihy and Shavit, JACM 41(5), 1994)."""

    side = word()
    count = array(2)

    def take(self):
        side = yield self.side.fetch_xor(1)
        before = yield self.count[side].fetch_add(2)
        return before + side


class Register(Struct):
    """``write(value)``; ``read()`` gives the last value written."""

    value = word()

    def write(self, value):
        yield self.value.store(value)

    def read(self):
        value = yield self.value.load()
        return value


class OwnCopies(Struct):
    """A thread reads what it wrote itself, and nothing that another wrote."""

    copies = array(3)

    def write(self, value):
        yield self.copies[thread()].store(value)

    def read(self):
        value = yield self.copies[thread()].load()
        return value


class Coin(Struct):
    """``flip()`` gives 0 or 1."""

    flips = word()

    def flip(self):
        yield self.flips.fetch_add(1)
        return random_below(2)


class Alternating(Struct):
    """``flip()`` gives 0, 1, 0, 1."""

    last = word()

    def flip(self):
        before = yield self.last.fetch_xor(1)
        return before


class Counting(Struct):
    """``flip()`` gives 0, 1, 2."""

    last = word()

    def flip(self):
        before = yield self.last.fetch_add(1)
        return before


class Nothing(Struct):
    """Has no operation."""

    state = word()


class Allocating(Struct):
    """Not a specification: its state grows."""

    head = pointer(Nothing)

    def flip(self):
        node = yield alloc(Nothing)
        yield self.head.store(node)

    def look(self):
        yield self.head.load()


class Spinning(Struct):
    """Not a specification: an operation counts for ever."""

    count = word()

    def flip(self):
        while True:
            yield self.count.fetch_add(1)


class TakesPointers(Register):
    """Its values are pointers."""

    def write(self, value: Nothing):
        yield self.value.store(value)
