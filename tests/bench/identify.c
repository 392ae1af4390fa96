/* A linear search for the game number of a layout: try each of the 2^32 numbers below 2^32, draw by draw until one does not fit.
   In: 52 card codes in deal order as arguments. Out: each number that deals them, one a line. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    uint32_t picks[52], deck[52];
    if (argc != 53) return 2;
    for (uint32_t i = 0; i < 52; i++) deck[i] = i;
    for (uint32_t k = 0; k < 52; k++) {
        uint32_t card = (uint32_t)atoi(argv[k + 1]), j = 0;
        while (deck[j] != card) j++;
        picks[k] = j;
        deck[j] = deck[51 - k];
    }
    for (uint64_t number = 0; number < (1ULL << 32); number++) {
        uint32_t state = (uint32_t)number, high = number >> 31 ? 0x8000 : 0, k = 0;
        for (; k < 52; k++) {
            state = state * 214013u + 2531011u;
            if ((((state >> 16) & 0x7fff) | high) % (52 - k) != picks[k]) break;
        }
        if (k == 52) printf("%llu\n", (unsigned long long)number);
    }
    return 0;
}
