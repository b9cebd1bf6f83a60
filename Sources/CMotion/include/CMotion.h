#ifndef CMOTION_H
#define CMOTION_H

#include <stdint.h>

/// The long loops of Motion, eight numbers at once. Each is compiled twice: for processors with AVX2 and for all others.
/// No product is fused with a sum, so that both give the same bits.

/// A tick's length, the longest time between two samples of a signal, and the time between samples that is averaged evenly.
enum { CMotionTickMicroseconds = 40000, CMotionGapMicroseconds = 1000000, CMotionAveragedIntervals = 50 };

/// The sensors of a sample, and the greatest lengths of their vectors, in m/s², rad/s and µT.
enum {
    CMotionAcceleration = 1, CMotionAngularVelocity = 2, CMotionMagneticField = 4,
    CMotionMostAcceleration = 314, CMotionMostAngularVelocity = 70, CMotionMostMagneticField = 20000
};

/// A sample, in memory as `MotionSample`.
typedef struct {
    int64_t time;
    _Alignas(16) float acceleration[4];
    float angular_velocity[4], magnetic_field[4];
    uint8_t sensors;
} motion_sample;

/// The time between samples, in memory as `SampleRateEstimator`.
typedef struct {
    float mean_seconds;
    int64_t count, last;
} motion_rate;

/// A tick, in memory as `Tick`.
typedef struct {
    int64_t index, place;
    _Alignas(16) float acceleration[4];
    float angular_velocity[4], magnetic_field[4];
    uint8_t sensors;
    motion_rate rate;
} motion_tick;

/// The line through the samples, in memory as `TickIntegrator`: values at a time, and their integral over the current tick.
typedef struct {
    int64_t time, tick_start, tick_index, tick_end, place;
    _Alignas(16) float current[12];
    float sum[12];
} motion_line;

/// Integrates the line to values at a time, or to the end of the last tick that is wanted. Returns how many ticks ended. Their
/// sensors and rate are not written.
long motion_integrate(
    motion_line *line, const float *values, int has_field, int64_t end, motion_tick *ticks, long wanted);

/// Takes the interval between two samples, µs.
void motion_pace(motion_rate *rate, int64_t interval);

/// How far samples have been followed: the next one, whether it has been admitted, and the ticks that are written.
typedef struct {
    long sample, ticks;
    int is_within;
} motion_run;

/// Follows samples of these sensors until so many ticks are written, as long as each is later than the one before, no gap lies
/// between them, and no value is out of range.
void motion_follow(
    const motion_sample *samples, long count, uint8_t sensors, long wanted, motion_line *line, motion_rate *rate,
    motion_tick *ticks, motion_run *run);

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

/// Writes the sums of squares of a block's rows up to each, by channel: |a|, acceleration, envelope and angular velocity.
void motion_squares(const float *rows, float *squares);

/// Continues the sums of squares over blocks, four channels a row. `sums` begins with those before.
void motion_cumulate(const float *squares, long blocks, float *sums);

/// Writes the sums of products of a block's rows with those 0 to 83 ticks before, by lag and channel.
void motion_products(const float *block, float *products);

/// Blocks of products whose sum several places need, at some lags, a multiple of four: the sums stand from the float `sum` on. The
/// rows of the blocks are given as the places of their floats.
typedef struct {
    long first_block, end_block, first_lag, lag_count, sum, first_row, end_row;
} motion_span;

/// A lag, as places of floats: the energies of its spans, of the long curves and of the short ones, and the sums before and
/// after the rows that lie that lag before.
typedef struct {
    long span[2], first[2], end[2];
} motion_past;

/// A period, as places of floats: of its first lag in the sums of the long curves and of the short ones; of its past. And the
/// weights of four lags, for four channels each.
typedef struct {
    long sum[2], past;
    float weights[16];
} motion_place;

/// Writes the curves by place: `stride` floats from one of six to the next.
/// - floors: the noise a tick of each channel.
/// - memory: the floats of all spans, eight more a span, and sixteen a place.
void motion_curves(
    const float *const *blocks, const float *sums, const motion_span *spans, long span_count, long span_floats,
    const motion_past *pasts, long past_count, const motion_place *places, long place_count, const float *floors,
    float *memory, float *curves, long stride);

