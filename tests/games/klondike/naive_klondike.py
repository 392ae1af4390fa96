"""The slow, obvious twin of the Klondike solver: every legal move on real piles, stock and waste, every position seen once."""


def is_red(card):
    return card % 4 in (1, 2)


def fits(card, below):
    return card // 4 + 1 == below // 4 and is_red(card) != is_red(below)


def start(layout, ranks, piles, passes=None):
    """A position: (piles, cards face down in each, stock from the next card on, waste with its top last, cards home, turns left)."""
    tableau, place = [], 0
    for pile in range(piles):
        tableau.append((pile, tuple(layout[place : place + pile + 1])))
        place += pile + 1
    return tuple(sorted(tableau)), tuple(layout[place:]), (), (0, 0, 0, 0), None if passes is None else passes - 1


def successors(position, ranks, may_return, draw=1):
    """Every position one move away, the likeliest to win last."""
    tableau, stock, waste, home, turns = position
    if stock:
        yield tableau, stock[draw:], (*waste, *stock[:draw]), home, turns
    elif waste and turns != 0:
        yield tableau, waste, (), home, None if turns is None else turns - 1

    def with_piles(changes):
        piles = [changes.get(k, pile) for k, pile in enumerate(tableau)]
        return tuple(sorted((min(down, max(len(cards) - 1, 0)), cards) for down, cards in piles))

    def raised(suit, by):
        return tuple(n + by if s == suit else n for s, n in enumerate(home))

    def takes(pile, card):
        cards = tableau[pile][1]
        return fits(card, cards[-1]) if cards else card // 4 == ranks - 1

    def added(pile, cards):
        down, old = tableau[pile]
        return {pile: (down, old + tuple(cards))}

    if may_return:
        for suit in range(4):
            if home[suit]:
                card = 4 * (home[suit] - 1) + suit
                for target in range(len(tableau)):
                    if takes(target, card):
                        yield with_piles(added(target, [card])), stock, waste, raised(suit, -1), turns
    if waste:
        card = waste[-1]
        if home[card % 4] == card // 4:
            yield tableau, stock, waste[:-1], raised(card % 4, 1), turns
        for target in range(len(tableau)):
            if takes(target, card):
                yield with_piles(added(target, [card])), stock, waste[:-1], home, turns
    for source, (down, cards) in enumerate(tableau):
        for row in range(down, len(cards)):
            for target in range(len(tableau)):
                if target != source and takes(target, cards[row]):
                    yield (
                        with_piles({source: (down, cards[:row]), **added(target, cards[row:])}),
                        stock,
                        waste,
                        home,
                        turns,
                    )
    for source, (down, cards) in enumerate(tableau):
        if cards and home[cards[-1] % 4] == cards[-1] // 4:
            yield with_piles({source: (down, cards[:-1])}), stock, waste, raised(cards[-1] % 4, 1), turns


def is_solvable(layout, ranks, piles, may_return, most=10**9, draw=1, passes=None):
    """Whether some order of legal moves brings every card home; None after ``most`` positions."""
    first = start(layout, ranks, piles, passes)
    seen, waiting = {first}, [first]
    while waiting:
        position = waiting.pop()
        if sum(position[3]) == 4 * ranks:
            return True
        if len(seen) > most:
            return None
        for following in successors(position, ranks, may_return, draw):
            if following not in seen:
                seen.add(following)
                waiting.append(following)
    return False
