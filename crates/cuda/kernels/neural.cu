// What a neural network does between its products of matrices. A kernel does one thing per thread, so that a host
// can run it as a loop.
//
// Numbers are 32-bit floats (float) or 16-bit ones (half_t), and are read and written PACK at a time: all layers have a
// multiple of PACK channels.

typedef unsigned long long u64;
typedef unsigned int u32;
typedef unsigned short u16;
typedef unsigned char u8;

// Addresses, sizes and factors, as `Args` in Rust.
struct Args {
    u64 p[6];
    int n[12];
    float f[4];
};

#ifdef __CUDACC__
#define FUNCTION __device__ __forceinline__
#define KERNEL(name)                                                                               \
    FUNCTION void name##_at(u32 i, const Args &a);                                                 \
    extern "C" __global__ void name(u32 count, Args a) {                                           \
        u32 i = blockIdx.x * blockDim.x + threadIdx.x;                                             \
        if (i < count)                                                                             \
            name##_at(i, a);                                                                       \
    }                                                                                              \
    FUNCTION void name##_at(u32 i, const Args &a)

struct half_t {
    u16 bits;
};
FUNCTION float read(half_t number) {
    float wide;
    asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(number.bits));
    return wide;
}
FUNCTION void write(half_t &number, float wide) {
    // Activations beyond the largest half would be infinite.
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(number.bits) : "f"(fminf(wide, 65504.0f)));
}
#else
#include <cmath>
#define FUNCTION static inline
#define KERNEL(name)                                                                               \
    FUNCTION void name##_at(u32 i, const Args &a);                                                 \
    extern "C" void name(u32 count, const Args *a) {                                               \
        for (u32 i = 0; i < count; i++)                                                            \
            name##_at(i, *a);                                                                      \
    }                                                                                              \
    FUNCTION void name##_at(u32 i, const Args &a)

struct half_t {
    _Float16 own;
};
FUNCTION float read(half_t number) { return number.own; }
FUNCTION void write(half_t &number, float wide) {
    number.own = wide < 65504.0f ? wide : 65504.0f;
}
#endif

FUNCTION float read(float number) { return number; }
FUNCTION void write(float &number, float wide) { number = wide; }

template <class T> struct alignas(sizeof(T) * PACK) Pack {
    T own[PACK];
};

template <class T> FUNCTION Pack<T> load(u64 address, u64 at) {
    return *reinterpret_cast<const Pack<T> *>(reinterpret_cast<const T *>(address) + at);
}
template <class T> FUNCTION void store(u64 address, u64 at, const Pack<T> &pack) {
    *reinterpret_cast<Pack<T> *>(reinterpret_cast<T *>(address) + at) = pack;
}
FUNCTION float *floats(u64 address) { return reinterpret_cast<float *>(address); }
FUNCTION const u8 *bytes(u64 address) { return reinterpret_cast<const u8 *>(address); }
FUNCTION const int *ints(u64 address) { return reinterpret_cast<const int *>(address); }

// The largest image of a board, read row by row. A thread has a board.
// p: cells, for each image the cell that comes to each place, cells of the largest image; n: cells of a board, images.
KERNEL(largest_image) {
    int cells = a.n[0];
    const u8 *board = bytes(a.p[0]) + u64(i) * cells;
    const int *best = ints(a.p[1]), *image = best;
    for (int number = 1; number < a.n[1]; number++) {
        image += cells;
        int place = 0;
        while (place < cells && board[image[place]] == board[best[place]])
            place++;
        if (place < cells && board[image[place]] > board[best[place]])
            best = image;
    }
    u8 *largest = reinterpret_cast<u8 *>(a.p[2]) + u64(i) * cells;
    for (int place = 0; place < cells; place++)
        largest[place] = board[best[place]];
}

// The first layer: the weights of the planes that are 1 in each window, and rectified linear units. A thread has a
// pack of channels of one position.
// p: cells, cells in every window, weights, biases, outputs; n: cells of a board, positions, cells in a
// window, planes, channels.
template <class T> FUNCTION void first_layer(u32 i, const Args &a) {
    int cells = a.n[0], positions = a.n[1], window = a.n[2], planes = a.n[3], channels = a.n[4];
    u32 packs = channels / PACK, row = i / packs, channel = i % packs * PACK;
    const u8 *board = bytes(a.p[0]) + u64(row / positions) * cells;
    const int *places = ints(a.p[1]) + row % positions * window;
    float sums[PACK];
    for (int k = 0; k < PACK; k++)
        sums[k] = floats(a.p[3])[channel + k];
    for (int place = 0; place < window; place++) {
        int value = board[places[place]], input = place;
        if (planes > 1)
            input = place * planes + value;
        else if (value == 0)
            continue;
        Pack<T> weights = load<T>(a.p[2], u64(input) * channels + channel);
        for (int k = 0; k < PACK; k++)
            sums[k] += read(weights.own[k]);
    }
    Pack<T> outputs;
    for (int k = 0; k < PACK; k++)
        write(outputs.own[k], fmaxf(sums[k], 0.0f));
    store<T>(a.p[4], u64(row) * channels + channel, outputs);
}
KERNEL(first_layer_half) { first_layer<half_t>(i, a); }
KERNEL(first_layer_float) { first_layer<float>(i, a); }

