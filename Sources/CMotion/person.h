/// The kernels of a person.
/// The channels |a|, acceleration, envelope and angular velocity of a row's products.
INLINE four channels(eight row) {
    eight zero = all(0);
    eight sum = row + __builtin_shufflevector(row, zero, 1, 2, 3, 8, 5, 6, 7, 8);
    sum += __builtin_shufflevector(row, zero, 2, 3, 8, 8, 6, 7, 8, 8);
    return __builtin_shufflevector(
        __builtin_shufflevector(low(row), low(sum), 0, 5, 0, 5), __builtin_shufflevector(high(row), high(sum), 0, 5, 0, 5),
        0, 1, 4, 5);
}

void KERNEL(motion_filter)(
    const float *acceleration, const float *turning, long stride, long ticks, int has_acceleration, int has_turning,
    const motion_filters *filters, motion_filter_memory *memory, int16_t *units) {
    int32_t a = -(has_acceleration != 0), t = -(has_turning != 0);
    whole live = {a, a, a, a, a, t, t, t};
    eight first = load8(memory->rows[0]), second = load8(memory->rows[1]);
    eight gain = load8(filters->gain), most = all(32767);
    float impacts[2] = {memory->impact[0], memory->impact[1]};
    four last = load4(memory->impacts);
    for (long tick = 0; tick < ticks; tick++) {
        const float *moved = acceleration + stride * tick, *turned = turning + stride * tick;
        float envelope = 0;
        if (has_acceleration) {
            float fed = filters->impact_gain * moved[3], impact = fed + impacts[0];
            impacts[0] = impacts[1] - 2 * fed - filters->impact_feedback[0] * impact;
            impacts[1] = fed - filters->impact_feedback[1] * impact;
            impact = impact < 0 ? -impact : impact;
            envelope = (impact + last[0] + last[1] + last[2] + last[3]) / 5;
            last = (four){impact, last[0], last[1], last[2]};
        }
        eight fed = gain * (eight){moved[3], moved[0], moved[1], moved[2], envelope, turned[0], turned[1], turned[2]};
        eight out = fed + first;
        first = live ? second - 2 * fed - load8(filters->feedback[0]) * out : first;
        second = live ? fed - load8(filters->feedback[1]) * out : second;
        out = (live ? out : all(0)) * load8(filters->scales);
        out = out > most ? most : out;
        out = out < -most ? -most : out;
        // At this magnitude a float has no fraction: the sum is rounded, and its low bits are the whole number.
        short_eight unit = __builtin_convertvector((whole)(out + all(12582912)), short_eight);
        memcpy(units + 8 * tick, &unit, 16);
    }
    store8(memory->rows[0], first);
    store8(memory->rows[1], second);
    memory->impact[0] = impacts[0];
    memory->impact[1] = impacts[1];
    store4(memory->impacts, last);
}

void KERNEL(motion_expand)(const int16_t *units, long rows, const float *shares, float *out) {
    eight share = load8(shares);
    for (long row = 0; row < rows; row++) {
        short_eight unit;
        memcpy(&unit, units + 8 * row, 16);
        store8(out + 8 * row, __builtin_convertvector(unit, eight) * share);
    }
}

void KERNEL(motion_squares)(const float *rows, float *squares) {
    four sum = all4(0);
    for (long row = 0; row < CMotionBlockTicks; row++) {
        eight values = load8(rows + 8 * row);
        sum += channels(values * values);
        store4(squares + 4 * row, sum);
    }
}

void KERNEL(motion_cumulate)(const float *squares, long blocks, float *sums) {
    four before = load4(sums);
    sums += 4;
    for (long block = 0; block < blocks; block++) {
        eight both_before = join(before, before);
        for (long row = 0; row < CMotionBlockTicks; row += 2) store8(sums + 4 * row, both_before + load8(squares + 4 * row));
        squares += 4 * CMotionBlockTicks;
        sums += 4 * CMotionBlockTicks;
        before += load4(squares - 4);
    }
}

