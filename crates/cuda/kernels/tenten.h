// 1010! with one piece at a time by an n-tuple network, one warp per game: lane 8 * placement +
// symmetry, so that four placements are evaluated at once. As in `games/src/tenten`, whose order of
// placements and random numbers it keeps.
//
// The generated settings have the rules (WIDTH, HEIGHT, PIECES, SLOTS, SYMMETRIES, `points`), the tables
// (`blocked_by`) and the network (`tuple_indices`, TUPLES, TUPLE_LAYOUT, STAGES).

const int CELLS = WIDTH * HEIGHT;
const int WORDS = (HEIGHT + 1) / 2;

// Two rows per word, 16 bits apart.
struct Board {
    u32 rows[WORDS];
};

// A piece at some place, in one image of the board.
struct ALIGNED Mask {
    u32 rows[(WORDS + 3) / 4 * 4];
};

// The tables of the rules, one after the other. Those of pieces have one column per piece.
struct Tables {
    const Mask *masks;  // By piece, place and symmetry.
    const u32 *shifts;  // The cells of each piece, as `block` takes them: SHIFTS rows.
    const u32 *corners; // The places of each piece on an empty board: WORDS rows.
    const u32 *weights; // The weight of each piece among SLOTS.
    const u32 *cells;   // The number of its cells.
    const u32 *slots;   // A piece for each slot.
};

FUNCTION Tables tables_at(const u32 *at) {
    Tables tables;
    tables.masks = (const Mask *)at;
    tables.shifts = at + PIECES * CELLS * 8 * (sizeof(Mask) / 4);
    tables.corners = tables.shifts + SHIFTS * PIECES;
    tables.weights = tables.corners + WORDS * PIECES;
    tables.cells = tables.weights + PIECES;
    tables.slots = tables.cells + PIECES;
    return tables;
}

FUNCTION u32 drawn_piece(const Tables &tables, Random &random) {
    return tables.slots[high_product(random_bits(random), SLOTS)];
}

FUNCTION u32 row_of(const Board &board, int row) {
    return row < HEIGHT ? board.rows[row / 2] >> 16 * (row % 2) & 0xffff : 0;
}

FUNCTION u32 filled_cells(const Board &board) {
    u32 filled = 0;
    UNROLL for (int i = 0; i < WORDS; i++) filled += u32(count_bits(board.rows[i]));
    return filled;
}

// The transposition of a square board: each lane collects a column.
FUNCTION Board transposed(const Board &board) {
    Lanes<u32> columns = each_lane([&](int lane) {
        u32 column = 0;
        UNROLL for (int row = 0; row < HEIGHT; row++)
            column |= (board.rows[row / 2] >> (16 * (row % 2) + lane % 16) & 1) << row;
        return column;
    });
    Board result;
    UNROLL for (int i = 0; i < WORDS; i++) {
        result.rows[i] = value_of(columns, 2 * i);
        if (2 * i + 1 < HEIGHT) result.rows[i] |= value_of(columns, 2 * i + 1) << 16;
    }
    return result;
}

// The image of a board under the symmetry of each lane, in the numbering of `dihedral`.
FUNCTION Lanes<Board> images_of(const Board &board) {
    Board other = board;
    if (WIDTH == HEIGHT && SYMMETRIES > 1) other = transposed(board);
    return each_lane([&](int lane) {
        u32 symmetry = DIHEDRAL >> 4 * (lane % 8) & 7;
        Board from, result;
        UNROLL for (int i = 0; i < WORDS; i++)
            from.rows[i] = symmetry & 4 ? other.rows[i] : board.rows[i];
        UNROLL for (int i = 0; i < WORDS; i++) {
            u32 flipped = row_of(from, HEIGHT - 1 - 2 * i);
            if (2 * i + 1 < HEIGHT) flipped |= row_of(from, HEIGHT - 2 - 2 * i) << 16;
            result.rows[i] = symmetry & 2 ? flipped : from.rows[i];
        }
        UNROLL for (int i = 0; i < WORDS; i++) {
            u32 reversed = reverse_bits(result.rows[i]);
            u32 mirrored = (reversed >> 16 | reversed << 16) >> (16 - WIDTH);
            result.rows[i] = symmetry & 1 ? mirrored : result.rows[i];
        }
        return result;
    });
}

