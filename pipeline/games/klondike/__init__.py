"""The 13-box Klondike: deal, rules, notation, solving, tables; imports point left."""