void KERNEL(motion_products)(const float *block, float *products) {
    eight now[CMotionBlockTicks];
    for (long row = 0; row < CMotionBlockTicks; row++) now[row] = load8(block + 8 * row);
    for (long lag = 0; lag < CMotionLagCount; lag += 4) {
        const float *past = block - 8 * lag;
        eight sums[4];
        for (long more = 0; more < 4; more++) sums[more] = now[0] * load8(past - 8 * more);
        for (long row = 1; row < CMotionBlockTicks; row++)
            for (long more = 0; more < 4; more++) sums[more] += now[row] * load8(past + 8 * row - 8 * more);
        // By number of the row in place of by lag: |a| and envelope, x, y and z of acceleration and angular velocity.
#define PAIRED(a, b, i, j) __builtin_shufflevector(a, b, i, i + 8, j, j + 8, i + 4, i + 12, j + 4, j + 12)
#define FOUR(a, b, i) __builtin_shufflevector(a, b, i, i + 1, i + 8, i + 9, i + 4, i + 5, i + 12, i + 13)
        eight early = PAIRED(sums[0], sums[1], 0, 1), late = PAIRED(sums[2], sums[3], 0, 1);
        eight early_rest = PAIRED(sums[0], sums[1], 2, 3), late_rest = PAIRED(sums[2], sums[3], 2, 3);
        eight plain = FOUR(early, late, 0);
        eight vector = FOUR(early, late, 2) + FOUR(early_rest, late_rest, 0) + FOUR(early_rest, late_rest, 2);
        eight first = PAIRED(plain, vector, 0, 1), last = PAIRED(plain, vector, 2, 3);
        store8(products + 4 * lag, __builtin_shufflevector(first, first, 0, 1, 4, 5, 2, 3, 6, 7));
        store8(products + 4 * lag + 8, __builtin_shufflevector(last, last, 0, 1, 4, 5, 2, 3, 6, 7));
    }
}

/// 1/√x of positive numbers, by an estimate from the exponent and three Newton steps, exact but for rounding (C. Lomont,
/// "Fast inverse square root", 2003).
INLINE eight inverse_root(eight x) {
    whole bits = 0x5f3759df - ((whole)x >> 1);
    eight root = (eight)bits, half = x * all(0.5f);
    for (int step = 0; step < 3; step++) root *= all(1.5f) - half * root * root;
    return root;
}

/// Sums a few vectors of products of all blocks.
INLINE void sum_vectors(const float *const *blocks, const motion_span *span, long vectors, long at, float *out) {
    eight sums[8];
    for (long vector = 0; vector < vectors; vector++) sums[vector] = all(0);
    for (long block = span->first_block; block < span->end_block; block++) {
        const float *products = blocks[block] + 4 * span->first_lag + at;
        for (long vector = 0; vector < vectors; vector++) sums[vector] += load8(products + 8 * vector);
    }
    for (long vector = 0; vector < vectors; vector++) store8(out + at + 8 * vector, sums[vector]);
}

/// Sums the products of a span.
INLINE void sum_lags(const float *const *blocks, const motion_span *span, float *out) {
    long at = 0, end = 4 * span->lag_count;
    for (; at + 64 <= end; at += 64) sum_vectors(blocks, span, 8, at, out);
    if (at + 48 == end) sum_vectors(blocks, span, 6, at, out);
    if (at + 32 == end) sum_vectors(blocks, span, 4, at, out);
    if (at + 16 == end) sum_vectors(blocks, span, 2, at, out);
}

/// The weighted sum of four lags.
INLINE four weighed(const float *lags, eight early, eight late) {
    eight sum = load8(lags) * early + load8(lags + 8) * late;
    return low(sum) + high(sum);
}

