// Batch learning of 1010!: one warp per game, one move of each game per batch. `play_batch` selects the
// moves and adds up the errors of each weight; `learn_batch` moves every weight once, by the mean.
//
// COHERENT is whether rates adapt (TC). Weights that almost every board has have COPIES sums of errors,
// for games that add to the same cache line wait for each other.

// A game in progress. The last afterstate is the board.
struct Game {
    Random random;
    u32 board[WORDS], learned[WORDS];
    // `visited` is whether the board is an afterstate, `learning` whether `learned` has an error,
    // `begun` the number of games that this warp has begun.
    u32 piece, score, moves, started, visited, learning, begun;
};
static_assert(sizeof(Game) == GAME_BYTES, "the host has another layout of games");

// The device's memory, and the settings of a batch.
struct Batch {
    float *weights;
    float2 *coherence;
    float2 *errors; // The sum of the errors of a weight in this batch, and their number.
    u32 *stamps;    // The last batch that changed a weight.
    const u32 *tables;
    Game *games;
    Result *results;
    // The second is the number of games that have ended. A game that has not has made a move: all games
    // that count their moves would wait for each other.
    u64 *counters;
    // Warp w plays the games `first` + w, and so on in steps of the number of games at once: which
    // ones are played does not depend on the order in which games end.
    u64 key, first, capacity;
    u32 game_count, number;
    // The rate is that of one weight.
    float rate, discount, survival;
    u32 survives;
};

// The part of the active features that one lane updates: every fourth tuple of one symmetry.
const int PART = (TUPLES + 3) / 4;
struct Part {
    u32 of[PART];
};

// Whether a lane has the tuple of this number in its part.
FUNCTION bool has_part(int lane, int i) {
    return lane % 8 < SYMMETRIES && 4 * i + lane / 8 < TUPLES;
}

// The active features of a board, spread over all lanes.
FUNCTION Lanes<Part> parts_of(const Lanes<Board> &images, u32 stage) {
    return each_lane([&](int lane) {
        Indices indices;
        tuple_indices(images[lane].rows, stage * STAGE_WEIGHTS, indices.of);
        Part part = {};
        UNROLL for (int i = 0; i < TUPLES; i++)
            if (i % 4 == lane / 8) part.of[i / 4] = indices.of[i];
        return part;
    });
}

// The errors of a weight of some tuple; its copies are `step` apart.
FUNCTION float2 *errors_of(const Batch &b, int tuple, u32 index, u32 stage, u32 &step) {
    TupleLayout layout = TUPLE_LAYOUT[tuple];
    step = layout.step;
    return b.errors + (index + layout.errors + stage * (STAGE_ERRORS - STAGE_WEIGHTS));
}

