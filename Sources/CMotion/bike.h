/// The kernels of a bike.

enum { lag_count = CMotionBikeLags, row_count = lag_count + CMotionBlockTicks };

// The gain of the mean, 1 − exp(−2π · 0.4 Hz / 25 Hz). With K = tan(π · 5 Hz / 25 Hz) and g = 1 / (1 + √2·K + K²): b = g·K²·(1, 2,
// 1), a = (1, 2g(K² − 1), g(1 − √2·K + K²)).
#define BAND_PASS(input, mean, first, second, out)                              \
    do {                                                                        \
        mean += (input - mean) * 0.0956f;                                       \
        passed = input - mean;                                             \
        out = passed * 0.206572f + first;                                  \
        first = passed * 0.413144f - out * -0.369527f + second;            \
        second = passed * 0.206572f - out * 0.195816f;                     \
    } while (0)

/// The gains of the energies over 2.5 s and 0.4 s: 1 − exp(−0.04 s / 2.5 s) and 1 − exp(−0.04 s / 0.4 s). The first ticks are averaged
/// evenly until the slow average has its gain.
static const float slow_gain = 0.01587f, brief_gain = 0.09516f, even_ticks = 64;

void KERNEL(motion_band_pass)(const motion_tick *ticks, long count, uint8_t sensors, motion_bands *bands, float *rows) {
    motion_band *band = bands->bands;
    int32_t a = -((sensors & CMotionAcceleration) != 0), t = -((sensors & CMotionAngularVelocity) != 0);
    int has_field = (sensors & CMotionMagneticField) != 0;
    whole live = {a, a, a, a, t, t, t, t};
#define TWO(part) join(load4(band[0].part), load4(band[1].part))
    eight mean = TWO(mean), first = TWO(first), second = TWO(second);
    four field_mean = load4(band[2].mean), field_first = load4(band[2].first), field_second = load4(band[2].second);
    four slow = load4(bands->slow), brief = load4(bands->brief);
    for (const motion_tick *tick = ticks; tick < ticks + count; tick++) {
        // A silent sensor's filters wait.
        eight input = load8(tick->acceleration), out;
        eight next_mean = mean, next_first = first, next_second = second;
        {
            eight passed;
            BAND_PASS(input, next_mean, next_first, next_second, out);
        }
        mean = live ? next_mean : mean;
        first = live ? next_first : first;
        second = live ? next_second : second;
        out = live ? out : all(0);
        four field = all4(0);
        if (has_field) {
            four passed, field_input = load4(tick->magnetic_field);
            BAND_PASS(field_input, field_mean, field_first, field_second, field);
        }
        if (rows) {
            float *at = rows + CMotionBlockTicks - 1 - tick->place;
            for (long axis = 0; axis < 3; axis++) {
                if (a) at[axis * row_count] = out[axis];
                if (t) at[(3 + axis) * row_count] = out[4 + axis];
                if (has_field) at[(6 + axis) * row_count] = field[axis];
            }
        }
        eight squares = out * out;
        four energy = {squares[0] + squares[1] + squares[2], squares[4] + squares[5] + squares[6], squares[3], square_sum(field)};
        float slowly = slow_gain, briefly = brief_gain;
        if (bands->tick_count < even_ticks) {
            float even = 1 / ++bands->tick_count;
            slowly = slowly > even ? slowly : even;
            briefly = briefly > even ? briefly : even;
        }
        slow += (energy - slow) * all4(slowly);
        brief += (energy - brief) * all4(briefly);
    }
    for (long sensor = 0; sensor < 2; sensor++) {
        store4(band[sensor].mean, sensor ? high(mean) : low(mean));
        store4(band[sensor].first, sensor ? high(first) : low(first));
        store4(band[sensor].second, sensor ? high(second) : low(second));
    }
    store4(band[2].mean, field_mean);
    store4(band[2].first, field_first);
    store4(band[2].second, field_second);
    store4(bands->slow, slow);
    store4(bands->brief, brief);
}

