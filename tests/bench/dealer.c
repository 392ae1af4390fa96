/* The deal as one plain loop, the reference of the kernel: prints the seconds for games 1 .. N and a checksum. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void deal(uint64_t number, uint8_t *layout) {
    uint32_t state = (uint32_t)number;
    uint8_t deck[52];
    for (int card = 0; card < 52; card++) deck[card] = (uint8_t)card;
    for (uint32_t left = 52; left >= 1; left--) {
        state = 214013u * state + 2531011u;
        uint32_t drawn = number < 0x80000000ull    ? (state >> 16) & 0x7fff
                         : number < 0x100000000ull ? ((state >> 16) & 0x7fff) | 0x8000
                                                   : ((state >> 16) & 0xffff) + 1;
        uint32_t pick = drawn % left;
        *layout++ = deck[pick];
        deck[pick] = deck[left - 1];
    }
}

int main(int argc, char **argv) {
    uint64_t games = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000;
    uint8_t *layouts = malloc(games * 52);
    memset(layouts, 1, games * 52);
    struct timespec start, end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    for (uint64_t game = 0; game < games; game++) deal(game + 1, layouts + game * 52);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    uint64_t sum = 0;
    for (uint64_t i = 0; i < games * 52; i++) sum = sum * 31 + layouts[i];
    printf("%.6f %llu\n", (end.tv_sec - start.tv_sec) + 1e-9 * (end.tv_nsec - start.tv_nsec), (unsigned long long)sum);
    return 0;
}
