"""The rules of Klondike: replay, and its compiled twin."""
