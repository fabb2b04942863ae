// The best replies to the deals on an afterstate of 2048 by an n-tuple network, eight deals at a
// time by one warp.
//
// PROBABILITIES[cells][kind] is the probability of a tile 2 or 4 in one of so many empty cells,
// FIRST_KIND and LAST_KIND say which of the two there are.

const int KINDS = LAST_KIND - FIRST_KIND + 1;
const int DEALS = 8;

FUNCTION Board dealt(Board board, int cell, int kind) {
    board.tiles |= u64(kind + 1) << 4 * cell;
    return board;
}

// For a lane the first lane with the same board, and how many boards come before it.
struct Leader {
    int lane, rank;
};

// The values of the legal boards of all lanes, whose tiles are as features see them. Equal boards
// are evaluated once, four boards at a time by eight lanes each. The sum of tiles is larger by 2 in
// the lanes of `fours`.
FUNCTION Lanes<float> board_values(const float *weights, const Lanes<u64> &tiles, u32 legal,
                                   u32 fours, u32 sum) {
    Lanes<u32> equal = equal_lanes(tiles);
    Lanes<Leader> leader = each_lane([&](int lane) {
        u32 group = equal[lane] & legal & (fours >> lane & 1 ? fours : ~fours);
        return Leader{lowest_bit(group), 0};
    });
    u32 leaders = legal & ballot(each_lane([&](int lane) { return leader[lane].lane == lane; }));
    for_each_lane([&](int lane) {
        leader[lane].rank = count_bits(leaders & ((1u << (leader[lane].lane & 31)) - 1));
    });
    Lanes<float> values = each_lane([&](int) { return 0.0f; });
    for (int first = 0; leaders; first += 4) {
        u32 second = leaders & (leaders - 1), third = second & (second - 1);
        u32 fourth = third & (third - 1);
        Lanes<int> from = each_lane([&](int lane) {
            return lowest_bit(lane < 8 ? leaders : lane < 16 ? second : lane < 24 ? third : fourth);
        });
        Lanes<u64> boards = gather(tiles, from);
        Lanes<float> sums = each_lane([&](int lane) {
            float value = 0;
            if (from[lane] >= 0 && lane % 8 < SYMMETRIES) {
                u32 offset = stage_offset(sum + (fours >> from[lane] & 1) * 2);
                u32 indices[TUPLES];
                float found[TUPLES];
                tuple_indices(image(boards[lane], lane % 8), offset, indices);
                UNROLL for (int i = 0; i < TUPLES; i++) found[i] = weight(weights, indices[i]);
                UNROLL for (int i = 0; i < TUPLES; i++) value += found[i];
            }
            return value;
        });
        UNROLL for (int bits = 1; bits < 8; bits *= 2) {
            Lanes<float> others = exchange(sums, bits);
            for_each_lane([&](int lane) { sums[lane] += others[lane]; });
        }
        Lanes<int> group = each_lane([&](int lane) { return 8 * (leader[lane].rank & 3); });
        Lanes<float> found = gather(sums, group);
        for_each_lane([&](int lane) {
            if (leader[lane].rank / 4 == first / 4) values[lane] = found[lane];
        });
        leaders = fourth & (fourth - 1);
    }
    return values;
}

// The deals on an afterstate, all twos first: replies to them are equal more often. Or a state
// itself as its only deal, a leaf.
struct Deals {
    // The empty cells, one per nibble.
    u64 empty;
    int cells, count;
    bool leaf;
};

FUNCTION Deals deals_on(Board after, bool leaf) {
    Deals deals = {0, 0, 1, leaf};
    if (leaf) return deals;
    for (u32 empty = empty_cells(after); empty; empty &= empty - 1)
        deals.empty |= u64(lowest_bit(empty)) << 4 * deals.cells++;
    deals.count = deals.cells * KINDS;
    return deals;
}

FUNCTION int kind_of(const Deals &deals, int number) {
    return FIRST_KIND + (number >= deals.cells);
}
FUNCTION int cell_of(const Deals &deals, int number) {
    int rank = number >= deals.cells ? number - deals.cells : number;
    return int(deals.empty >> 4 * (rank & 15) & 15);
}

// The values of the best replies to eight deals, each in the four lanes of its deal; 0 where there
// is no legal reply.
FUNCTION Lanes<float> best_replies(const float *weights, const u32 *__restrict__ rows, Board after,
                                   u32 sum, const Deals &deals, int first) {
    Lanes<u32> points = each_lane([&](int) { return 0u; });
    Lanes<bool> legal = each_lane([&](int) { return false; });
    Lanes<u64> tiles = each_lane([&](int lane) {
        int number = first + lane / 4, move = lane % 4;
        if (number >= deals.count) return u64(0);
        Board state = after;
        if (!deals.leaf) state = dealt(after, cell_of(deals, number), kind_of(deals, number));
        Board view = {turned(state.tiles, move), 0};
        if (state.big) view.big = gathered(turned(spread(state.big), move));
        Slid slid = slide_rows(rows, view);
        points[lane] = slid.points;
        legal[lane] = slid.legal;
        // A slid board that is still turned has the same images on a square board.
        u64 seen = capped(slid.board);
        return SYMMETRIES == 4 ? turned_back(seen, move) : seen;
    });
    Lanes<bool> is_four = each_lane([&](int lane) {
        return !deals.leaf && kind_of(deals, first + lane / 4) != 0;
    });
    u32 all_legal = ballot(legal);
    u32 least = deals.leaf ? sum : sum + 2;
    Lanes<float> values = board_values(weights, tiles, all_legal, ballot(is_four), least);
    Lanes<float> best = each_lane([&](int lane) {
        return legal[lane] ? float(points[lane]) + values[lane] : -3.4e38f;
    });
    UNROLL for (int bits = 1; bits < 4; bits *= 2) {
        Lanes<float> others = exchange(best, bits);
        for_each_lane([&](int lane) {
            best[lane] = others[lane] > best[lane] ? others[lane] : best[lane];
        });
    }
    return each_lane([&](int lane) { return all_legal >> (lane & ~3) & 15 ? best[lane] : 0; });
}

// The expectation of the best replies to all deals, summed in the order of the cells.
FUNCTION float expected_reply(const float *weights, const u32 *__restrict__ rows, Board after,
                              u32 sum, bool leaf) {
    Deals deals = deals_on(after, leaf);
    Lanes<float> values = each_lane([&](int) { return 0.0f; });
    for (int first = 0; first < deals.count; first += DEALS) {
        Lanes<float> best = best_replies(weights, rows, after, sum, deals, first);
        // The deal of each lane in the order of the cells.
        Lanes<int> number =
            each_lane([&](int lane) { return lane % KINDS * deals.cells + lane / KINDS - first; });
        Lanes<int> from = each_lane([&](int lane) { return 4 * (number[lane] & 7); });
        Lanes<float> found = gather(best, from);
        for_each_lane([&](int lane) {
            if (number[lane] >= 0 && number[lane] < DEALS) values[lane] = found[lane];
        });
    }
    if (leaf) return value_of(values, 0);
    float mean = 0;
    for (int i = 0; i < deals.count; i++)
        mean += PROBABILITIES[deals.cells][FIRST_KIND + i % KINDS] * value_of(values, i);
    return mean;
}