/// Writes the highest values of the first four curves over 44 periods, and the means of the first two.
void motion_best(const float *curves, long stride, float *best);

/// Writes eleven levels around a row, in the order of `MotionFeatures.Level`. Those of absent sensors are 0.
void motion_strengths(
    const float *rows, const float *sums, long row, int has_acceleration, int has_turning, float *levels);

/// The first of up to 64 places whose value is a peak, and at least this share of the highest peak; -1 without one. The values
/// go on beyond both ends, by one before and eight behind.
long motion_first_peak(const float *values, long count, float share);

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

/// Writes likelihoods of scores relative to the highest, in thousandths of their logarithm. - biases: of steps and of pedals.
void motion_likelihoods(const float *scores, const float *biases, float power, float *likelihoods);

/// Writes likelihoods as thousandths of their negative logarithms, and from these the same likelihoods.
void motion_pack(const float *likelihoods, long count, uint16_t *costs);
void motion_unpack(const uint16_t *costs, long count, float *likelihoods);

/// Writes the probabilities after those of a moment: times the transitions, then times the likelihoods.
void motion_forward(const float *before, const float *likelihoods, const motion_transitions *transitions, float *now);

/// Writes the probabilities before those of a moment: times the likelihoods, then times the transitions.
void motion_backward(const float *now, const float *likelihoods, const motion_transitions *transitions, float *before);

/// Writes the probabilities of a settled moment: forward times backward ones.
void motion_settle(const float *forward, const float *backward, float *settled);

/// The sum of forty probabilities, and the index of the highest.
float motion_sum(const float *probabilities, int32_t *likeliest);

/// The values of the Gaussian windows early and late at a first row, how they change to the next, and how that changes.
typedef struct {
    float value[2], ratio[2], factor;
} motion_gaussians;

/// Writes how the Gabor transform of acceleration and |a| turns from the early window to the late one: the late transform times
/// the conjugate of the early one, real and imaginary.
void motion_gabor(
    const float *rows, long count, float real, float imaginary, const motion_gaussians *windows, float *turn);

/// Lags of a bike's autocorrelation, and candidate periods.
enum { CMotionBikeLags = 80, CMotionPeriods = 94 };

/// A band-pass of four channels, in memory as `BandFilter`; those of a bike's three sensors, and the energies of what they leave,
/// as `BandFilters`.
typedef struct {
    uint8_t is_primed;
    _Alignas(16) float mean[4];
    float first[4], second[4];
} motion_band;
typedef struct {
    motion_band bands[3];
    float slow[4], brief[4], tick_count;
} motion_bands;

/// Filters ticks of these sensors, and averages their energies: acceleration, angular velocity, |a|, magnetic field.
/// - rows: of the window, or null. Those of each sensor's axes are written at the places of the newest block.
void motion_band_pass(const motion_tick *ticks, long count, uint8_t sensors, motion_bands *bands, float *rows);

/// Adds a sensor's normalised autocorrelation over its newest block. - x: its three axes one after the other, each with 90
/// values, the newest first. - first, step: which ticks of the block. - least: of the energies.
void motion_similarity(const float *x, float least, float weight, long first, long step, float *curve);

/// The participation ratio of the covariance of three axes over 3.2 s, 1 to 3; 1 without movement.
float motion_axis_count(const float *x);

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

/// Takes the natural logarithms of eight positive numbers.
void motion_logarithms(float *numbers);

/// Eight channels demodulated at the found line, at twice it, and at the lines beside: real and imaginary parts.
typedef struct {
    float locked[16], twice[16], weak[6][16];
} motion_banks;

/// The phasor of a quarter of the found frequency before ten ticks, its step, the number of the first tick or infinity,
/// and the gains of the averages.
typedef struct {
    float base[2], step[2], first_tick, lock_gain, twice_gain, weak_gain;
} motion_turn;

/// Follows the found line through ten ticks of two sensors, and adds what is left to the averages of the weak ones. Writes the
/// phasor after them. - first, second: the x of the oldest tick in the rows of a bike's window, of a sensor that there is.
void motion_harmonics(
    const float *first, const float *second, float scale, const motion_turn *turn, motion_banks *banks, float *phasor);

/// Rotates all banks, and another of the found line, as their frequencies go with a phasor of a quarter of the found one.
void motion_rotate(motion_banks *banks, float *line, float real, float imaginary);

#endif
