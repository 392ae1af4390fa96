"""The tables of Klondike."""