// Clears the full lines of a board with so many full cells; returns the number of lines.
FUNCTION u32 clear_lines(Board &board, u32 &filled) {
    const u32 FULL = 0x00010001u << WIDTH;
    u32 full[WORDS], any = 0, columns = 0xffffffffu;
    UNROLL for (int i = 0; i < WORDS; i++) {
        // One more than a full row has the bit behind its last cell.
        full[i] = (board.rows[i] + 0x00010001u) & FULL;
        any |= full[i];
        columns &= board.rows[i] | (2 * i + 1 < HEIGHT ? 0 : 0xffff0000u);
    }
    columns &= columns >> 16;
    if ((any | columns) == 0) return 0;
    u32 rows = 0;
    UNROLL for (int i = 0; i < WORDS; i++) {
        rows += u32(count_bits(full[i]));
        board.rows[i] &= ~((full[i] - (full[i] >> WIDTH)) | columns * 0x00010001u);
    }
    u32 across = u32(count_bits(columns));
    filled -= rows * WIDTH + across * HEIGHT - rows * across;
    return rows + across;
}

// Marks the places that a cell of a piece blocks: the board, shifted by the cell. The entry has the
// shift beyond DEPTH words, and its highest bit if the piece has the cell.
template <int DEPTH> FUNCTION void block(u32 entry, const Board &board, Board &blocked) {
    u32 taken = 0 - (entry >> 31);
    UNROLL for (int i = 0; i + DEPTH < WORDS; i++) {
        u32 next = i + DEPTH + 1 < WORDS ? board.rows[(i + DEPTH + 1) % WORDS] : 0;
        blocked.rows[i] |= shifted(board.rows[i + DEPTH], next, entry & 31) & taken;
    }
}

// The probability that the next piece fits, and the places of one piece.
struct Fit {
    float probability;
    Board places;
};

FUNCTION Fit fit_of(const Tables &tables, const Board &board, u32 piece) {
    Fit fit = {};
    float fitting = 0;
    UNROLL for (int first = 0; first < PIECES; first += LANES) {
        Lanes<Board> free = each_lane([&](int lane) {
            int number = first + lane < PIECES ? first + lane : PIECES - 1;
            Board blocked = {};
            blocked_by(tables.shifts + number, board, blocked);
            UNROLL for (int i = 0; i < WORDS; i++)
                blocked.rows[i] = tables.corners[i * PIECES + number] & ~blocked.rows[i];
            return blocked;
        });
        fitting += sum_lanes(each_lane([&](int lane) {
            u32 any = 0;
            UNROLL for (int i = 0; i < WORDS; i++) any |= free[lane].rows[i];
            return first + lane < PIECES && any ? float(tables.weights[first + lane]) : 0.0f;
        }));
        if (int(piece) / LANES == first / LANES) {
            UNROLL for (int i = 0; i < WORDS; i++) {
                Lanes<u32> rows = each_lane([&](int lane) { return free[lane].rows[i]; });
                fit.places.rows[i] = value_of(rows, int(piece % LANES));
            }
        }
    }
    fit.probability = fitting / float(SLOTS);
    return fit;
}

// The indices of each tuple for the image of one lane.
struct Indices {
    u32 of[TUPLES];
};

FUNCTION u32 stage_of(u32 filled) {
    u32 stage = 0;
#if STAGES > 1
    UNROLL for (int i = 0; i < STAGES - 1; i++) stage += filled >= STAGE_BEGINS[i];
#endif
    return stage;
}

// The sum of the weights of one image.
FUNCTION float image_value(const float *weights, const Board &image, u32 stage) {
    Indices indices;
    tuple_indices(image.rows, stage * STAGE_WEIGHTS, indices.of);
    float found[TUPLES], value = 0;
    // All weights are on their way before the first is looked at.
    UNROLL for (int i = 0; i < TUPLES; i++) found[i] = weights[indices.of[i]];
    // As `weight`, for all of them at once.
    for (; STAGES > 1 && stage > 0; stage--) {
        bool missing = false;
        UNROLL for (int i = 0; i < TUPLES; i++) missing |= float_bits(found[i]) == 0;
        if (!missing) break;
        UNROLL for (int i = 0; i < TUPLES; i++) {
            u32 before = indices.of[i] - (float_bits(found[i]) == 0 ? STAGE_WEIGHTS : 0);
            if (before != indices.of[i]) found[i] = weights[before];
            indices.of[i] = before;
        }
    }
    UNROLL for (int i = 0; i < TUPLES; i++) value += found[i];
    return value;
}