void KERNEL(motion_curves)(
    const float *const *blocks, const float *sums, const motion_span *spans, long span_count, long span_floats,
    const motion_past *pasts, long past_count, const motion_place *places, long place_count, const float *floors,
    float *memory, float *curves, long stride) {
    float *energies = memory + span_floats, *values = energies + 8 * span_count;
    for (const motion_span *span = spans; span < spans + span_count; span++) {
        sum_lags(blocks, span, memory + span->sum);
        four noise = load4(floors) * ((float)(span->end_row - span->first_row) / 4);
        store4(energies, load4(sums + span->end_row) - load4(sums + span->first_row) + noise);
        store4(energies + 4, noise);
        energies += 8;
    }
    // In two loops: the processor looks ahead over several places only where each takes few steps.
    energies = memory + span_floats;
    float *roots = values + 8 * place_count;
    for (long index = 0; index < past_count; index++) {
        const motion_past *past = pasts + index;
        const float *now = energies + past->span[0], *now_short = energies + past->span[1];
#define SUMS(rows) join(load4(sums + past->rows[0]), load4(sums + past->rows[1]))
        eight before = SUMS(end) - SUMS(first) + join(load4(now + 4), load4(now_short + 4));
        store8(roots + 8 * index, inverse_root(before * join(load4(now), load4(now_short))));
    }
    for (long index = 0; index < place_count; index++) {
        const motion_place *place = places + index;
        eight early = load8(place->weights), late = load8(place->weights + 8);
        eight value = join(weighed(memory + place->sum[0], early, late), weighed(memory + place->sum[1], early, late));
        store8(values + 8 * index, value * load8(roots + place->past));
    }
    for (long index = 0; index < place_count; index += 4) {
        eight a = load8(values), b = load8(values + 8), c = load8(values + 16), d = load8(values + 24);
        values += 32;
        eight ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13), cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
        eight norms = __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13), vectors = __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
        four more = __builtin_shufflevector(low(a), low(b), 2, 6, 3, 7), rest = __builtin_shufflevector(low(c), low(d), 2, 6, 3, 7);
        store4(curves + index, low(norms));
        store4(curves + stride + index, low(vectors));
        store4(curves + 2 * stride + index, __builtin_shufflevector(more, rest, 0, 1, 4, 5));
        store4(curves + 3 * stride + index, __builtin_shufflevector(more, rest, 2, 3, 6, 7));
        store4(curves + 4 * stride + index, high(norms));
        store4(curves + 5 * stride + index, high(vectors));
    }
}

void KERNEL(motion_best)(const float *curves, long stride, float *best) {
    for (long curve = 0; curve < 4; curve++) {
        const float *values = curves + stride * curve;
        eight highest = load8(values), sum = highest;
        for (long group = 1; group < 5; group++) {
            highest = greater(load8(values + 8 * group), highest);
            sum += load8(values + 8 * group);
        }
        four rest = load4(values + 40), most = low(highest) > high(highest) ? low(highest) : high(highest);
        most = rest > most ? rest : most;
        float one = most[0] > most[1] ? most[0] : most[1], other = most[2] > most[3] ? most[2] : most[3];
        best[curve] = one > other ? one : other;
        if (curve < 2) best[4 + curve] = sum4(low(sum) + high(sum) + rest) / 44;
    }
}

/// Ticks of levels around a row: 1 s, 2.4 s, 4 s.
enum { second_ticks = 26, middle_ticks = 60, four_second_ticks = 100 };

INLINE four mean_squares(const float *sums, long row, long ticks) {
    return (load4(sums + 4 * (row + ticks / 2)) - load4(sums + 4 * (row - ticks / 2))) / all4((float)ticks);
}

void KERNEL(motion_strengths)(
    const float *rows, const float *sums, long row, int has_acceleration, int has_turning, float *levels) {
    four brief = mean_squares(sums, row, second_ticks), middle = mean_squares(sums, row, middle_ticks);
    four lasting = mean_squares(sums, row, four_second_ticks);
    eight changes = all(0), fourths = all(0);
    for (const float *at = rows + 8 * (row - middle_ticks / 2); at < rows + 8 * (row + middle_ticks / 2); at += 16) {
        four between = load4(at);
        eight now = join(between, load4(at + 8)), change = now - join(load4(at - 8), between), square = now * now;
        changes += change * change;
        fourths += square * square;
    }
    four change = (low(changes) + high(changes)) / all4(middle_ticks);
    float fourth = (fourths[0] + fourths[4]) / middle_ticks;
    const eight floors = {0.05f, 0.05f, 0.05f, 0.05f, 0.02f, 0.02f, 0.02f, 0.05f}, turning_floors = all(0.02f);
    eight moved = {brief[0], lasting[0], brief[1], lasting[1], change[0], change[1] + change[2] + change[3], middle[2],
                   __builtin_elementwise_sqrt(fourth)};
    eight turned = {brief[3], lasting[3], brief[3], brief[3], brief[3], brief[3], brief[3], brief[3]};
    eight a = all(0.5f) * logarithms(greater(moved, floors * floors));
    eight b = all(0.5f) * logarithms(greater(turned, turning_floors * turning_floors));
    if (!has_acceleration) a = all(0);
    if (!has_turning) b = all(0);
    store8(levels, a - (eight){0, 0, 0, 0, a[1], a[3], a[1], a[1]});
    levels[8] = a[1] - a[3];
    levels[9] = b[0];
    levels[10] = b[1];
}

