#ifndef CMOTION_H
#define CMOTION_H

#include <stdint.h>

/// The long loops of Motion, eight numbers at once. Each is compiled twice: for processors with AVX2 and for all others.
/// No product is fused with a sum, so that both give the same bits.

/// The rows of a window: |a|, x, y, z, the envelope, and angular velocity in x, y, z.
enum { CMotionRowCount = 8, CMotionChannelCount = 4, CMotionBlockTicks = 10, CMotionLagCount = 84 };

/// Writes rows of 16-bit units as floats.
void motion_expand(const int16_t *units, long rows, const float *shares, float *out);

/// Writes the squares of a block's rows by channel: |a|, acceleration, envelope and angular velocity.
void motion_squares(const float *rows, float *squares);

/// Continues cumulative sums of squares, four channels a row. `sums` begins with those before.
void motion_cumulate(const float *squares, long blocks, float *sums);

/// Writes the sums of products of a block's rows with those 0 to 83 ticks before, by lag and channel.
void motion_products(const float *block, float *products);

/// Blocks of products whose sum several places need, at some lags. Its sums begin at `sum` among all.
typedef struct {
    long first_block, end_block, first_lag, lag_count, sum;
} motion_span;

/// A period: the sums of its first lag, the rows whose energies normalise them, before and after, and the weights of
/// four lags, each as the place of its first float. The first of a pair is the long curves', the second the short ones'.
typedef struct {
    long sum[2], first_row[2], end_row[2], first_past[2], end_past[2];
    float ticks[2];
    float weights[4];
} motion_place;

/// Writes the curves by place: `stride` floats from one of six to the next.
/// - floors: the noise a tick of each channel. - memory: four floats a lag of all spans, and eight a place.
void motion_curves(
    const float *const *blocks, const float *sums, const motion_span *spans, long span_count, long span_lags,
    const motion_place *places, long place_count, const float *floors, float *memory, float *curves, long stride);

/// Writes the scores of forty periods: the greatest of three weighted sums of features.
/// - levels: three sums, and the same times log T. - powers: the weights of the square and cube of log T.
void motion_scores(
    const float *features, const int32_t *offsets, const float *weights, long taps, const float *levels,
    const float *powers, float first_octave, float octave_step, float *scores);

/// The transitions between the kinds of states: 3 without a period, 40 of steps and 40 of pedals.
typedef struct {
    float decay[2], share[2], stays[2], still_stays;
    /// What the sums of still states, steps and pedals give to each state of steps, of pedals, and without a period.
    float to_step[3], to_pedal[3], to_still[3];
    /// The same backwards.
    float back_to_step[3], back_to_pedal[3], back_to_still[3];
} motion_transitions;

/// Stores scores as costs below the highest. - biases: of steps and of pedals.
void motion_costs(const float *scores, const float *biases, float power, uint16_t *costs);

/// Writes the probabilities after those of a moment: times the transitions, then times the likelihoods.
void motion_forward(const float *before, const uint16_t *costs, const motion_transitions *transitions, float *now);

/// Writes the probabilities before those of a moment: times the likelihoods, then times the transitions.
void motion_backward(const float *now, const uint16_t *costs, const motion_transitions *transitions, float *before);

/// Writes the probabilities of a settled moment: forward times backward ones.
void motion_settle(const float *forward, const float *backward, float *settled);

/// The sum of forty probabilities, and the index of the highest.
float motion_sum(const float *probabilities, int32_t *likeliest);

/// The values of the Gaussian windows early and late at a first row, how they change to the next, and how that changes.
typedef struct {
    float value[2], ratio[2], factor;
} motion_gaussians;

/// Writes the Gabor transforms of acceleration under both windows: early real and imaginary, late real and imaginary, four
/// floats each.
void motion_gabor(const float *rows, long count, float real, float imaginary, const motion_gaussians *windows, float *out);

#endif
