// The rules of 2048 for one warp per game: lane 8 * move + symmetry. As in `games/src/twenty48`,
// whose order of moves, cells and random numbers it keeps.
//
// WIDTH and HEIGHT are the board, AREA the low bit of each of its cells, SYMMETRIES 4 or 8,
// FOUR the probability of a 4 in units of 2^-53.

// A nibble per cell and a bit per cell for tiles of 65,536 and beyond.
struct Board {
    u64 tiles;
    u32 big;
};

const u64 LOW_BITS = 0x1111111111111111ull;

FUNCTION u64 joined(u32 low, u32 high) { return u64(high) << 32 | low; }

// Transposes the four nibbles of each 2x2 block in two rows.
FUNCTION u32 blocks_transposed(u32 x) {
    u32 t = (x ^ x >> 12) & 0x0000f0f0u;
    return x ^ t ^ t << 12;
}

FUNCTION u64 transposed(u64 x) {
    u32 low = blocks_transposed(u32(x)), high = blocks_transposed(u32(x >> 32));
    return joined(bytes_of(low, high, 0x6240), bytes_of(low, high, 0x7351));
}

// The nibbles of two rows, each in reverse.
FUNCTION u32 rows_mirrored(u32 x) {
    x = bytes_of(x, 0, 0x2301);
    return (x & 0x0f0f0f0fu) << 4 | (x >> 4 & 0x0f0f0f0fu);
}

// Left to right, as on a board of four columns.
FUNCTION u64 mirrored(u64 x) { return joined(rows_mirrored(u32(x)), rows_mirrored(u32(x >> 32))); }

// Top to bottom, as on a board of four rows.
FUNCTION u64 flipped(u64 x) {
    return joined(bytes_of(u32(x >> 32), 0, 0x1032), bytes_of(u32(x), 0, 0x1032));
}

// One bit per cell as the low bits of nibbles.
FUNCTION u64 spread(u32 bits) {
    u64 x = bits;
    x = (x | x << 24) & 0x000000ff000000ffull;
    x = (x | x << 12) & 0x000f000f000f000full;
    x = (x | x << 6) & 0x0303030303030303ull;
    return (x | x << 3) & LOW_BITS;
}

// The inverse of `spread`.
FUNCTION u32 gathered(u64 x) {
    x = (x | x >> 3) & 0x0303030303030303ull;
    x = (x | x >> 6) & 0x000f000f000f000full;
    x = (x | x >> 12) & 0x000000ff000000ffull;
    return u32(x | x >> 24) & 0xffff;
}

// The image of nibbles under a symmetry, as tuples read it.
FUNCTION u64 image(u64 x, int symmetry) {
    u64 other = mirrored(x) >> 4 * (4 - WIDTH);
    x = symmetry & 1 ? other : x;
    other = flipped(x) >> 16 * (4 - HEIGHT);
    x = symmetry & 2 ? other : x;
    if (SYMMETRIES == 4) return x;
    other = transposed(x);
    return symmetry & 4 ? other : x;
}

// The nibbles as features see them: large tiles count as the largest.
FUNCTION u64 capped(Board board) {
    u64 tiles = board.tiles | 15 * spread(board.big);
#if VALUES < 16
    u64 result = 0;
    for (int cell = 0; cell < 16; cell++) {
        u64 tile = tiles >> 4 * cell & 15;
        result |= (tile < LARGEST ? tile : u64(LARGEST)) << 4 * cell;
    }
    return result;
#else
    return tiles;
#endif
}

// A board seen so that a move slides its rows towards the first cell. Moves in order: up, right,
// down, left.
FUNCTION u64 turned(u64 x, int move) {
    bool vertical = move % 2 == 0, last = move == 1 || move == 2;
    u64 other = transposed(x);
    x = vertical ? other : x;
    other = mirrored(x) >> 4 * (4 - (vertical ? HEIGHT : WIDTH));
    return last ? other : x;
}

// The inverse of `turned`.
FUNCTION u64 turned_back(u64 x, int move) {
    bool vertical = move % 2 == 0, last = move == 1 || move == 2;
    u64 other = mirrored(x) >> 4 * (4 - (vertical ? HEIGHT : WIDTH));
    x = last ? other : x;
    other = transposed(x);
    return vertical ? other : x;
}