void KERNEL(motion_similarity)(const float *x, float least, float weight, long first, long step, float *curve) {
    const float *y = x + row_count, *z = y + row_count;
    float squares[row_count];
    for (long group = 0; group < row_count; group += 8) {
        // The last group overlaps the one before.
        long age = group + 8 <= row_count ? group : row_count - 8;
        eight a = load8(x + age), b = load8(y + age), c = load8(z + age);
        store8(squares + age, a * a + b * b + c * c);
    }
    float newest = 0;
    for (long age = 0; age < CMotionBlockTicks; age++) newest += squares[age];
    float products[lag_count];
    memset(products, 0, sizeof products);
    for (const float *axis = x; axis <= z; axis += row_count) {
        eight sums[lag_count / 8];
        for (long group = 0; group < lag_count / 8; group++) sums[group] = all(0);
        for (long age = first; age < CMotionBlockTicks; age += step) {
            eight value = all(axis[age]);
            for (long group = 0; group < lag_count / 8; group++) sums[group] += load8(axis + 8 * group + age) * value;
        }
        for (long group = 0; group < lag_count / 8; group++)
            store8(products + 8 * group, load8(products + 8 * group) + sums[group]);
    }
    for (long lag = 0; lag < lag_count; lag += 8) {
        eight past = all(0);
        for (long age = 0; age < CMotionBlockTicks; age++) past += load8(squares + lag + age);
        store8(curve + lag, load8(curve + lag) + load8(products + lag) * all(weight) / (past + all(least + newest)));
    }
}

float KERNEL(motion_axis_count)(const float *x) {
    const float *y = x + row_count, *z = y + row_count;
    eight xx = all(0), yy = xx, zz = xx, xy = xx, yz = xx, zx = xx;
    for (long age = 0; age < lag_count; age += 8) {
        eight a = load8(x + age), b = load8(y + age), c = load8(z + age);
        xx += a * a;
        yy += b * b;
        zz += c * c;
        xy += a * b;
        yz += b * c;
        zx += c * a;
    }
    float own[3] = {sum8(xx), sum8(yy), sum8(zz)}, shared[3] = {sum8(xy), sum8(yz), sum8(zx)};
    float trace = own[0] + own[1] + own[2], squares = 0;
    for (long axis = 0; axis < 3; axis++) squares += own[axis] * own[axis] + 2 * shared[axis] * shared[axis];
    return squares > 0 ? trace * trace / squares : 1;
}

enum { padded_count = (CMotionPeriods + 7) / 8 * 8 };
enum { noise_lag = 4, longest_step = 72 };

/// Writes the means of a curve from ``noise_lag`` up to each lag, and returns the highest.
INLINE float average(const float *curve, const float *shares, float *means) {
    four before = {0, 0, 0, 0}, zero = before;
    store4(means, load4(curve));
    four most = (four){1, 1, 1, 1} * means[noise_lag - 1];
    for (long lag = noise_lag; lag < lag_count; lag += 4) {
        four sum = load4(curve + lag);
        sum += __builtin_shufflevector(sum, zero, 4, 0, 1, 2);
        sum += __builtin_shufflevector(sum, zero, 4, 4, 0, 1);
        sum += before;
        before = __builtin_shufflevector(sum, sum, 3, 3, 3, 3);
        four mean = sum * load4(shares + lag);
        store4(means + lag, mean);
        most = mean > most ? mean : most;
    }
    float one = most[0] > most[1] ? most[0] : most[1], other = most[2] > most[3] ? most[2] : most[3];
    return one > other ? one : other;
}

void KERNEL(motion_comb)(
    const float *curve, const motion_grid *grid, float ordinary, float least, float gain, float *values, float *smoothed) {
    float single[padded_count + longest_step] = {0}, drifts[padded_count] = {0}, means[lag_count];
    for (long step = 0; step < padded_count; step += 8) {
#define NEAR(period) load4(curve + grid->first_lags[step + period] - 1)
        eight a = join(NEAR(0), NEAR(4)), b = join(NEAR(1), NEAR(5)), c = join(NEAR(2), NEAR(6)), d = join(NEAR(3), NEAR(7));
        eight ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13), cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
        eight ab2 = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15), cd2 = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
        const float *weights = grid->weights + 4 * step;
        eight outer = __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13) * load8(weights)
            + __builtin_shufflevector(ab2, cd2, 2, 3, 10, 11, 6, 7, 14, 15) * load8(weights + 24);
        eight inner = __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15) * load8(weights + 8)
            + __builtin_shufflevector(ab2, cd2, 0, 1, 8, 9, 4, 5, 12, 13) * load8(weights + 16);
        store8(single + step, inner + outer);
    }
    if (average(curve, grid->shares, means) > ordinary) {
        for (long step = 0; step < CMotionPeriods; step++) {
            float over = means[grid->last_between[step]] - ordinary;
            drifts[step] = over > 0 ? over : 0;
        }
    }
    for (long step = 0; step < padded_count; step += 8) {
        eight sum = load8(single + step);
        for (long multiple = 1; multiple < 6; multiple++) sum += load8(single + step + grid->steps[multiple]);
        eight value = sum / load8(grid->counts + step) - load8(drifts + step) / all(1 - ordinary);
        value = greater(value, all(least));
        value = value < all(1) ? value : all(1);
        eight before = load8(smoothed + step);
        store8(values + step, value);
        store8(smoothed + step, before + (value - before) * all(gain));
    }
}

