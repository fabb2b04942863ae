// Play to the end of every game: greedily by one warp per game, or by expectimax of PLIES plies by
// a team of warps. A game that a launch leaves unfinished continues in the next.

// A game in progress; all zero is none.
struct Playing {
    Random random;
    u64 tiles, number;
    u32 big, sum, score, moves, playing, padding;
};
static_assert(sizeof(Playing) == PLAYING_BYTES, "the host has another layout of games");

// The device's memory, and the games to play: numbers `first` to `first + count`.
struct Evaluation {
    const float *weights;
    const u32 *rows;
    Playing *games;
    Result *results; // By number.
    // The table of a search of four plies or more: two words for each of 2^n entries.
    u64 *table;
    u64 table_mask;
    // The next game to play, less `first`, the games that are over, and the moves.
    u64 *counters;
    u64 key, first, count, max_moves;
    // A launch ends after this time, and each game of it after so many moves.
    u64 nanoseconds;
    u32 game_count, steps;
};

// The move that a policy selects.
struct Move {
    bool any;
    Board after;
    u32 points;
};

#if PLIES == 1

// Between two looks at the clock.
const u32 MOVES = 64;

struct Team {
    u64 begin;
};

FUNCTION void begin(Team &team) { team.begin = nanoseconds(); }

FUNCTION u64 next_game(u64 *counter, Team &) { return count(counter); }

FUNCTION bool is_late(const Evaluation &e, const Team &team, u32 step) {
    if (step % MOVES != MOVES - 1) return false;
    Lanes<bool> late = each_lane([&](int) { return nanoseconds() - team.begin > e.nanoseconds; });
    return (ballot(late) & 1) != 0;
}

FUNCTION Move select(const Evaluation &e, Board board, u32 sum, Team &) {
    Choice choice = choose(e.weights, e.rows, board, sum);
    return {choice.any, choice.after, u32(choice.reward)};
}

template <class F> FUNCTION void once_for_team(F f) { once(f); }

#else

struct Team {
    Tree &tree;
    u64 begin;
};

FUNCTION void begin(Team &team) { team.begin = nanoseconds(); }

// One warp counts for all.
FUNCTION u64 next_game(u64 *counter, Team &team) {
    each_warp([&](int warp) {
        if (warp > 0) return;
        u64 number = count(counter);
        once([&]() { team.tree.number = number; });
    });
    u64 number = team.tree.number;
    each_warp([](int) {});
    return number;
}

// One warp looks at the clock for all.
FUNCTION bool is_late(const Evaluation &e, Team &team, u32) {
    each_warp([&](int warp) {
        if (warp == 0) once([&]() { team.tree.late = nanoseconds() - team.begin > e.nanoseconds; });
    });
    return team.tree.late != 0;
}

FUNCTION Move select(const Evaluation &e, Board board, u32 sum, Team &team) {
    Selected selected = search(e.weights, e.rows, {e.table, e.table_mask}, board, sum, team.tree);
    Slid slid = slide_one(e.rows, board, selected.move);
    return {selected.any, slid.board, slid.points};
}

template <class F> FUNCTION void once_for_team(F f) {
    each_warp([&](int warp) {
        if (warp == 0) once(f);
    });
}

#endif

FUNCTION void play_games(const Evaluation &e, Playing &game, Team &team) {
    begin(team);
    Random random = game.random;
    Board board = {game.tiles, game.big};
    u64 number = game.number;
    u32 sum = game.sum, score = game.score, moves = game.moves, playing = game.playing, played = 0;
    for (u32 step = 0; step < e.steps; step++) {
        if (!playing) {
            number = next_game(&e.counters[0], team);
            if (number >= e.count) break;
            random = stream(e.key, e.first + number);
            score = moves = 0;
            board = start_board(sum, random);
            playing = 1;
        }
        u32 ended = 0;
        if (moves < e.max_moves) {
            Draw next = draw(random);
            Move selected = select(e, board, sum, team);
            if (selected.any) {
                score += selected.points;
                moves++;
                played++;
                board = spawned(selected.after, sum, next);
                if (is_late(e, team, step)) break;
                continue;
            }
            ended = 1;
        }
        u32 largest = largest_power(board);
        once_for_team([&]() {
            e.results[number] = {score, moves, largest, ended};
            fetch_add(&e.counters[1], u64(1));
        });
        playing = 0;
    }
    once_for_team([&]() {
        game.random = random;
        game.tiles = board.tiles;
        game.big = board.big;
        game.number = number;
        game.sum = sum;
        game.score = score;
        game.moves = moves;
        game.playing = playing;
        fetch_add(&e.counters[2], u64(played));
    });
}

#if PLIES == 1
#ifdef __CUDACC__
extern "C" __global__ void __launch_bounds__(BLOCK) evaluate(const Evaluation e) {
    u32 number = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
    Team team;
    if (number < e.game_count) play_games(e, e.games[number], team);
}
#else
extern "C" void evaluate(const Evaluation &e) {
    Team team;
    for (u32 number = 0; number < e.game_count; number++) play_games(e, e.games[number], team);
}
#endif
#else
#ifdef __CUDACC__
extern "C" __global__ void __launch_bounds__(LARGEST_TEAM, TEAMS) evaluate(const Evaluation e) {
    __shared__ Tree tree;
    Team team = {tree, 0};
    play_games(e, e.games[blockIdx.x], team);
}
#else
extern "C" void evaluate(const Evaluation &e) {
    static Tree tree;
    Team team = {tree, 0};
    for (u32 number = 0; number < e.game_count; number++) play_games(e, e.games[number], team);
}
#endif
#endif
