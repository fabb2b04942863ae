// The rules of Tetris and the features of Dellacherie and Thiery for one warp per game: a placement
// per lane. As in `games/src/tetris`, whose order of placements and of sums it keeps.
//
// WIDTH and HEIGHT are the well, PIECE_WIDTH the width of the widest piece; PASSES_OF a piece are the
// warps that all its placements fill, PASSES the largest of them. A piece is drawn by one of SLOTS
// numbers, which are the pieces themselves unless they are WEIGHTED. FEATURES is 6 or 9, FROM_TOP
// how wells are counted.

// Bits per height in a word, and what is added to heights to keep their differences positive.
const int FIELD = 6;
const u32 OFFSET = 16;

// The words of a placement: its cells by column, then which heights it rests on, what is added to
// them, and its shape.
const int STAMP = WIDTH + 3;

// A board upside down: row r is bit 31 - r, so that the floor is the highest bit. What is below a
// cell then has a carry of its own: sums find holes and wells without a loop.
const u32 WALL = ~0u << (32 - HEIGHT);
const u32 FLOOR = 1u << 31;

struct Well {
    u32 columns[WIDTH];
    u64 heights; // FIELD bits per column.
    u32 cells;   // The number of full cells.
};

// A well after a drop; of no drop the order is 0.
struct Landed {
    Well well;
    u32 lines;
    u32 order; // Ascending as the value is.
    u32 number;
};

// The full cells from the top of a column to the floor, holes and all.
FUNCTION u32 filled(u32 column) { return column | (0 - column); }

FUNCTION Well measured(const u32 *columns) {
    Well well = {};
    UNROLL for (int i = 0; i < WIDTH; i++) {
        well.columns[i] = columns[i];
        well.heights |= u64(count_bits(filled(columns[i]))) << FIELD * i;
        well.cells += u32(count_bits(columns[i]));
    }
    return well;
}

// Removes full rows; the cells above them move down. A removed row is full, so that it is
// subtracted from each column, and the cells above it are doubled.
FUNCTION void clear_rows(u32 *columns, u32 full) {
    while (full) {
        u32 row = full & (0 - full);
        UNROLL for (int i = 0; i < WIDTH; i++) columns[i] += (columns[i] & (row - 1)) - row;
        full ^= row;
    }
}

// The features of a placement, in the order of the processor.
struct Features {
    float of[9];
};

// Counts a board whose number of cells is known, and measures its heights.
FUNCTION void count_board(Well &well, Features &features) {
    u32 wells[WIDTH], row_changes = 0, column_changes = 0, well_sum = 0;
    u32 left = WALL, runs = 0, heights = 0, before = 0, hole_rows = 0, steps = 0;
    well.heights = 0;
    UNROLL for (int i = 0; i < WIDTH; i++) {
        u32 column = well.columns[i], right = i + 1 < WIDTH ? well.columns[i + 1] : WALL;
        u32 height = u32(count_bits(filled(column)));
        row_changes += u32(count_bits(column ^ left));
        column_changes += u32(count_bits(column ^ (column >> 1 | FLOOR)));
        hole_rows |= filled(column) & ~column;
        runs += u32(leading_zeros(~column));
        // Differences of heights are less than 30: none but -2 to 2 reaches the lowest five bits.
        if (i > 0) steps |= 1u << ((height - before + 2) & 31);
        wells[i] = ~column & left & right;
        if (FROM_TOP) {
            // The carry of a well cell runs down through the empty cells below it.
            u32 carried = ~column + wells[i];
            wells[i] = ~column & (~carried | wells[i]);
        }
        well.heights |= u64(height) << FIELD * i;
        heights += height;
        before = height;
        left = column;
    }
    u32 any;
    do {
        any = 0;
        UNROLL for (int i = 0; i < WIDTH; i++) {
            well_sum += u32(count_bits(wells[i]));
            wells[i] = wells[i] << 1 & ~well.columns[i];
            any |= wells[i];
        }
    } while (any);
    row_changes += u32(count_bits(left ^ WALL));
    features.of[2] = float(row_changes);
    features.of[3] = float(column_changes);
    features.of[4] = float(heights - well.cells);
    features.of[5] = float(well_sum);
    features.of[6] = float(well.cells - runs);
    features.of[7] = float(count_bits(hole_rows));
    features.of[8] = float(count_bits(steps & 31));
}

