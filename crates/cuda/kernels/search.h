// Expectimax of 2048 by an n-tuple network, one game per team of warps.
//
// PLIES is the depth. With CUTOFF a line is searched further as long as its surprisals,
// SURPRISALS[cells][kind], sum to at most MAX_SURPRISAL. Boards with a tile of 2^DOWNGRADE or more
// are downgraded, if that is not 0.
//
// The states after the root's moves and deals have fixed places: 32 * move + 2 * cell + kind. At
// two plies warps take eight deals of a move at a time; from three plies on, they take the
// afterstates of the four moves of each state, equal ones once. Sums are in the order of the
// processor's search.

const int STATES = 4 * 16 * 2;

#if PLIES == 2
// How many times eight deals a move has at most.
const u32 ROUNDS = 4;
#else
const int NODES = STATES * 4;

// A node that there is not, and a place of the table without a node.
const u16 NONE = 0xffff;
const u32 EMPTY = 0xffffffffu;

// In a tag: whether the node is a state whose best move is wanted. The lower half has the larger
// tiles, the bits between what is left of the surprisal.
const u32 LEAF = 0x80000000u;
#endif

// What the warps of a team share.
struct Tree {
    u64 root_tiles[4];
    u32 root_big[4], root_empty[4], root_legal[4];
    float root_rewards[4];
    u32 listed, taken, late;
    u64 number;
#if PLIES == 2
    float values[STATES];
#else
    u64 tiles[NODES];
    u32 tags[NODES];
    float rewards[NODES], values[NODES];
    // An equal node that is searched in place of each, those that are, and where to find them.
    u16 same[NODES], list[NODES];
    u32 table[NODES];
#endif
};

// The move that a search selects, and the values of all moves.
struct Selected {
    bool any;
    int move;
    float values[4];
};

// The image with the smallest nibbles, of which sums are taken from three plies on, so that images
// of a board have the same value; boards with larger tiles are their own.
FUNCTION Board canonical(Board board) {
    if (PLIES == 2 || board.big) return board;
    u64 smallest = board.tiles;
    for (int k = 1; k < SYMMETRIES; k++) {
        u64 other = image(board.tiles, k);
        smallest = other < smallest ? other : smallest;
    }
    return {smallest, 0};
}

FUNCTION Board turned_back(Slid slid, int move) {
    Board board = {turned_back(slid.board.tiles, move), 0};
    if (slid.board.big) board.big = gathered(turned_back(spread(slid.board.big), move));
    return board;
}

// One move of a board.
FUNCTION Slid slide_one(const u32 *__restrict__ rows, Board board, int move) {
    Board view = {turned(board.tiles, move), 0};
    if (board.big) view.big = gathered(turned(spread(board.big), move));
    Slid slid = slide_rows(rows, view);
    slid.board = turned_back(slid, move);
    return slid;
}

// The board with tiles halved from above until none is too large, as `Twenty48::downgraded`.
FUNCTION Board downgraded(Board board) {
    for (;;) {
        u32 present = 0, largest = 0;
        for (int cell = 0; cell < 16; cell++) {
            u32 power = u32(board.tiles >> 4 * cell & 15) | (board.big >> cell & 1) << 4;
            present |= 1u << power;
            largest = power > largest ? power : largest;
        }
        if (DOWNGRADE == 0 || largest < DOWNGRADE) return board;
        u32 missing = largest - 1;
        while (missing > 0 && (present >> missing & 1)) missing--;
        if (missing == 0) return board;
        Board lower = {0, 0};
        for (int cell = 0; cell < 16; cell++) {
            u32 power = u32(board.tiles >> 4 * cell & 15) | (board.big >> cell & 1) << 4;
            power -= power > missing;
            lower.tiles |= u64(power & 15) << 4 * cell;
            lower.big |= (power >> 4) << cell;
        }
        board = lower;
    }
}

// Values of afterstates, which all games share: a value never depends on when it was found. An
// entry is a key xor its value, and the value: one of which two teams wrote one half each matches no
// key.
struct Table {
    u64 *words;
    u64 mask;
};

// The key of an afterstate that is searched to some depth.
FUNCTION u64 key_of(u64 tiles, u32 left, int depth) {
    u64 state = tiles ^ (u64(left) << 8 | u64(depth)) * 0xd6e8feb86659fd93ull;
    return split_mix(state);
}

