from locksim.lang import *


class Node(Struct):
    value = word()


class DoubleFree(Workload):
    box = pointer(Node)

    def setup(self):
        node = yield alloc(Node)
        yield self.box.store(node)

    def thread(self):
        if thread() > 0:
            node = yield self.box.load()
            if node:
                yield self.box.store(NULL)
                yield free(node)