FUNCTION void play_batch_of(const Batch &b, Game &game, u32 number) {
    Tables tables = tables_at(b.tables);
    Random random = game.random;
    Board board;
    UNROLL for (int i = 0; i < WORDS; i++) board.rows[i] = game.board[i];
    u32 piece = game.piece, score = game.score, moves = game.moves;
    u32 started = game.started, visited = game.visited, begun = game.begun;
    if (!started) {
        random = stream(b.key, b.first + number + u64(begun) * b.game_count);
        begun++;
        board = {};
        piece = drawn_piece(tables, random);
        score = moves = visited = 0;
        started = 1;
    }
    u32 stage = stage_of(filled_cells(board));
    Fit fit = fit_of(tables, board, piece);
    Lanes<Board> images = images_of(board);
    Choice choice = choose(b.weights, tables, board, images, piece, fit.places);
    // With survival, the probability of an end is part of the target, so a sampled end is nothing new.
    u32 learning = visited && (choice.any || !b.survives);
    if (learning) {
        Lanes<Part> part = parts_of(images, stage);
        Lanes<Part> found = each_lane([&](int lane) {
            Part bits = {};
            UNROLL for (int i = 0; i < PART; i++) if (has_part(lane, i))
                bits.of[i] = float_bits(weight(b.weights, part[lane].of[i]));
            return bits;
        });
        float value = sum_lanes(each_lane([&](int lane) {
            float sum = 0;
            UNROLL for (int i = 0; i < PART; i++) sum += float_of(found[lane].of[i]);
            return sum;
        }));
        float target = 0;
        if (choice.any)
            target = b.survives ? fit.probability * (b.survival + b.discount * choice.value)
                                : choice.reward + choice.value;
        float error = target - value;
        for_each_lane([&](int lane) {
            UNROLL for (int i = 0; i < PART; i++) if (has_part(lane, i)) {
                u32 index = part[lane].of[i], step;
                // Promotes the weight of a later stage before any weight changes.
                if (STAGES > 1 && stage > 0)
                    store_if_zero(&b.weights[index], float_of(found[lane].of[i]));
                float2 *errors = errors_of(b, 4 * i + lane / 8, index, stage, step);
                add(errors + number % COPIES * step, error, 1);
            }
        });
    }
    Board learned = board;
    if (choice.any) {
        board = choice.after;
        visited = 1;
        score += u32(choice.reward);
        moves++;
        piece = drawn_piece(tables, random);
    } else {
        // The game has ended. Without room for its result it waits for the next launch.
        visited = 0;
        u64 place = count(&b.counters[1]);
        if (place < b.capacity) {
            once([&]() { b.results[place] = {score, moves, 0, 1}; });
            started = 0;
        }
    }
    once([&]() {
        game.random = random;
        for (int i = 0; i < WORDS; i++) {
            game.board[i] = board.rows[i];
            game.learned[i] = learned.rows[i];
        }
        game.piece = piece;
        game.score = score;
        game.moves = moves;
        game.started = started;
        game.visited = visited;
        game.learning = learning;
        game.begun = begun;
    });
}

// Moves the weights of a game's last afterstate by their mean errors; a weight that several games share
// is moved by the first that claims it.
FUNCTION void learn_batch_of(const Batch &b, const Game &game) {
    if (!game.learning) return;
    Board board;
    UNROLL for (int i = 0; i < WORDS; i++) board.rows[i] = game.learned[i];
    u32 stage = stage_of(filled_cells(board));
    Lanes<Part> part = parts_of(images_of(board), stage);
    for_each_lane([&](int lane) {
        UNROLL for (int i = 0; i < PART; i++) if (has_part(lane, i)) {
            u32 index = part[lane].of[i], step;
            // Most claims of a crowded weight come too late, which a load finds sooner.
            if (fresh_load(&b.stamps[index]) == b.number) continue;
            if (swap(&b.stamps[index], b.number) == b.number) continue;
            float2 *errors = errors_of(b, 4 * i + lane / 8, index, stage, step);
            float sum = 0, number = 0;
            for (u32 copy = 0; copy < (step ? COPIES : 1u); copy++) {
                float2 own = errors[copy * step];
                if (own.y == 0) continue;
                sum += own.x;
                number += own.y;
                errors[copy * step] = {0, 0};
            }
            float mean = sum / number, change = b.rate * mean;
            if (COHERENT) {
                float2 sums = b.coherence[index];
                if (sums.y != 0) change *= absolute(sums.x) / sums.y;
                b.coherence[index] = {sums.x + mean, sums.y + absolute(mean)};
            }
            b.weights[index] += change;
        }
    });
}

#ifdef __CUDACC__
extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS) play_batch(const Batch b) {
    u32 number = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
    if (number < b.game_count) play_batch_of(b, b.games[number], number);
}
extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS) learn_batch(const Batch b) {
    u32 number = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
    if (number < b.game_count) learn_batch_of(b, b.games[number]);
}
#else
extern "C" void play_batch(const Batch &b) {
    for (u32 number = 0; number < b.game_count; number++) play_batch_of(b, b.games[number], number);
}
extern "C" void learn_batch(const Batch &b) {
    for (u32 number = 0; number < b.game_count; number++) learn_batch_of(b, b.games[number]);
}
#endif