long KERNEL(motion_first_peak)(const float *values, long count, float share) {
    eight peaks[8], highest = all(0), places = {0, 1, 2, 3, 4, 5, 6, 7};
    for (long place = 0, group = 0; place < count; place += 8, group++) {
        eight value = load8(values + place);
        value = value > load8(values + place - 1) ? value : all(0);
        value = value >= load8(values + place + 1) ? value : all(0);
        peaks[group] = places < all((float)(count - place)) ? value : all(0);
        highest = greater(peaks[group], highest);
    }
    float most = 0;
    for (long lane = 0; lane < 8; lane++) most = highest[lane] > most ? highest[lane] : most;
    const float *heights = (const float *)peaks;
    for (long place = 0; place < count; place++)
        if (heights[place] > 0 && heights[place] >= share * most) return place;
    return -1;
}

void KERNEL(motion_levels)(const float *levels, long count, const float *weights, const float *bias, float *sums) {
    eight sum[4] = {load8(bias), load8(bias + 8), load8(bias + 16), load8(bias + 24)};
    for (long level = 0; level < count; level++) {
        eight value = all(levels[level]);
        for (long group = 0; group < 4; group++) sum[group] += load8(weights + 32 * level + 8 * group) * value;
    }
    for (long group = 0; group < 4; group++) store8(sums + 8 * group, sum[group]);
}

enum { still_count = 3, period_count = 40, eights = period_count / 8, state_count = still_count + 2 * period_count };

void KERNEL(motion_scores)(
    const float *features, const int32_t *offsets, const float *weights, long taps, const float *levels,
    const float *powers, float first_octave, float octave_step, float *scores) {
    for (long from = 0; from < eights;) {
        // As many groups as there are registers for.
        long groups = from == 0 ? 3 : 2;
        eight sums[3][3];
        for (long group = 0; group < groups; group++) {
            eight x = all(first_octave)
                + ((eight){0, 1, 2, 3, 4, 5, 6, 7} + all(8 * (float)(from + group))) * all(octave_step);
            for (long variant = 0; variant < 3; variant++)
                sums[group][variant] =
                    x * (all(levels[3 + variant]) + x * (all(powers[variant]) + x * all(powers[3 + variant])))
                    + all(levels[variant]);
        }
#define ADD(count)                                                                                                 \
    for (long tap = 0; tap < taps; tap++) {                                                                        \
        const float *feature = features + offsets[tap] + 8 * from;                                                 \
        for (long group = 0; group < count; group++) {                                                             \
            eight value = load8(feature + 8 * group);                                                              \
            for (long variant = 0; variant < 3; variant++) sums[group][variant] += value * all(weights[3 * tap + variant]); \
        }                                                                                                          \
    }
        if (groups == 3) { ADD(3) } else { ADD(2) }
        for (long group = 0; group < groups; group++)
            store8(
                scores + 8 * (from + group), greater(sums[group][2], greater(sums[group][1], sums[group][0])));
        from += groups;
    }
}

/// Units of costs: 1/1000, and at most 32.
#define COST_UNIT 1000.0f
#define MOST_COST 32.0f

/// Costs rounded down, at most 32; NaN is 32, too.
INLINE cost_eight costs_of(eight costs) {
    eight most = all(MOST_COST * COST_UNIT);
    return __builtin_convertvector(__builtin_convertvector(costs < most ? costs : most, whole), cost_eight);
}

/// The likelihoods of costs: 2 to the power of the whole and the rest, the latter by its Taylor series.
INLINE eight likelihoods_of(cost_eight costs) {
    eight x = __builtin_convertvector(__builtin_convertvector(costs, whole), eight) * all(-1.442695041f / COST_UNIT);
    eight magic = all(12582912), nearest = x + magic;
    eight f = (x - (nearest - magic)) * all(0.693147181f);
    eight power = all(1.0f / 720) * f + all(1.0f / 120);
    power = power * f + all(1.0f / 24);
    power = power * f + all(1.0f / 6);
    power = power * f + all(0.5f);
    power = power * f + all(1);
    power = power * f + all(1);
    return (eight)((whole)power + ((whole)nearest << 23));
}

void KERNEL(motion_likelihoods)(const float *scores, const float *biases, float power, float *likelihoods) {
    eight values[2 * eights], highest = all(scores[0]);
    for (long state = 1; state < still_count; state++) highest = greater(all(scores[state]), highest);
    for (long group = 0; group < 2 * eights; group++) {
        values[group] = load8(scores + still_count + 8 * group) + all(biases[group / eights]);
        highest = greater(values[group], highest);
    }
    four halves = low(highest) > high(highest) ? low(highest) : high(highest);
    float most = halves[0];
    for (long lane = 1; lane < 4; lane++) most = halves[lane] > most ? halves[lane] : most;
    eight still = {scores[0], scores[1], scores[2], most, most, most, most, most};
    // What is written behind them is written over.
    store8(likelihoods, likelihoods_of(costs_of((all(most) - still) * all(power) * all(COST_UNIT))));
    for (long group = 0; group < 2 * eights; group++)
        store8(
            likelihoods + still_count + 8 * group,
            likelihoods_of(costs_of((all(most) - values[group]) * all(power) * all(COST_UNIT))));
}