// The inputs of the first layer, a number for each plane of each cell in every window.
// p: cells, cells in every window, outputs; n: cells of a board, positions, cells in a window, planes.
KERNEL(first_inputs) {
    int cells = a.n[0], positions = a.n[1], window = a.n[2], planes = a.n[3];
    u32 plane = i % planes, place = i / planes % window, row = i / planes / window;
    int cell = ints(a.p[1])[row % positions * window + place];
    int value = bytes(a.p[0])[u64(row / positions) * cells + cell];
    floats(a.p[2])[i] = planes > 1 ? float(value == int(plane)) : float(value);
}

// The inputs of every window of a later layer, one row per position.
// p: inputs, outputs; n: rows, columns and channels of the input, of the window, positions in a column and row.
template <class T> FUNCTION void windows(u32 i, const Args &a) {
    int rows = a.n[0], columns = a.n[1], channels = a.n[2], width = a.n[4], window = a.n[3] * width;
    int right = a.n[6], positions = a.n[5] * right;
    u32 packs = channels / PACK, channel = i % packs * PACK, place = i / packs % window;
    u32 row = i / packs / window, position = row % positions;
    u64 at = u64(row / positions) * rows + position / right + place / width;
    at = at * columns + position % right + place % width;
    store<T>(a.p[1], u64(i) * PACK, load<T>(a.p[0], at * channels + channel));
}
KERNEL(windows_half) { windows<half_t>(i, a); }
KERNEL(windows_float) { windows<float>(i, a); }

// Adds biases, and rectified linear units. p: numbers, biases; n: channels.
template <class T> FUNCTION void rectify(u32 i, const Args &a) {
    Pack<T> own = load<T>(a.p[0], u64(i) * PACK);
    u32 channel = i % (a.n[0] / PACK) * PACK;
    for (int k = 0; k < PACK; k++)
        write(own.own[k], fmaxf(read(own.own[k]) + floats(a.p[1])[channel + k], 0.0f));
    store<T>(a.p[0], u64(i) * PACK, own);
}
KERNEL(rectify_half) { rectify<half_t>(i, a); }
KERNEL(rectify_float) { rectify<float>(i, a); }

// The output of a board, in 32 bits. p: inputs, weights, bias, outputs; n: inputs of a board.
template <class T> FUNCTION void output(u32 i, const Args &a) {
    float sum = floats(a.p[2])[0];
    for (int input = 0; input < a.n[0]; input += PACK) {
        Pack<T> own = load<T>(a.p[0], u64(i) * a.n[0] + input);
        for (int k = 0; k < PACK; k++)
            sum += read(own.own[k]) * floats(a.p[1])[input + k];
    }
    floats(a.p[3])[i] = sum;
}
KERNEL(output_half) { output<half_t>(i, a); }
KERNEL(output_float) { output<float>(i, a); }

// Weighted squared errors of a batch and their derivatives. p: outputs, targets, weights, derivatives, errors; n:
// boards of the batch.
KERNEL(errors) {
    float error = floats(a.p[0])[i] - floats(a.p[1])[i], weighted = floats(a.p[2])[i] * error;
    floats(a.p[3])[i] = 2.0f * weighted / float(a.n[0]);
    floats(a.p[4])[i] = weighted * error;
}

// Derivatives by the inputs of the output layer. p: derivatives of outputs, weights, inputs, derivatives; n: inputs of
// a board.
KERNEL(output_backward) {
    float input = floats(a.p[2])[i];
    floats(a.p[3])[i] =
        input > 0.0f ? floats(a.p[0])[i / a.n[0]] * floats(a.p[1])[i % a.n[0]] : 0.0f;
}

// Derivatives by the inputs of a layer: sums over the windows that have them; zero where the unit before is.
// p: derivatives by the inputs of windows, inputs, derivatives; n as for `windows`.
KERNEL(fold) {
    int rows = a.n[0], columns = a.n[1], channels = a.n[2], height = a.n[3], width = a.n[4];
    int down = a.n[5], right = a.n[6];
    float sum = 0.0f;
    if (floats(a.p[1])[i] > 0.0f) {
        int channel = i % channels, column = i / channels % columns;
        int row = i / channels / columns % rows;
        u64 board = i / channels / columns / rows;
        int first_row = row - (down - 1), first_column = column - (right - 1);
        for (int y = first_row > 0 ? first_row : 0; y < height && y <= row; y++)
            for (int x = first_column > 0 ? first_column : 0; x < width && x <= column; x++) {
                u64 position = (board * down + (row - y)) * right + (column - x);
                sum += floats(a.p[0])[((position * height + y) * width + x) * channels + channel];
            }
    }
    floats(a.p[2])[i] = sum;
}

// A step of Adam. p: parameters, the same with 16 bits, gradient, mean, mean square; f: rate, epsilon, decays.
KERNEL(adam) {
    float gradient = floats(a.p[2])[i], one = a.f[2], two = a.f[3];
    float first = one * floats(a.p[3])[i] + (1.0f - one) * gradient;
    float second = two * floats(a.p[4])[i] + (1.0f - two) * gradient * gradient;
    floats(a.p[3])[i] = first;
    floats(a.p[4])[i] = second;
    float own = floats(a.p[0])[i] - a.f[0] * first / (sqrtf(second) + a.f[1]);
    floats(a.p[0])[i] = own;
    write(reinterpret_cast<half_t *>(a.p[1])[i], own);
}

// Parameters with 16 bits. p: parameters, halves.
KERNEL(halve) { write(reinterpret_cast<half_t *>(a.p[1])[i], floats(a.p[0])[i]); }
