"""The slow, obvious twin of the Klondike deal: the published program's boxes, card by card and call by call."""

SUITS = "SHCD"
RANKS = "A23456789TJQK"


class Rand:
    """Microsoft C's srand and rand."""

    def __init__(self, seed):
        self.state, self.calls = seed, 0

    def __call__(self, below):
        self.calls += 1
        self.state = (self.state * 214013 + 2531011) % 2**32
        return below * (self.state // 65536 % 32768) // 32767


def deal(number):
    """Return (piles, stock in the order it is drawn, calls of the generator), cards by name."""
    boxes = [[] for _ in range(9)]

    def move(source, target):
        if not boxes[source]:
            return False
        boxes[target].append(boxes[source].pop())
        return True

    def rotate():
        if not move(0, 1):
            while move(1, 0):
                pass

    rnd = Rand(number)
    boxes[0] = [rank + suit for suit in SUITS for rank in RANKS]
    for n in range(7):
        m = 0
        while m <= n:
            for _ in range(rnd(100) + 1):
                rotate()
            if move(0, n + 2):
                m += 1
    while boxes[1]:
        rotate()
    return boxes[2:], boxes[0][::-1], rnd.calls