#define UNREACHABLE -1e30f

/// The greatest of each lane and those before it.
INLINE eight rising(eight v) {
    eight none = all(UNREACHABLE);
    v = greater(v, __builtin_shufflevector(v, none, 8, 0, 1, 2, 3, 4, 5, 6));
    v = greater(v, __builtin_shufflevector(v, none, 8, 8, 0, 1, 2, 3, 4, 5));
    return greater(v, __builtin_shufflevector(v, none, 8, 8, 8, 8, 0, 1, 2, 3));
}

/// The greatest of each lane and those after it.
INLINE eight falling(eight v) {
    eight none = all(UNREACHABLE);
    v = greater(v, __builtin_shufflevector(v, none, 1, 2, 3, 4, 5, 6, 7, 8));
    v = greater(v, __builtin_shufflevector(v, none, 2, 3, 4, 5, 6, 7, 8, 8));
    return greater(v, __builtin_shufflevector(v, none, 4, 5, 6, 7, 8, 8, 8, 8));
}

INLINE eight last(eight v) { return __builtin_shufflevector(v, v, 7, 7, 7, 7, 7, 7, 7, 7); }
INLINE eight first(eight v) { return __builtin_shufflevector(v, v, 0, 0, 0, 0, 0, 0, 0, 0); }

void KERNEL(motion_trellis)(
    float *scores, uint8_t *sources, const float *costs, const float *likelihoods, const float *similarity,
    const float *counts, const motion_evidence *evidence, int32_t *leader, float *highest) {
    float before[padded_count], climbed[padded_count], from[padded_count];
    memcpy(before, scores, 4 * CMotionPeriods);
    for (long period = CMotionPeriods; period < padded_count; period++) before[period] = UNREACHABLE;
    const eight places = {0, 1, 2, 3, 4, 5, 6, 7};
    eight best = all(UNREACHABLE), start = all(UNREACHABLE);
    for (long period = 0; period < padded_count; period += 8) {
        eight place = places + all((float)period), score = load8(before + period), cost = load8(costs + period);
        eight own = score + cost;
        best = greater(rising(own), last(best));
        start = greater(rising(own == best ? place : all(UNREACHABLE)), last(start));
        eight climb = best - cost;
        // Where it is the start itself, there is nothing to climb.
        eight gained = start == place ? score : climb;
        store8(climbed + period, gained > score ? gained : score);
        store8(from + period, gained > score ? start : place);
    }
    best = all(UNREACHABLE);
    start = all(-UNREACHABLE);
    eight most = all(-INFINITY), leading = all(0);
    uint8_t origins[padded_count];
    for (long period = padded_count - 8; period >= 0; period -= 8) {
        eight place = places + all((float)period), cost = load8(costs + period);
        eight own = load8(before + period) - cost;
        best = greater(falling(own), first(best));
        // The lowest of those that are the greatest, as the greatest of their negatives.
        start = -greater(falling(own == best ? -place : all(UNREACHABLE)), -first(start));
        eight score = load8(climbed + period), source = load8(from + period), fall = best + cost;
        fall = start == place ? score : fall;
        source = fall > score ? start : source;
        score = fall > score ? fall : score;
        eight jumped = load8(likelihoods + period) + all(evidence->jump);
        source = jumped > score ? all(evidence->origin) : source;
        score = jumped > score ? jumped : score;
        score += (load8(similarity + period) - all(evidence->middle)) * load8(counts + period) * all(evidence->weight)
            - all(evidence->doubt);
        store8(climbed + period, score);
        eight known = place < all(CMotionPeriods) ? score : all(-INFINITY);
        leading = known >= most ? place : leading;
        most = known >= most ? known : most;
        byte_eight bytes = __builtin_convertvector(__builtin_convertvector(source, whole), byte_eight);
        memcpy(origins + period, &bytes, 8);
    }
    float top = most[0], lead = leading[0];
    for (long lane = 1; lane < 8; lane++) {
        if (most[lane] > top || (most[lane] == top && leading[lane] < lead)) { top = most[lane]; lead = leading[lane]; }
    }
    memcpy(scores, climbed, 4 * CMotionPeriods);
    memcpy(sources, origins, CMotionPeriods);
    *highest = top;
    *leader = (int32_t)lead;
}

/// The first eight powers of a phasor.
typedef struct { eight real, imaginary; } powers;

