// Games of a population of linear controllers, one warp per game at a time. A game that a launch
// leaves unfinished continues in the next.

// A game to play: its number and whose weights play it.
struct Job {
    u64 game;
    u32 candidate, padding;
};

// A game that is over; `lost` is 0 if it was truncated.
struct Result {
    u64 score, moves;
    u32 job, lost;
};

// A game in progress; all zero is none.
struct Game {
    Random random;
    u64 score, moves;
    u32 columns[WIDTH];
    u32 piece, playing, job;
};
static_assert(sizeof(Game) == GAME_BYTES, "the host has another layout of games");

// The device's memory, and the settings of a launch.
struct Population {
    const float *weights; // FEATURES per candidate.
    const u32 *stamps;
    const Job *jobs;
    Game *games;
    Result *results; // As many as jobs.
    // The next job, the number of the results, and of the moves.
    u64 *counters;
    u64 key, max_score, max_moves;
    u32 job_count, game_count, steps;
    float reward;
};

FUNCTION void play_jobs(const Population &p, Game &game) {
    Random random = game.random;
    u64 score = game.score, moves = game.moves;
    u32 piece = game.piece, playing = game.playing, job = game.job, played = 0;
    Well well = measured(game.columns);
    const float *weights = p.weights + (playing ? p.jobs[job].candidate * FEATURES : 0);
    for (u32 step = 0; step < p.steps; step++) {
        if (!playing) {
            u64 next = count(&p.counters[0]);
            if (next >= p.job_count) break;
            job = u32(next);
            weights = p.weights + p.jobs[job].candidate * FEATURES;
            random = stream(p.key, p.jobs[job].game);
            score = moves = 0;
            well = {};
            piece = drawn_piece(p.stamps, random);
            playing = 1;
        }
        u32 lost = 0;
        if (moves < p.max_moves && score < p.max_score) {
            u32 next = drawn_piece(p.stamps, random);
            Landed chosen = choose(p.stamps, weights, p.reward, well, piece);
            if (chosen.order) {
                well = chosen.well;
                score += chosen.lines;
                moves++;
                played++;
                piece = next;
                continue;
            }
            lost = 1;
        }
        u64 place = count(&p.counters[1]);
        once([&]() { p.results[place] = {score, moves, job, lost}; });
        playing = 0;
    }
    once([&]() {
        game.random = random;
        game.score = score;
        game.moves = moves;
        UNROLL for (int i = 0; i < WIDTH; i++) game.columns[i] = well.columns[i];
        game.piece = piece;
        game.playing = playing;
        game.job = job;
        fetch_add(&p.counters[2], u64(played));
    });
}

#ifdef __CUDACC__
extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS)
    play_tetris(const Population p) {
    u32 number = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
    if (number < p.game_count) play_jobs(p, p.games[number]);
}
#else
extern "C" void play_tetris(const Population &p) {
    for (u32 number = 0; number < p.game_count; number++) play_jobs(p, p.games[number]);
}
#endif
