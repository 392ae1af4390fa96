"""Microsoft FreeCell: deal, board, rules, notation, solving, tables; imports point left."""