FUNCTION bool find_value(const Table &table, u64 key, float &value) {
    const u64 *entry = table.words + 2 * (key & table.mask);
    u64 check = load_shared(entry), word = load_shared(entry + 1);
    value = float_of(u32(word));
    // Values have the highest bit set: an empty entry matches no key.
    Lanes<bool> found = each_lane([&](int) { return (check ^ word) == key && word >> 63 != 0; });
    // Lanes may have read at different times.
    value = value_of(each_lane([&](int) { return value; }), 0);
    return (ballot(found) & 1) != 0;
}

FUNCTION void put_value(const Table &table, u64 key, float value) {
    u64 *entry = table.words + 2 * (key & table.mask);
    u64 word = u64(1) << 63 | float_bits(value);
    once([&]() {
        store_shared(entry, key ^ word);
        store_shared(entry + 1, word);
    });
}

// The expected value of an afterstate, so many plies deep, by one warp; or the value of a state by
// its best move, whatever the depth, so that there is one copy of the code that evaluates.
template <int DEPTH>
FUNCTION float expected_value(const float *weights, const u32 *__restrict__ rows,
                              const Table &table, Board after, u32 sum, u32 left, bool leaf) {
    if constexpr (DEPTH == 1) {
        return expected_reply(weights, rows, after, sum, leaf);
    } else {
        u32 empty = leaf ? 1 : empty_cells(after);
        int cells = count_bits(empty);
        float mean = 0;
        for (; empty; empty &= empty - 1) {
            int cell = lowest_bit(empty);
            for (int kind = leaf ? LAST_KIND : FIRST_KIND; kind <= LAST_KIND; kind++) {
                Board state = leaf ? after : dealt(after, cell, kind);
                u32 state_sum = leaf ? sum : sum + 2 * (kind + 1);
                u32 cost = CUTOFF && !leaf ? SURPRISALS[cells][kind] : 0;
                bool ends = leaf || left < cost, any = false;
                float value = 0;
                for (int move = 0; move < (ends ? 1 : 4); move++) {
                    Slid slid = {state, 0, true};
                    if (!ends) slid = slide_one(rows, state, move);
                    if (!slid.legal) continue;
                    Board next = ends ? state : canonical(slid.board);
                    bool kept = !ends && !next.big;
                    u64 key = key_of(next.tiles, left - cost, DEPTH - 1);
                    float found = 0;
                    if (!kept || !find_value(table, key, found)) {
                        found = expected_value<DEPTH - 1>(weights, rows, table, next, state_sum,
                                                          left - cost, ends);
                        if (kept) put_value(table, key, found);
                    }
                    found += float(slid.points);
                    if (!any || found > value) value = found;
                    any = true;
                }
                mean += leaf ? value : PROBABILITIES[cells][kind] * value;
            }
        }
        return mean;
    }
}

// The afterstates of the root.
FUNCTION void slide_root(const u32 *__restrict__ rows, Board board, Tree &tree) {
    for_each_number(4, [&](int move) {
        Slid slid = slide_one(rows, board, move);
        Board after = canonical(slid.board);
        tree.root_tiles[move] = after.tiles;
        tree.root_big[move] = after.big;
        tree.root_empty[move] = slid.legal ? empty_cells(after) : 0;
        tree.root_legal[move] = slid.legal;
        tree.root_rewards[move] = float(slid.points);
        if (move == 0) tree.listed = tree.taken = 0;
    });
}

#if PLIES == 2

// The value of a state after a move and a deal.
FUNCTION float value_at(int place, const Tree &tree) { return tree.values[place]; }

// The values of all states.
FUNCTION void evaluate_states(const float *weights, const u32 *__restrict__ rows,
                              const Table &table, u32 sum, Tree &tree) {
    each_warp([&](int) {
        for (u32 at = take(&tree.taken); at < 4 * ROUNDS; at = take(&tree.taken)) {
            int move = at / ROUNDS, first = at % ROUNDS * DEALS;
            Board after = {tree.root_tiles[move], tree.root_big[move]};
            Deals deals = deals_on(after, false);
            if (!tree.root_legal[move] || first >= deals.count) continue;
            Lanes<float> best = best_replies(weights, rows, after, sum, deals, first);
            for_each_lane([&](int lane) {
                int number = first + lane / 4;
                if (lane % 4 || number >= deals.count) return;
                int place = 2 * cell_of(deals, number) + kind_of(deals, number);
                tree.values[32 * move + place] = best[lane];
            });
        }
    });
}

#else