// The placement that greedy play selects.
struct Choice {
    bool any;
    Board after;
    float reward, value;
};

// A placement in one image.
struct Placed {
    float value;
    u32 lines;
};

struct Best {
    float total, value;
    int rank; // -1 for none.
};

FUNCTION Choice choose(const float *weights, const Tables &tables, const Board &board,
                       const Lanes<Board> &images, u32 piece, const Board &places) {
    Choice choice = {};
    SHARED(u8, list, CELLS);
    // The places in their order: each lane writes those of its bits.
    synchronize();
    u32 count = 0;
    UNROLL for (int i = 0; i < WORDS; i++) {
        u32 bits = places.rows[i];
        for_each_lane([&](int lane) {
            int cell = (2 * i + lane / 16) * WIDTH + lane % 16;
            if (bits >> lane & 1) list[count + u32(count_bits(bits & ((1u << lane) - 1)))] = u8(cell);
        });
        count += u32(count_bits(bits));
    }
    synchronize();
    if (count == 0) return choice;
    // Counting bits is slow, and the compiler would do it again for every placement.
    u32 cells = tables.cells[piece], filled = computed(filled_cells(board) + cells);
    const Mask *masks = tables.masks + piece * (CELLS * 8);
    Lanes<Best> best = each_lane([&](int) { return Best{0, 0, -1}; });
    for (u32 first = 0; first < count; first += LANES / 8) {
        Lanes<Placed> placed = each_lane([&](int lane) {
            u32 rank = first + u32(lane) / 8, full = filled;
            if (rank >= count || lane % 8 >= SYMMETRIES) return Placed{0, 0};
            Board image = images[lane];
            const Mask mask = masks[list[rank] * 8 + lane % 8];
            UNROLL for (int i = 0; i < WORDS; i++) image.rows[i] |= mask.rows[i];
            u32 lines = clear_lines(image, full);
            return Placed{image_value(weights, image, stage_of(full)), lines};
        });
        Lanes<float> values = each_lane([&](int lane) { return placed[lane].value; });
        UNROLL for (int bits = 1; bits < 8; bits *= 2) {
            Lanes<float> others = exchange(values, bits);
            for_each_lane([&](int lane) { values[lane] += others[lane]; });
        }
        for_each_lane([&](int lane) {
            u32 rank = first + u32(lane) / 8;
            float total = float(points(cells, placed[lane].lines)) + values[lane];
            if (rank < count && (best[lane].rank < 0 || total > best[lane].total))
                best[lane] = {total, values[lane], int(rank)};
        });
    }
    // Lanes of unused symmetries have not counted lines; the first of each eight lanes always has.
    UNROLL for (int bits = 8; bits < LANES; bits *= 2) {
        Lanes<float> totals = each_lane([&](int lane) { return best[lane].total; });
        Lanes<float> values = each_lane([&](int lane) { return best[lane].value; });
        Lanes<int> ranks = each_lane([&](int lane) { return best[lane].rank; });
        totals = exchange(totals, bits);
        values = exchange(values, bits);
        ranks = exchange(ranks, bits);
        for_each_lane([&](int lane) {
            Best &own = best[lane];
            bool better = totals[lane] > own.total ||
                          (totals[lane] == own.total && ranks[lane] < own.rank);
            if (ranks[lane] >= 0 && (own.rank < 0 || better))
                own = {totals[lane], values[lane], ranks[lane]};
        });
    }
    Lanes<int> ranks = each_lane([&](int lane) { return best[lane].rank; });
    Lanes<float> values = each_lane([&](int lane) { return best[lane].value; });
    const Mask mask = masks[list[value_of(ranks, 0)] * 8];
    choice.any = true;
    UNROLL for (int i = 0; i < WORDS; i++) choice.after.rows[i] = board.rows[i] | mask.rows[i];
    choice.reward = float(points(cells, clear_lines(choice.after, filled)));
    choice.value = value_of(values, 0);
    return choice;
}

// The result of a game.
struct Result {
    u32 score, moves, largest, fresh;
};
