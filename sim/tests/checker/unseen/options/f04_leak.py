from locksim.lang import *


class Node(Struct):
    value = word()


class Overwritten(Workload):
    box = pointer(Node)

    def thread(self):
        node = yield alloc(Node)
        yield self.box.store(node)