// A board after its rows slid, still turned, and the points.
struct Slid {
    Board board;
    u32 points;
    bool legal;
};

// Slides rows one cell at a time: boards with tiles of 65,536 and beyond.
FUNCTION Slid slide_slowly(Board board) {
    Slid result = {{0, 0}, 0, false};
    for (int row = 0; row < 4; row++) {
        int resting = 0;
        u32 waiting = 0; // The power of the last tile, while it may still merge.
        for (int column = 0; column < 4; column++) {
            int cell = 4 * row + column;
            u32 power = u32(board.tiles >> 4 * cell & 15) | (board.big >> cell & 1) << 4;
            if (power == 0) continue;
            if (power == waiting) {
                resting--;
                power++;
                result.points += 1u << power;
                waiting = 0;
                int at = 4 * row + resting;
                result.board.tiles &= ~(15ull << 4 * at);
                result.board.big &= ~(1u << at);
            } else {
                waiting = power;
            }
            int at = 4 * row + resting;
            result.board.tiles |= u64(power & 15) << 4 * at;
            result.board.big |= (power >> 4) << at;
            resting++;
        }
    }
    result.legal = result.board.tiles != board.tiles || result.board.big != board.big;
    return result;
}

// A row of the table: the row slid (16 bits), the points divided by 4, and the highest bit if a
// tile becomes too large for a nibble.
FUNCTION Slid slide_rows(const u32 *__restrict__ rows, Board board) {
    Slid result = {{0, 0}, 0, false};
    u32 marks = board.big;
    UNROLL for (int row = 0; row < 4; row++) {
        u32 entry = rows[u32(board.tiles >> 16 * row) & 0xffff];
        result.board.tiles |= u64(entry & 0xffff) << 16 * row;
        result.points += entry >> 16 & 0x7fff;
        marks |= entry & 0x80000000u;
    }
    if (marks) return slide_slowly(board);
    result.points *= 4;
    result.legal = result.board.tiles != board.tiles;
    return result;
}

// The two random numbers of a new tile: they are drawn before the weights are waited for.
struct Draw {
    u64 cell, kind;
};

FUNCTION Draw draw(Random &random) {
    Draw result;
    result.cell = random_bits(random);
    result.kind = random_bits(random);
    return result;
}

// A bit for each empty cell.
FUNCTION u32 empty_cells(Board board) {
    u64 taken = board.tiles;
    taken |= taken >> 2;
    taken |= taken >> 1;
    return gathered(~(taken | spread(board.big)) & AREA);
}

// A new tile on a board with an empty cell; adds it to the sum of tiles.
FUNCTION Board spawned(Board board, u32 &sum, const Draw &draw) {
    u32 empty = empty_cells(board);
    u32 chosen = u32(high_product(draw.cell, u64(count_bits(empty))));
    u64 power = (draw.kind >> 11) < FOUR ? 2 : 1;
    Lanes<bool> is_chosen = each_lane([&](int lane) {
        return (empty >> lane & 1) && u32(count_bits(empty & ((1u << lane) - 1))) == chosen;
    });
    int cell = lowest_bit(ballot(is_chosen));
    sum += u32(2 * power);
    board.tiles |= power << 4 * cell;
    return board;
}

FUNCTION Board start_board(u32 &sum, Random &random) {
    sum = 0;
    Board board = {0, 0};
    board = spawned(board, sum, draw(random));
    return spawned(board, sum, draw(random));
}

FUNCTION u32 largest_power(Board board) {
    u32 largest = 0;
    for (int cell = 0; cell < 16; cell++) {
        u32 power = u32(board.tiles >> 4 * cell & 15) | (board.big >> cell & 1) << 4;
        largest = power > largest ? power : largest;
    }
    return largest;
}

FUNCTION u32 sum_of_tiles(Board board) {
    u32 sum = 0;
    for (int cell = 0; cell < 16; cell++) {
        u32 power = u32(board.tiles >> 4 * cell & 15) | (board.big >> cell & 1) << 4;
        if (power) sum += 1u << power;
    }
    return sum;
}
