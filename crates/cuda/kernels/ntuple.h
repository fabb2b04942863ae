// Greedy play of 2048 by an n-tuple network, one warp per game.
//
// The generated settings have the tuples (`tuple_indices`, TUPLES, TUPLE_LAYOUT) and the stages
// (STAGES, STAGE_BEGINS, STAGE_WEIGHTS) of the network.

// The indices of each tuple for the image of one lane.
struct Indices {
    u32 of[TUPLES];
};

// The part of the active features that one lane updates: a quarter of the tuples of one symmetry.
const int PART = (TUPLES + 3) / 4;
struct Part {
    u32 of[PART];
};
struct PartWeights {
    float of[PART];
};

// The tuples of a lane's part begin here; lanes of unused symmetries have none.
FUNCTION int part_size(int lane) {
    if (TUPLES % 4 == 0 && SYMMETRIES == 8) return PART;
    int left = TUPLES - lane / 8 * PART;
    if (lane % 8 >= SYMMETRIES || left < 0) return 0;
    return left < PART ? left : PART;
}

FUNCTION u32 stage_offset(u32 sum) {
#if STAGES > 1
    u32 stage = 0;
    UNROLL for (int i = 0; i < STAGES - 1; i++) stage += sum >= STAGE_BEGINS[i];
    return stage * STAGE_WEIGHTS;
#else
    return 0;
#endif
}

// The move that greedy play selects.
struct Choice {
    bool any;
    int move;
    Board after;
    float reward, value;
    Lanes<Indices> indices;
};

FUNCTION Choice choose(const float *weights, const u32 *__restrict__ rows, Board board, u32 sum) {
    Choice choice;
    Lanes<Slid> slid = each_lane([&](int lane) {
        int move = lane / 8;
        Board view = {turned(board.tiles, move), 0};
        if (board.big) view.big = gathered(turned(spread(board.big), move));
        return slide_rows(rows, view);
    });
    u32 offset = stage_offset(sum);
    // A slid board that is still turned has the same images on a square board.
    choice.indices = each_lane([&](int lane) {
        u64 tiles = capped(slid[lane].board);
        if (SYMMETRIES == 4) tiles = turned_back(tiles, lane / 8);
        Indices indices;
        tuple_indices(image(tiles, lane % 8), offset, indices.of);
        return indices;
    });
    Lanes<float> values = each_lane([&](int lane) {
        float value = 0;
        if (slid[lane].legal && lane % 8 < SYMMETRIES) {
            float found[TUPLES];
            UNROLL for (int i = 0; i < TUPLES; i++)
                found[i] = weight(weights, choice.indices[lane].of[i]);
            UNROLL for (int i = 0; i < TUPLES; i++) value += found[i];
        }
        return value;
    });
    UNROLL for (int bits = 1; bits < 8; bits *= 2) {
        Lanes<float> others = exchange(values, bits);
        for_each_lane([&](int lane) { values[lane] += others[lane]; });
    }
    // The best move; ties go to the first, and illegal moves lose against every legal one.
    Lanes<float> best = each_lane([&](int lane) { return values[lane] + float(slid[lane].points); });
    Lanes<int> rank = each_lane([&](int lane) { return slid[lane].legal ? lane / 8 : 4 + lane / 8; });
    UNROLL for (int bits = 8; bits < LANES; bits *= 2) {
        Lanes<float> other_best = exchange(best, bits);
        Lanes<int> other_rank = exchange(rank, bits);
        for_each_lane([&](int lane) {
            bool legal = rank[lane] < 4, other_legal = other_rank[lane] < 4;
            bool better = other_best[lane] > best[lane] ||
                          (other_best[lane] == best[lane] && other_rank[lane] < rank[lane]);
            if (legal == other_legal ? better : other_legal) {
                best[lane] = other_best[lane];
                rank[lane] = other_rank[lane];
            }
        });
    }
    int first = value_of(rank, 0);
    choice.any = first < 4;
    choice.move = first & 3;
    int lane = 8 * choice.move;
    Lanes<u64> tiles = each_lane([&](int lane) { return slid[lane].board.tiles; });
    Lanes<u32> points = each_lane([&](int lane) { return slid[lane].points; });
    choice.after.tiles = turned_back(value_of(tiles, lane), choice.move);
    Lanes<u32> big = each_lane([&](int lane) { return slid[lane].board.big; });
    choice.after.big = value_of(big, lane);
    if (choice.after.big)
        choice.after.big = gathered(turned_back(spread(choice.after.big), choice.move));
    choice.reward = float(value_of(points, lane));
    choice.value = value_of(values, lane);
    return choice;
}

// The active features of the chosen move, spread over all lanes.
FUNCTION Lanes<Part> parts(const Choice &choice) {
    Lanes<Part> result = each_lane([&](int) { return Part{}; });
    Lanes<int> from = each_lane([&](int lane) { return 8 * choice.move + lane % 8; });
    UNROLL for (int i = 0; i < TUPLES; i++) {
        Lanes<u32> index = gather(each_lane([&](int lane) { return choice.indices[lane].of[i]; }), from);
        for_each_lane([&](int lane) {
            if (i / PART == lane / 8) result[lane].of[i % PART] = index[lane];
        });
    }
    return result;
}

// The active features of a board, spread over all lanes.
FUNCTION Lanes<Part> parts_of(Board after, u32 sum) {
    u64 tiles = capped(after);
    u32 offset = stage_offset(sum);
    Choice choice;
    choice.move = 0;
    choice.indices = each_lane([&](int lane) {
        Indices indices;
        tuple_indices(image(tiles, lane % 8), offset, indices.of);
        return indices;
    });
    return parts(choice);
}

// The result of a game.
struct Result {
    u32 score, moves, largest, fresh;
};