void KERNEL(motion_pack)(const float *likelihoods, long count, uint16_t *costs) {
    for (long place = 0; place < count; place += 8) {
        eight values = all(1);
        long rest = count - place < 8 ? count - place : 8;
        memcpy(&values, likelihoods + place, 4 * rest);
        cost_eight packed = costs_of(all(0.5f) - logarithms(values) * all(COST_UNIT));
        memcpy(costs + place, &packed, 2 * rest);
    }
}

void KERNEL(motion_unpack)(const uint16_t *costs, long count, float *likelihoods) {
    for (long place = 0; place < count; place += 8) {
        cost_eight packed = {0};
        long rest = count - place < 8 ? count - place : 8;
        memcpy(&packed, costs + place, 2 * rest);
        eight values = likelihoods_of(packed);
        memcpy(likelihoods + place, &values, 4 * rest);
    }
}

/// Four states of steps and the same four of pedals.
INLINE eight periods(const float *states, long group) {
    return join(load4(states + still_count + 4 * group), load4(states + still_count + period_count + 4 * group));
}

/// The states without a period.
INLINE four still_of(const float *states) { return (four){states[0], states[1], states[2], 0}; }

enum { fours = period_count / 4 };

/// The sums of steps and of pedals, in parts.
INLINE eight total_of(const eight *values) {
    return ((values[0] + values[1]) + (values[2] + values[3])) + ((values[4] + values[5]) + (values[6] + values[7]))
        + (values[8] + values[9]);
}

/// Multiplies probabilities by the transitions: steps and pedals side by side in the halves of vectors. Their kernel,
/// decay^|distance|, is a sum over those below and one over those above; within a vector these take two steps.
INLINE void step(
    const four *still, const eight *from, const motion_transitions *t, const float *step_shares,
    const float *pedal_shares, const float *still_shares, four *still_to, eight *to) {
    eight zero = all(0), total = total_of(from);
    float sums[3] = {(*still)[0] + (*still)[1] + (*still)[2], sum4(low(total)), sum4(high(total))};
    float to_step = 0, to_pedal = 0, to_still = 0;
    for (long kind = 0; kind < 3; kind++) {
        to_step += sums[kind] * step_shares[kind];
        to_pedal += sums[kind] * pedal_shares[kind];
        to_still += sums[kind] * still_shares[kind];
    }
    eight d = both(t->decay[0], t->decay[1]), d2 = d * d;
    float a = t->decay[0], b = t->decay[1];
    eight rising = {a, a * a, a * a * a, a * a * a * a, b, b * b, b * b * b, b * b * b * b};
    eight falling = __builtin_shufflevector(rising, rising, 3, 2, 1, 0, 7, 6, 5, 4);
    eight stays = both(t->share[0] * t->stays[0], t->share[1] * t->stays[1]), come = both(to_step, to_pedal);
    eight below = zero, above = zero, up[fours];
    for (long group = 0; group < fours; group++) {
        eight v = from[group];
        v += __builtin_shufflevector(v, zero, 8, 0, 1, 2, 8, 4, 5, 6) * d;
        v += __builtin_shufflevector(v, zero, 8, 8, 0, 1, 8, 8, 4, 5) * d2;
        below = v + __builtin_shufflevector(below, below, 3, 3, 3, 3, 7, 7, 7, 7) * rising;
        up[group] = below;
    }
    for (long group = fours - 1; group >= 0; group--) {
        eight v = from[group];
        v += __builtin_shufflevector(v, zero, 1, 2, 3, 8, 5, 6, 7, 8) * d;
        v += __builtin_shufflevector(v, zero, 2, 3, 8, 8, 6, 7, 8, 8) * d2;
        above = v + __builtin_shufflevector(above, above, 0, 0, 0, 0, 4, 4, 4, 4) * falling;
        to[group] = (up[group] + (above - from[group])) * stays + come;
    }
    *still_to = *still * t->still_stays + to_still;
    (*still_to)[3] = 0;
}