// The nodes of one state after a move and a deal.
FUNCTION void expand(const u32 *__restrict__ rows, int place, Tree &tree) {
    int move = place / 32, cell = place / 2 % 16, kind = place % 2;
    int node = place * 4;
    u32 empty = tree.root_empty[move];
    bool exists = (empty >> cell & 1) && kind >= FIRST_KIND && kind <= LAST_KIND;
    Board state = dealt({tree.root_tiles[move], tree.root_big[move]}, cell, kind);
    u32 left = MAX_SURPRISAL;
    u32 cost = CUTOFF && exists ? SURPRISALS[count_bits(empty)][kind] : 0;
    bool leaf = left < cost;
    for (int next = 0; next < 4; next++, node++) {
        tree.same[node] = NONE;
        tree.table[node] = EMPTY;
        if (!exists || (leaf && next > 0)) continue;
        Slid slid = {state, 0, true};
        if (!leaf) slid = slide_one(rows, state, next);
        if (!slid.legal) continue;
        Board after = leaf ? state : canonical(slid.board);
        tree.tiles[node] = after.tiles;
        tree.tags[node] = after.big | (leaf ? LEAF : (left - cost) << 16);
        tree.rewards[node] = float(slid.points);
        tree.same[node] = u16(node);
    }
}

// Lists a node, unless an equal one is listed; which of them is a matter of time, but not its
// value.
FUNCTION void list_node(int node, Tree &tree) {
    if (tree.same[node] == NONE) return;
    u64 tiles = tree.tiles[node];
    u32 place = u32(tiles * 0x9e3779b97f4a7c15ull >> 40) % NODES;
    for (;;) {
        u32 other = exchange_if(&tree.table[place], EMPTY, u32(node));
        if (other == EMPTY) {
            tree.list[fetch_add(&tree.listed, 1u)] = u16(node);
            return;
        }
        if (tree.tiles[other] == tiles && tree.tags[other] == tree.tags[node]) {
            tree.same[node] = u16(other);
            return;
        }
        place = (place + 1) % NODES;
    }
}

// The value of a state after a move and a deal.
FUNCTION float value_at(int place, const Tree &tree) {
    float value = 0;
    bool any = false;
    for (int node = 4 * place; node < 4 * place + 4; node++) {
        if (tree.same[node] == NONE) continue;
        float found = tree.rewards[node] + tree.values[tree.same[node]];
        if (!any || found > value) value = found;
        any = true;
    }
    return value;
}

// The values of all states.
FUNCTION void evaluate_states(const float *weights, const u32 *__restrict__ rows,
                              const Table &table, u32 sum, Tree &tree) {
    for_each_number(STATES, [&](int place) { expand(rows, place, tree); });
    for_each_number(NODES, [&](int node) { list_node(node, tree); });
    each_warp([&](int) {
        for (u32 at = take(&tree.taken); at < tree.listed; at = take(&tree.taken)) {
            int node = tree.list[at];
            u32 tag = tree.tags[node], kind = node / 4 % 2;
            Board after = {tree.tiles[node], tag & 0xffff};
            float value =
                expected_value<PLIES - 2>(weights, rows, table, after, sum + 2 * (kind + 1),
                                          tag >> 16 & 0x7fff, (tag & LEAF) != 0);
            once([&]() { tree.values[node] = value; });
        }
    });
}

#endif

// Selects a move; all warps return the same.
FUNCTION Selected search(const float *weights, const u32 *__restrict__ rows, const Table &table,
                         Board board, u32 sum, Tree &tree) {
    if (DOWNGRADE) {
        board = downgraded(board);
        sum = sum_of_tiles(board);
    }
    slide_root(rows, board, tree);
    evaluate_states(weights, rows, table, sum, tree);
    Selected selected = {false, 0, {0, 0, 0, 0}};
    float best = 0;
    UNROLL for (int move = 0; move < 4; move++) {
        u32 empty = tree.root_empty[move];
        int cells = count_bits(empty);
        Lanes<bool> exists = each_lane([&](int lane) {
            return (empty >> lane / 2 & 1) && lane % 2 >= FIRST_KIND && lane % 2 <= LAST_KIND;
        });
        Lanes<float> values = each_lane([&](int lane) {
            if (!exists[lane]) return 0.0f;
            return PROBABILITIES[cells][lane % 2] * value_at(32 * move + lane, tree);
        });
        float mean = 0;
        for (u32 places = ballot(exists); places; places &= places - 1)
            mean += value_of(values, lowest_bit(places));
        float value = tree.root_rewards[move] + mean;
        selected.values[move] = value;
        if (tree.root_legal[move] && (!selected.any || value > best)) {
            selected.any = true;
            selected.move = move;
            best = value;
        }
    }
    return selected;
}
