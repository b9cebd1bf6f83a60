/// The way from samples to ticks.

/// The latest time of a sample, µs.
static const int64_t latest_time = (int64_t)1 << 53;

/// The line while it is followed.
typedef struct {
    int64_t time, tick_start, tick_index, tick_end, place;
    eight current, sum;
    four field, field_sum;
} running_line;

INLINE running_line line_of(const motion_line *line) {
    return (running_line){line->time, line->tick_start, line->tick_index, line->tick_end, line->place,
        load8(line->current), load8(line->sum), load4(line->current + 8), load4(line->sum + 8)};
}

INLINE void store_line(running_line now, motion_line *line) {
    line->time = now.time;
    line->tick_start = now.tick_start;
    line->tick_index = now.tick_index;
    line->tick_end = now.tick_end;
    line->place = now.place;
    store8(line->current, now.current);
    store8(line->sum, now.sum);
    store4(line->current + 8, now.field);
    store4(line->sum + 8, now.field_sum);
}

INLINE int64_t at_least_one(int64_t span) { return span > 1 ? span : 1; }

INLINE void integrate(running_line *line, eight values, four field, int has_field, int64_t end) {
    float weight = (float)(end - line->time) * 0.5f;
    line->sum += (line->current + values) * all(weight);
    line->current = values;
    if (has_field) {
        line->field_sum += (line->field + field) * all4(weight);
        line->field = field;
    }
    line->time = end;
}

/// Integrates to a time, or to the end of the last tick that is wanted. Returns how many ticks there are then.
INLINE long integrate_ticks(
    running_line *line, eight values, four field, int has_field, int64_t end, motion_tick *ticks, long count, long wanted) {
    while (line->tick_end <= end) {
        float share = (float)(line->tick_end - line->time) / (float)at_least_one(end - line->time);
        integrate(
            line, line->current + (values - line->current) * all(share),
            line->field + (field - line->field) * all4(share), has_field, line->tick_end);
        float scale = 1 / (float)at_least_one(line->time - line->tick_start);
        motion_tick *tick = ticks + count;
        tick->index = line->tick_index;
        tick->place = line->place;
        store8(tick->acceleration, line->sum * all(scale));
        store4(tick->magnetic_field, has_field ? line->field_sum * all4(scale) : all4(0));
        line->sum = all(0);
        line->field_sum = all4(0);
        line->tick_start = line->time;
        line->tick_index++;
        line->tick_end += CMotionTickMicroseconds;
        line->place = line->place == CMotionBlockTicks - 1 ? 0 : line->place + 1;
        if (++count == wanted) return count;
    }
    integrate(line, values, field, has_field, end);
    return count;
}

long KERNEL(motion_integrate)(
    motion_line *line, const float *values, int has_field, int64_t end, motion_tick *ticks, long wanted) {
    running_line now = line_of(line);
    long count = integrate_ticks(&now, load8(values), load4(values + 8), has_field, end, ticks, 0, wanted);
    store_line(now, line);
    return count;
}

/// The first intervals are averaged evenly; after them the newest has this weight.
INLINE void pace_by(motion_rate *rate, int64_t interval) {
    float gain = 0.02f;
    if (rate->count < CMotionAveragedIntervals) {
        rate->count++;
        if (rate->count < CMotionAveragedIntervals) gain = 1 / (float)rate->count;
    }
    rate->mean_seconds += ((float)interval * 1e-6f - rate->mean_seconds) * gain;
    rate->last += interval;
}

void KERNEL(motion_pace)(motion_rate *rate, int64_t interval) { pace_by(rate, interval); }

/// The sum of the squares of x, y and z.
INLINE float square_sum(four v) { v *= v; return v[0] + v[1] + v[2]; }

INLINE void follow(
    const motion_sample *samples, long count, uint8_t sensors, int has_field, long wanted, motion_line *line,
    motion_rate *rate, motion_tick *ticks, motion_run *run) {
    running_line now = line_of(line);
    motion_rate pace = *rate;
    long made = run->ticks, next = run->sample;
    int within = run->is_within;
    for (; next < count; next++) {
        const motion_sample *sample = samples + next;
        // A time may be any number: differences wrap.
        int64_t interval = (int64_t)((uint64_t)sample->time - (uint64_t)now.time);
        four moved = low(now.current), turned = high(now.current), field = now.field;
        int is_plain = within
            || (sample->sensors == sensors && interval > 0 && interval <= CMotionGapMicroseconds && sample->time <= latest_time);
        if (!is_plain) break;
        if (sensors & CMotionAcceleration) {
            moved = load4(sample->acceleration);
            float square = square_sum(moved);
            if (!(square <= (float)CMotionMostAcceleration * CMotionMostAcceleration)) break;
            moved[3] = __builtin_elementwise_sqrt(square);
        }
        if (sensors & CMotionAngularVelocity) {
            turned = load4(sample->angular_velocity);
            if (!(square_sum(turned) <= (float)CMotionMostAngularVelocity * CMotionMostAngularVelocity)) break;
            turned[3] = 0;
        }
        if (has_field) {
            field = load4(sample->magnetic_field);
            if (!(square_sum(field) <= (float)CMotionMostMagneticField * CMotionMostMagneticField)) break;
            field[3] = 0;
        }
        if (!within) pace_by(&pace, interval);
        long before = made;
        made = integrate_ticks(&now, join(moved, turned), field, has_field, sample->time, ticks, made, wanted);
        for (long tick = before; tick < made; tick++) {
            ticks[tick].sensors = sensors;
            ticks[tick].rate = pace;
        }
        within = made == wanted;
        if (within) break;
    }
    store_line(now, line);
    *rate = pace;
    run->ticks = made;
    run->sample = next;
    run->is_within = within;
}

void KERNEL(motion_follow)(
    const motion_sample *samples, long count, uint8_t sensors, long wanted, motion_line *line, motion_rate *rate,
    motion_tick *ticks, motion_run *run) {
    // A loop of its own for six axes, which most devices send.
    if (sensors == (CMotionAcceleration | CMotionAngularVelocity))
        follow(samples, count, CMotionAcceleration | CMotionAngularVelocity, 0, wanted, line, rate, ticks, run);
    else
        follow(samples, count, sensors, (sensors & CMotionMagneticField) != 0, wanted, line, rate, ticks, run);
}
