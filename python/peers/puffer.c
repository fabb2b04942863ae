// PufferLib's core of 2048 behind a few functions that Python can call. Its source is no part of this
// project: GAME is the path of its g2048.h, OWN_GENERATOR is 1 if every game has a generator of its own.
// Drawing is left out, so that raylib is not needed.

#include GAME

int size_of_action(void) { return sizeof(*((Game *)0)->actions); }

int size_of_end(void) { return sizeof(*((Game *)0)->terminals); }

void seed(Game *game, unsigned number) {
#if OWN_GENERATOR
    game->rng = number;
#else
    srand(number);
#endif
}

Game *make(int count, unsigned char *boards, void *actions, float *rewards, void *ends) {
    Game *games = calloc(count, sizeof(Game));
    for (int i = 0; i < count; i++) {
        games[i].observations = boards + 16 * i;
        games[i].actions = (__typeof__(games[i].actions))actions + i;
        games[i].rewards = rewards + i;
        games[i].terminals = (__typeof__(games[i].terminals))ends + i;
        seed(&games[i], i + 1);
        c_reset(&games[i]);
    }
    return games;
}

void step_all(Game *games, int count) {
    for (int i = 0; i < count; i++) c_step(&games[i]);
}

// Sets a board, as it is between two steps.
void put(Game *game, const unsigned char *cells) {
    memcpy(game->grid, cells, 16);
    game->empty_count = 0;
    for (int i = 0; i < 16; i++) game->empty_count += cells[i] == 0;
    game->grid_changed = true;
    game->game_over_cached = false;
}

// A move without a new tile; whether the board changed.
int slide(Game *game, int action, float *score) {
    float reward = 0;
    *score = 0;
    return move(game, action + 1, &reward, score);
}

// What a step does before it judges the end: a new tile if the board changed.
int play(Game *game, int action, float *score) {
    if (slide(game, action, score)) {
#if OWN_GENERATOR
        update_stats(game);
        place_tile_at_random_cell(game, get_new_tile(game));
#else
        add_random_tile(game);
        int empty = 0;
        for (int i = 0; i < 16; i++) empty += ((unsigned char *)game->grid)[i] == 0;
        game->empty_count = empty;
#endif
    }
    return is_game_over(game);
}

void get(Game *game, unsigned char *cells) { memcpy(cells, game->grid, 16); }
