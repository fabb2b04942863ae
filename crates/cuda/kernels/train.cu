// Temporal-difference learning of n-tuple networks, one warp per game.
//
// TRACE is the number of afterstates that an error changes, COHERENT whether rates adapt (TC),
// CAROUSEL the number of later stages at which games may start.

// A game in progress. Its last afterstates are learned when the next move is known.
struct Game {
    Random random;
    u64 tiles, trace_tiles[TRACE], pool_tiles[CAROUSEL];
    u32 big, trace_big[TRACE], pool_big[CAROUSEL];
    u32 trace_sums[TRACE];
    u32 sum, score, moves, visited, fresh, started;
    // Where later games of this warp may start.
    u32 pool_size, turn;
};
static_assert(sizeof(Game) == GAME_BYTES, "the host has another layout of games");

// Where games start, as in `layout.rs`.
const u32 FRESH = 0, RESTART = 1, IN_TURN = 2;

// The device's memory, and the settings of a launch.
struct Training {
    float *weights;
    float2 *coherence;
    const u32 *rows;
    Game *games;
    // The first states of each game, if games restart in the middle.
    Board *history;
    Result *results;
    // The number of the next game, of the results, and of the moves.
    u64 *counters;
    u64 key, capacity;
    u32 game_count, steps, min_tiles, starts, trace;
    // The rate is that of one weight.
    float rate, lambda;
    // Sums of errors change at moves whose random bits have none of these.
    u32 skipped;
    // Weights of few tiles change at moves whose random bits have none of these.
    u32 crowded, history_length;
    // Whether later stages learn weights of their own; otherwise all boards learn those of the first.
    u32 staged;
};

// The weights of a lane's part, and their sums of errors (TC).
struct Features {
    float weights[PART];
    float2 sums[PART];
};

FUNCTION Lanes<Features> load(const Training &t, const Lanes<Part> &part) {
    return each_lane([&](int lane) {
        Features found = {};
        UNROLL for (int i = 0; i < PART; i++) if (i < part_size(lane)) {
            u32 index = part[lane].of[i];
            found.weights[i] = weight(t.weights, index);
            if (COHERENT) found.sums[i] = t.coherence[index];
        }
        return found;
    });
}

FUNCTION float value_of_features(const Lanes<Features> &features) {
    return sum_lanes(each_lane([&](int lane) {
        float sum = 0;
        UNROLL for (int i = 0; i < PART; i++) if (i < part_size(lane))
            sum += features[lane].weights[i];
        return sum;
    }));
}

// The layout of the tuples of a lane's part.
struct PartLayout {
    TupleLayout of[PART];
};

FUNCTION Lanes<PartLayout> part_layout() {
    return each_lane([&](int lane) {
        PartLayout layout = {};
        UNROLL for (int i = 0; i < PART; i++) if (i < part_size(lane))
            layout.of[i] = TUPLE_LAYOUT[lane / 8 * PART + i];
        return layout;
    });
}

// The tiles in the cells of a tuple, from the index of its weight.
FUNCTION u32 tiles_of(u32 index, const TupleLayout &layout) {
    if (VALUES < 16) return 16;
    u32 placed = index - layout.begin;
    u32 high = ((placed >> 16) * 0x6d35 + layout.salt) & layout.middle;
    u32 digits = placed ^ (placed >> 6 & layout.low) ^ high;
    digits |= digits >> 2;
    digits |= digits >> 1;
    return u32(count_bits(digits & 0x11111111u));
}

// Changes the weights of an afterstate by a part of an error. A weight that almost every board
// has, with fewer tiles than `min_tiles`, is changed by few of the moves: all games would wait for
// each other, and change it at once by more than its error.
FUNCTION void update(const Training &t, const Lanes<PartLayout> &layout, const Lanes<Part> &part,
                     const Lanes<Features> &features, u32 offset, float error, u32 bits) {
    u32 min_tiles = (bits & t.crowded) == 0 ? 0 : t.min_tiles;
    for_each_lane([&](int lane) {
        UNROLL for (int i = 0; i < PART; i++) if (i < part_size(lane)) {
            u32 index = part[lane].of[i];
            if (tiles_of(index - offset, layout[lane].of[i]) < min_tiles) continue;
            float change = t.rate * error;
            if (COHERENT) {
                float2 sums = features[lane].sums[i];
                if (sums.y != 0) change *= absolute(sums.x) / sums.y;
                if ((bits & t.skipped) == 0) add(&t.coherence[index], error, absolute(error));
            }
            if (STAGES > 1 && index >= STAGE_WEIGHTS)
                store_if_zero(&t.weights[index], features[lane].weights[i]);
            add(&t.weights[index], change);
        }
    });
}

// Keeps a state from which later games may start, if it is the first of a stage.
FUNCTION void keep_start(Game &game, Board board, u32 before, u32 sum) {
    for (u32 stage = 0; stage < CAROUSEL; stage++) {
        if (before >= CAROUSEL_BEGINS[stage] || sum < CAROUSEL_BEGINS[stage]) continue;
        once([&]() {
            u32 place = stage < game.pool_size ? stage : game.pool_size++;
            game.pool_tiles[place] = board.tiles;
            game.pool_big[place] = board.big;
        });
    }
}