/// Stores probabilities, normalised to a sum of 1.
INLINE void store_normalised(four still, const eight *values, float *out) {
    eight total = total_of(values);
    float sum = (still[0] + still[1] + still[2]) + sum4(low(total) + high(total));
    float share = sum > 0 ? 1 / sum : 0;
    for (long state = 0; state < still_count; state++) out[state] = still[state] * share;
    for (long group = 0; group < fours; group++) {
        eight value = values[group] * all(share);
        store4(out + still_count + 4 * group, low(value));
        store4(out + still_count + period_count + 4 * group, high(value));
    }
}

void KERNEL(motion_forward)(const float *before, const float *likelihoods, const motion_transitions *t, float *now) {
    eight from[fours], to[fours];
    four still = still_of(before), still_to;
    for (long group = 0; group < fours; group++) from[group] = periods(before, group);
    step(&still, from, t, t->to_step, t->to_pedal, t->to_still, &still_to, to);
    still_to *= still_of(likelihoods);
    for (long group = 0; group < fours; group++) to[group] *= periods(likelihoods, group);
    store_normalised(still_to, to, now);
}

void KERNEL(motion_backward)(const float *now, const float *likelihoods, const motion_transitions *t, float *before) {
    eight from[fours], to[fours];
    four still = still_of(now) * still_of(likelihoods), still_to;
    for (long group = 0; group < fours; group++) from[group] = periods(now, group) * periods(likelihoods, group);
    step(&still, from, t, t->back_to_step, t->back_to_pedal, t->back_to_still, &still_to, to);
    store_normalised(still_to, to, before);
}

void KERNEL(motion_settle)(const float *forward, const float *backward, float *settled) {
    eight values[fours];
    four still = {forward[0] * backward[0], forward[1] * backward[1], forward[2] * backward[2], 0};
    for (long group = 0; group < fours; group++) values[group] = periods(forward, group) * periods(backward, group);
    store_normalised(still, values, settled);
}

float KERNEL(motion_sum)(const float *probabilities, int32_t *likeliest) {
    eight sum = load8(probabilities), highest = sum;
    whole place = {0, 1, 2, 3, 4, 5, 6, 7}, best = place;
    for (long group = 1; group < eights; group++) {
        eight value = load8(probabilities + 8 * group);
        place += 8;
        sum += value;
        best = value > highest ? place : best;
        highest = greater(value, highest);
    }
    int32_t first = best[0];
    float most = highest[0];
    for (long lane = 1; lane < 8; lane++) {
        if (highest[lane] > most || (highest[lane] == most && best[lane] < first)) { most = highest[lane]; first = best[lane]; }
    }
    *likeliest = first;
    return sum4(low(sum) + high(sum));
}

void KERNEL(motion_gabor)(
    const float *rows, long count, float real, float imaginary, const motion_gaussians *windows, float *turn) {
    // Two rows at once, the second in the high half: each vector advances by two.
    float r = windows->ratio[0], q = windows->ratio[1], f = windows->factor, f2 = f * f;
    eight early = both(windows->value[0], windows->value[0] * r), late = both(windows->value[1], windows->value[1] * q);
    eight early_ratio = both(r * r * f, r * r * f * f2), late_ratio = both(q * q * f, q * q * f * f2), factor = all(f2 * f2);
    eight cosine = both(1, real), sine = both(0, imaginary);
    eight c = all(real * real - imaginary * imaginary), s = all(2 * real * imaginary);
    eight sums[4] = {all(0), all(0), all(0), all(0)};
    for (long row = 0; row < count; row += 2) {
        four one = load4(rows + 8 * row), other = {0, 0, 0, 0};
        if (row + 1 < count) other = load4(rows + 8 * row + 8);
        eight moved = join(one, other), a = moved * cosine, b = moved * sine;
        sums[0] += a * early;
        sums[1] += b * early;
        sums[2] += a * late;
        sums[3] += b * late;
        eight turned = cosine * c - sine * s;
        sine = cosine * s + sine * c;
        cosine = turned;
        early *= early_ratio;
        late *= late_ratio;
        early_ratio *= factor;
        late_ratio *= factor;
    }
    four parts[4];
    for (long part = 0; part < 4; part++) parts[part] = low(sums[part]) + high(sums[part]);
    turn[0] = sum4(parts[2] * parts[0] + parts[3] * parts[1]);
    turn[1] = sum4(parts[3] * parts[0] - parts[2] * parts[1]);
}
