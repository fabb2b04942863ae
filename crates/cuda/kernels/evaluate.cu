// Greedy play to the end of every game, one warp per game at a time.

// The device's memory, and the games to play: numbers `first` to `first + count`.
struct Evaluation {
    const float *weights;
    const u32 *rows;
    Result *results; // By number.
    u64 *counters;   // The next game to play, less `first`.
    u64 key, first, count, max_moves;
};

FUNCTION void evaluate_games(const Evaluation &e) {
    for (;;) {
        u64 number = count(e.counters);
        if (number >= e.count) return;
        Random random = stream(e.key, e.first + number);
        u32 sum, score = 0, moves = 0;
        Board board = start_board(sum, random);
        bool ended = false;
        while (moves < e.max_moves) {
            Draw next = draw(random);
            Choice choice = choose(e.weights, e.rows, board, sum);
            ended = !choice.any;
            if (ended) break;
            score += u32(choice.reward);
            moves++;
            board = spawned(choice.after, sum, next);
        }
        u32 largest = largest_power(board);
        once([&]() { e.results[number] = {score, moves, largest, u32(ended)}; });
    }
}

#ifdef __CUDACC__
extern "C" __global__ void __launch_bounds__(BLOCK) evaluate(const Evaluation e) {
    evaluate_games(e);
}
#else
extern "C" void evaluate(const Evaluation &e) { evaluate_games(e); }
#endif