INLINE powers powers_of(float real, float imaginary) {
    float r[8] = {real}, i[8] = {imaginary};
    static const int halves[8][2] = {{0, 0}, {0, 0}, {1, 0}, {1, 1}, {3, 0}, {2, 2}, {3, 2}, {3, 3}};
    for (int power = 1; power < 8; power++) {
        int a = halves[power][0], b = halves[power][1];
        r[power] = r[a] * r[b] - i[a] * i[b];
        i[power] = r[a] * i[b] + i[a] * r[b];
    }
    return (powers){load8(r), load8(i)};
}

/// The powers of the weak lines, less one.
static const int weak[6] = {0, 1, 2, 4, 5, 6};

/// The channels of a tick: three axes of each sensor.
INLINE eight channels_at(const float *first, const float *second, float scale, long tick) {
    eight values = all(0);
    for (long axis = 0; axis < 3; axis++) {
        if (first) values[axis] = first[axis * row_count - tick];
        if (second) values[4 + axis] = second[axis * row_count - tick] * scale;
    }
    return values;
}

void KERNEL(motion_harmonics)(
    const float *first, const float *second, float scale, const motion_turn *turn, motion_banks *banks, float *phasor) {
    powers now = powers_of(turn->base[0], turn->base[1]), step = powers_of(turn->step[0], turn->step[1]);
    eight locked = load8(banks->locked), locked_i = load8(banks->locked + 8);
    eight twice = load8(banks->twice), twice_i = load8(banks->twice + 8);
    eight left[CMotionBlockTicks];
    powers ticks[CMotionBlockTicks];
    for (long tick = 0; tick < CMotionBlockTicks; tick++) {
        powers next = {now.real * step.real - now.imaginary * step.imaginary,
                       now.real * step.imaginary + now.imaginary * step.real};
        now = next;
        ticks[tick] = now;
        float even = 1 / (turn->first_tick + (float)tick);
        eight gain = all(turn->lock_gain > even ? turn->lock_gain : even);
        eight twice_gain = all(turn->twice_gain > even ? turn->twice_gain : even);
        eight value = channels_at(first, second, scale, tick), r = all(now.real[3]), i = all(now.imaginary[3]);
        locked += (value * r - locked) * gain;
        locked_i += (value * -i - locked_i) * gain;
        twice += (value * all(now.real[7]) - twice) * twice_gain;
        twice_i += (value * -all(now.imaginary[7]) - twice_i) * twice_gain;
        left[tick] = value - 2 * (locked * r - locked_i * i);
    }
    phasor[0] = now.real[0];
    phasor[1] = now.imaginary[0];
    store8(banks->locked, locked);
    store8(banks->locked + 8, locked_i);
    store8(banks->twice, twice);
    store8(banks->twice + 8, twice_i);
    float rest = 1;
    for (long tick = CMotionBlockTicks - 1; tick >= 0; tick--) {
        float even = 1 / (turn->first_tick + (float)tick), gain = turn->weak_gain > even ? turn->weak_gain : even;
        ticks[tick].real *= all(gain * rest);
        ticks[tick].imaginary *= all(gain * rest);
        rest *= 1 - gain;
    }
    for (long bank = 0; bank < 6; bank++) {
        float *sums = banks->weak[bank];
        eight real = load8(sums) * all(rest), imaginary = load8(sums + 8) * all(rest);
        for (long tick = 0; tick < CMotionBlockTicks; tick++) {
            real += left[tick] * all(ticks[tick].real[weak[bank]]);
            imaginary -= left[tick] * all(ticks[tick].imaginary[weak[bank]]);
        }
        store8(sums, real);
        store8(sums + 8, imaginary);
    }
}

INLINE void rotate(float *bank, float real, float imaginary) {
    eight r = load8(bank), i = load8(bank + 8);
    store8(bank, r * all(real) - i * all(imaginary));
    store8(bank + 8, r * all(imaginary) + i * all(real));
}

void KERNEL(motion_rotate)(motion_banks *banks, float *line, float real, float imaginary) {
    powers back = powers_of(real, imaginary);
    rotate(banks->locked, back.real[3], back.imaginary[3]);
    rotate(line, back.real[3], back.imaginary[3]);
    rotate(banks->twice, back.real[7], back.imaginary[7]);
    for (long bank = 0; bank < 6; bank++) rotate(banks->weak[bank], back.real[weak[bank]], back.imaginary[weak[bank]]);
}

void KERNEL(motion_logarithms)(float *numbers) { store8(numbers, logarithms(load8(numbers))); }
