// The weights of a network with stages, for the kernels of every game.

// A weight; one of a later stage that was never updated has the value of the stage before.
FUNCTION float weight(const float *weights, u32 index) {
    float found = weights[index];
#if STAGES > 1
    while (float_bits(found) == 0 && index >= STAGE_WEIGHTS) {
        index -= STAGE_WEIGHTS;
        found = weights[index];
    }
#endif
    return found;
}