// Numbers in the order of finite floats; both zeros have the same.
FUNCTION u32 order_of(float value) {
    u32 bits = float_bits(value + 0.0f);
    return bits ^ (bits & FLOOR ? ~0u : FLOOR);
}

// Drops a piece by its stamp, whose words are LANES apart; returns whether it fits.
FUNCTION bool drop(const u32 *__restrict__ stamp, const Well &well, Landed &result,
                   Features &features) {
    u32 mask = stamp[WIDTH * LANES], added = stamp[(WIDTH + 1) * LANES];
    u32 shape = stamp[(WIDTH + 2) * LANES], size = shape >> 8 & 127;
    u32 rests = (u32(well.heights >> (shape & 63)) & mask) + added, floor = OFFSET;
    UNROLL for (int j = 0; j < PIECE_WIDTH; j++) {
        u32 rest = rests >> FIELD * j & 63;
        floor = rest > floor ? rest : floor;
    }
    floor -= OFFSET;
    if (floor + size > HEIGHT) return false;
    u32 full = ~0u, eroded = 0;
    UNROLL for (int i = 0; i < WIDTH; i++) {
        result.well.columns[i] = well.columns[i] | stamp[i * LANES] >> floor;
        full &= result.well.columns[i];
    }
    result.lines = 0;
    if (full) {
        result.lines = u32(count_bits(full));
        // What a full row lacked before are cells of the piece.
        UNROLL for (int i = 0; i < WIDTH; i++) eroded += u32(count_bits(full & ~well.columns[i]));
        eroded *= result.lines;
        clear_rows(result.well.columns, full);
    }
    result.well.cells = well.cells + (shape >> 16) - WIDTH * result.lines;
    features.of[0] = float(2 * floor + size - 1) * 0.5f;
    features.of[1] = float(eroded);
    count_board(result.well, features);
    return true;
}

// The stamps of a piece: PASSES times LANES of them.
FUNCTION const u32 *stamps_of(const u32 *stamps, u32 piece) {
    return stamps + piece * (PASSES * STAMP * LANES);
}

// A part of what one lane has.
template <class F>
FUNCTION auto part_of(const Lanes<Landed> &all, int lane, F part) -> decltype(part(all[0])) {
    return value_of(each_lane([&](int own) { return part(all[own]); }), lane);
}

// The well after the best placement, the first of equal ones; `order` is 0 if there is none.
FUNCTION Landed choose(const u32 *stamps, const float *weights, float reward, const Well &well,
                       u32 piece) {
    const u32 *own = stamps_of(stamps, piece);
    Lanes<Landed> best = each_lane([&](int) { return Landed{}; });
    for (u32 pass = 0; pass < PASSES_OF[piece]; pass++) {
        for_each_lane([&](int lane) {
            const u32 *stamp = own + pass * (STAMP * LANES) + lane;
            Landed other;
            Features features;
            if (!drop(stamp, well, other, features)) return;
            float value = reward * float(other.lines);
            UNROLL for (int k = 0; k < FEATURES; k++) value = value + weights[k] * features.of[k];
            other.order = order_of(value);
            other.number = pass * LANES + u32(lane);
            if (other.order > best[lane].order) best[lane] = other;
        });
    }
    u32 order = largest(each_lane([&](int lane) { return best[lane].order; }));
    u32 number = ~largest(each_lane([&](int lane) {
        return best[lane].order == order ? ~best[lane].number : 0;
    }));
    int winner = int(number % LANES);
    Landed chosen = {};
    chosen.order = order;
    chosen.number = number;
    UNROLL for (int i = 0; i < WIDTH; i++) {
        auto column = [&](const Landed &l) { return l.well.columns[i]; };
        chosen.well.columns[i] = part_of(best, winner, column);
    }
    chosen.well.heights = part_of(best, winner, [](const Landed &l) { return l.well.heights; });
    chosen.well.cells = part_of(best, winner, [](const Landed &l) { return l.well.cells; });
    chosen.lines = part_of(best, winner, [](const Landed &l) { return l.lines; });
    return chosen;
}

FUNCTION u32 drawn_piece(const u32 *stamps, Random &random) {
    u32 slot = u32(high_product(random_bits(random), SLOTS));
    return WEIGHTED ? stamps_of(stamps, PIECES)[slot] : slot;
}
