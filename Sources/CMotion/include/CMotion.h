#ifndef CMOTION_H
#define CMOTION_H

#include <stdint.h>

/// The long loops of Motion, eight numbers at once. Each is compiled twice: for processors with AVX2 and for all others.
/// No product is fused with a sum, so that both give the same bits.

/// The rows of a window: |a|, x, y, z, the envelope, and angular velocity in x, y, z.
enum { CMotionRowCount = 8, CMotionChannelCount = 4, CMotionBlockTicks = 10, CMotionLagCount = 84 };

/// High-pass filters of second order: the gains and both feedbacks of a row's numbers, then of impacts; what each number
/// is worth in units; and the filters' memory with the last four impacts.
typedef struct {
    float gain[8], feedback[2][8], scales[8], impact_gain, impact_feedback[2];
} motion_filters;
typedef struct {
    float rows[2][8], impact[4], impacts[4];
} motion_filter_memory;

/// Filters ticks into rows of 16-bit units. A sensor that is not live gives zeros, and its filters wait.
/// - acceleration, turning: of the first tick; `stride` floats on are those of the next. |a| is the fourth of the former.
void motion_filter(
    const float *acceleration, const float *turning, long stride, long ticks, int has_acceleration, int has_turning,
    const motion_filters *filters, motion_filter_memory *memory, int16_t *units);

/// Writes rows of 16-bit units as floats.
void motion_expand(const int16_t *units, long rows, const float *shares, float *out);

/// Writes the squares of a block's rows by channel: |a|, acceleration, envelope and angular velocity.
void motion_squares(const float *rows, float *squares);

/// Continues cumulative sums of squares, four channels a row. `sums` begins with those before.
void motion_cumulate(const float *squares, long blocks, float *sums);

/// Writes the sums of products of a block's rows with those 0 to 83 ticks before, by lag: those of |a| and acceleration, then
/// those of the envelope and angular velocity.
void motion_products(const float *block, float *products);

/// Blocks of products whose sum several places need, at some lags, a multiple of four. The sums of the first two channels
/// stand from the float `sum` on, those of the others, unless it is short, behind them. The rows of the blocks are given
/// as the places of their floats.
typedef struct {
    long first_block, end_block, first_lag, lag_count, is_short, sum, first_row, end_row;
} motion_span;

/// A period, as places of floats: of its first lag in the sums of the long curves, two channels and two, and of the short
/// ones; of the energies of both spans; of the rows a period before those. And the weights of four lags, each twice.
typedef struct {
    long sum[3], span[2], first_past[2], end_past[2];
    float weights[8];
} motion_place;

/// Writes the curves by place: `stride` floats from one of six to the next.
/// - floors: the noise a tick of each channel.
/// - memory: the floats of all spans, eight more a span, and sixteen a place.
void motion_curves(
    const float *const *blocks, const float *sums, const motion_span *spans, long span_count, long span_floats,
    const motion_place *places, long place_count, const float *floors, float *memory, float *curves, long stride);

/// Writes the highest values of the first four curves over 44 periods, and the means of the first two.
void motion_best(const float *curves, long stride, float *best);

/// Writes 32 weighted sums of levels. - weights: of each level, and last of a constant 1.
void motion_levels(const float *levels, long count, const float *weights, const float *bias, float *sums);

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

/// Lags of a bike's autocorrelation, and candidate periods.
enum { CMotionBikeLags = 80, CMotionPeriods = 94 };

/// Adds a sensor's normalised autocorrelation over its newest block. - x: its three axes one after the other, each with 90
/// values, the newest first. - first, step: which ticks of the block. - least: of the energies.
void motion_similarity(const float *x, float least, float weight, long first, long step, float *curve);

/// How a bike's autocorrelation is read at its periods, padded to whole groups of eight: the second of four neighbouring
/// lags, and their weights, eight periods at once; the last lag that is clear of a period's own peak; over how many lags
/// the mean up to each lag is taken, as a share; how many multiples of each period there are, and their steps.
typedef struct {
    const int32_t *first_lags, *last_between;
    const float *weights, *shares, *counts;
    int32_t steps[6];
} motion_grid;

/// Writes the comb scores of all periods, and averages them. - ordinary: a mean above this is drift, and taken off.
void motion_comb(
    const float *curve, const motion_grid *grid, float ordinary, float least, float gain, float *values, float *smoothed);

/// The score of a jump to any period and where it comes from, and how similarity is weighed.
typedef struct {
    float jump, origin, middle, weight, doubt;
} motion_evidence;

/// Finds the best path to each period, from shorter and longer ones and by a jump, and weighs the newest evidence. Costs,
/// likelihoods, similarities and counts are padded to whole groups of eight.
void motion_trellis(
    float *scores, uint8_t *sources, const float *costs, const float *likelihoods, const float *similarity,
    const float *counts, const motion_evidence *evidence, int32_t *leader, float *highest);

/// Eight channels demodulated at the found line, at twice it, and at the lines beside: real and imaginary parts.
typedef struct {
    float locked[16], twice[16], weak[6][16];
} motion_banks;

/// The phasor of a quarter of the found frequency before ten ticks, its step, the number of the first tick or infinity,
/// and the gains of the averages.
typedef struct {
    float base[2], step[2], first_tick, lock_gain, twice_gain, weak_gain;
} motion_turn;

/// Follows the found line through ten ticks of eight channels, and adds what is left to the averages of the weak ones.
/// Writes the phasor after them.
void motion_harmonics(const float *channels, const motion_turn *turn, motion_banks *banks, float *phasor);

#endif