// Keeps the state in the middle of a game that has ended, in which the next one may start. A game
// whose first moves were played before a checkpoint has none.
FUNCTION void keep_middle(const Training &t, Game &game, u64 number, u32 moves) {
    u32 middle = (moves + 1) / 2;
    Board board = {0, 0};
    if (middle < t.history_length) board = t.history[number * t.history_length + middle];
    once([&]() {
        game.pool_size = board.tiles != 0;
        game.pool_tiles[0] = board.tiles;
        game.pool_big[0] = board.big;
    });
}

// Starts a game, fresh or at a later stage; returns whether it is fresh.
FUNCTION u32 start_game(const Training &t, Game &game, Board &board, u32 &sum, Random &random) {
    u32 place = 0;
    if (t.starts != FRESH) {
        u32 turn = game.turn + 1;
        place = t.starts == IN_TURN ? turn % (game.pool_size + 1) : game.pool_size & ~turn & 1;
        once([&]() { game.turn = turn; });
    }
    if (place == 0) {
        board = start_board(sum, random);
        return 1;
    }
    board = {game.pool_tiles[place - 1], game.pool_big[place - 1]};
    sum = sum_of_tiles(board);
    return 0;
}

FUNCTION void train_game(const Training &t, u32 number) {
    Game &game = t.games[number];
    Board board = {game.tiles, game.big};
    Random random = game.random;
    u32 sum = game.sum, score = game.score, moves = game.moves, visited = game.visited;
    u32 fresh = game.fresh, started = game.started, played = 0;
    Board afters[TRACE];
    u32 sums[TRACE];
    Lanes<Part> trace[TRACE];
    Lanes<PartLayout> layout = part_layout();
    UNROLL for (int j = 0; j < TRACE; j++) {
        afters[j] = {game.trace_tiles[j], game.trace_big[j]};
        sums[j] = game.trace_sums[j];
        trace[j] = parts_of(afters[j], sums[j]);
    }
    for (u32 step = 0; step < t.steps; step++) {
        if (!started) {
            random = stream(t.key, count(&t.counters[0]));
            score = moves = visited = 0;
            fresh = start_game(t, game, board, sum, random);
            started = 1;
        }
        Draw next = draw(random);
        Lanes<Features> features = load(t, trace[0]);
        u32 stage_sum = t.staged ? sum : 0;
        Choice choice = choose(t.weights, t.rows, board, stage_sum);
        if (visited > 0) {
            float target = choice.any ? choice.reward + choice.value : 0;
            float error = target - value_of_features(features);
            u32 bits = u32(next.kind);
            update(t, layout, trace[0], features, stage_offset(sums[0]), error, bits);
            UNROLL for (int j = 1; j < TRACE; j++) {
                error *= t.lambda;
                if (u32(j) < visited && u32(j) < t.trace)
                    update(t, layout, trace[j], load(t, trace[j]), stage_offset(sums[j]), error,
                           bits);
            }
        }
        if (choice.any) {
            UNROLL for (int j = TRACE - 1; j > 0; j--) {
                trace[j] = trace[j - 1];
                afters[j] = afters[j - 1];
                sums[j] = sums[j - 1];
            }
            trace[0] = parts(choice);
            afters[0] = choice.after;
            sums[0] = stage_sum;
            visited++;
            score += u32(choice.reward);
            moves++;
            played++;
            u32 before = sum;
            board = spawned(choice.after, sum, next);
            if (t.starts == IN_TURN) keep_start(game, board, before, sum);
            if (t.starts == RESTART && moves < t.history_length)
                once([&]() { t.history[u64(number) * t.history_length + moves] = board; });
            continue;
        }
        // The game has ended. Without room for its result it waits for the next launch.
        visited = 0;
        u64 place = count(&t.counters[1]);
        if (place >= t.capacity) break;
        u32 largest = largest_power(board);
        once([&]() { t.results[place] = {score, moves, largest, fresh}; });
        if (t.starts == RESTART) keep_middle(t, game, number, moves);
        started = 0;
    }
    once([&]() {
        game.tiles = board.tiles;
        game.big = board.big;
        game.random = random;
        game.sum = sum;
        game.score = score;
        game.moves = moves;
        game.visited = visited;
        game.fresh = fresh;
        game.started = started;
        for (int j = 0; j < TRACE; j++) {
            game.trace_tiles[j] = afters[j].tiles;
            game.trace_big[j] = afters[j].big;
            game.trace_sums[j] = sums[j];
        }
        fetch_add(&t.counters[2], u64(played));
    });
}

#ifdef __CUDACC__
extern "C" __global__ void __launch_bounds__(BLOCK) train(const Training t) {
    u32 number = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
    if (number < t.game_count) train_game(t, number);
}
#else
extern "C" void train(const Training &t) {
    for (u32 number = 0; number < t.game_count; number++) train_game(t, number);
}
#endif
