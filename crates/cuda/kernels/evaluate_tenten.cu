// Greedy play of 1010! to the end of every game, one warp per game at a time.

// The device's memory, and the games to play: numbers `first` to `first + count`.
struct Evaluation {
    const float *weights;
    const u32 *tables;
    Result *results; // By number.
    u64 *counters;   // The next game to play, less `first`.
    u64 key, first, count, max_moves;
};

FUNCTION void evaluate_games(const Evaluation &e) {
    Tables tables = tables_at(e.tables);
    for (;;) {
        u64 number = count(e.counters);
        if (number >= e.count) return;
        Random random = stream(e.key, e.first + number);
        u32 score = 0, moves = 0;
        Board board = {};
        u32 piece = drawn_piece(tables, random);
        bool ended = false;
        while (moves < e.max_moves) {
            Fit fit = fit_of(tables, board, piece);
            Choice choice =
                choose(e.weights, tables, board, images_of(board), piece, fit.places);
            ended = !choice.any;
            if (ended) break;
            score += u32(choice.reward);
            moves++;
            board = choice.after;
            piece = drawn_piece(tables, random);
        }
        once([&]() { e.results[number] = {score, moves, 0, u32(ended)}; });
    }
}

#ifdef __CUDACC__
extern "C" __global__ void __launch_bounds__(BLOCK) evaluate(const Evaluation e) {
    evaluate_games(e);
}
#else
extern "C" void evaluate(const Evaluation &e) { evaluate_games(e); }
#endif
