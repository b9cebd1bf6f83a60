#include "Parser.hpp"

#include <cfloat>
#include <charconv>
#include <cmath>

using namespace simdjson;

// MARK: The head

/// Which spelling of a frame a key belongs to; `t` belongs to both.
enum class Form { any, plain, compact, unknown };

struct FrameReader {
    stridebus_json_parser *parser;
    stridebus_json_frame *head;
    size_t maximum_samples;
    uint32_t seen = 0;
    bool is_plain = false;
    bool is_compact = false;
};

static stridebus_json_result read_number(dom::element value, stridebus_json_number &number) noexcept {
    number.present = true;
    switch (value.type()) {
    case dom::element_type::INT64:
        number.is_integer = true;
        number.integer = value.get_int64().value_unsafe();
        number.number = static_cast<double>(number.integer);
        return STRIDEBUS_JSON_OK;
    case dom::element_type::UINT64: return STRIDEBUS_JSON_OUT_OF_RANGE;
    case dom::element_type::DOUBLE:
        number.number = value.get_double().value_unsafe();
        return STRIDEBUS_JSON_OK;
    default: return STRIDEBUS_JSON_WRONG_TYPE;
    }
}

static stridebus_json_result read_boot(FrameReader &reader, dom::element value) noexcept {
    auto *digits = reader.parser->boot_digits;
    auto *end = digits + sizeof(reader.parser->boot_digits);
    reader.head->has_boot = true;
    reader.head->boot = digits;
    switch (value.type()) {
    case dom::element_type::STRING: {
        std::string_view text = value.get_string().value_unsafe();
        reader.head->boot = text.data();
        reader.head->boot_length = text.size();
        return STRIDEBUS_JSON_OK;
    }
    case dom::element_type::INT64:
        reader.head->boot_length = std::to_chars(digits, end, value.get_int64().value_unsafe()).ptr - digits;
        return STRIDEBUS_JSON_OK;
    case dom::element_type::UINT64:
        reader.head->boot_length = std::to_chars(digits, end, value.get_uint64().value_unsafe()).ptr - digits;
        return STRIDEBUS_JSON_OK;
    default: return STRIDEBUS_JSON_WRONG_TYPE;
    }
}

static stridebus_json_result read_sequence(FrameReader &reader, dom::element value) noexcept {
    reader.head->has_sequence = true;
    // Languages whose only number is a double write 3.0.
    double number = 0;
    if (value.is_double() && !value.get_double().get(number) && number >= 0 && number <= 9007199254740992.0
        && number == std::floor(number)) {
        reader.head->sequence = static_cast<uint64_t>(number);
        return STRIDEBUS_JSON_OK;
    }
    return result_of(value.get_uint64().get(reader.head->sequence));
}

static stridebus_json_result read_spacing(FrameReader &reader, dom::element value) noexcept {
    FrameSensor &intervals = reader.parser->frame.intervals;
    if (value.get_array().get(intervals.rows)) { return read_number(value, reader.head->period_ms); }
    intervals.present = true;
    reader.head->has_intervals = true;
    reader.head->interval_count = intervals.rows.size();
    return reader.head->interval_count < reader.maximum_samples ? STRIDEBUS_JSON_OK : STRIDEBUS_JSON_TOO_MANY_SAMPLES;
}

static stridebus_json_result read_rows(FrameSensor &sensor, dom::element value) noexcept {
    sensor.present = true;
    return result_of(value.get_array().get(sensor.rows));
}

struct Key {
    std::string_view name;
    Form form;
    stridebus_json_result (*read)(FrameReader &, dom::element) noexcept;
};

#define NUMBER_KEY(field) \
    [](FrameReader &reader, dom::element value) noexcept { return read_number(value, reader.head->field); }
#define ROWS_KEY(field) \
    [](FrameReader &reader, dom::element value) noexcept { return read_rows(reader.parser->frame.field, value); }

static const Key keys[] = {
    {"t", Form::any, NUMBER_KEY(time)},
    {"boot", Form::plain, read_boot},
    {"seq", Form::plain, read_sequence},
    {"uptime_ms", Form::plain, NUMBER_KEY(uptime_ms)},
    {"rate_hz", Form::plain, NUMBER_KEY(rate_hz)},
    {"dt_ms", Form::plain, read_spacing},
    {"acc", Form::plain, ROWS_KEY(acceleration)},
    {"gyro", Form::plain, ROWS_KEY(angular_velocity)},
    {"mag", Form::plain, ROWS_KEY(magnetic_field)},
    {"pressure", Form::plain, ROWS_KEY(pressure)},
    {"userAcceleration", Form::plain, ROWS_KEY(user_acceleration)},
    {"gravity", Form::plain, ROWS_KEY(gravity)},
    {"rotationRate", Form::plain, ROWS_KEY(rotation_rate)},
    {"b", Form::compact, read_boot},
    {"s", Form::compact, read_sequence},
    {"hz", Form::compact, NUMBER_KEY(rate_hz)},
    {"a", Form::compact, ROWS_KEY(acceleration)},
    {"g", Form::compact, ROWS_KEY(angular_velocity)},
    {"p", Form::compact, ROWS_KEY(pressure)},
};

static stridebus_json_result read_field(FrameReader &reader, std::string_view name, dom::element value) noexcept {
    uint32_t bit = 1;
    for (const Key &key : keys) {
        if (key.name == name) {
            if (reader.seen & bit) { return STRIDEBUS_JSON_CONTRADICTION; }
            reader.seen |= bit;
            reader.is_plain |= key.form == Form::plain;
            reader.is_compact |= key.form == Form::compact;
            return key.read(reader, value);
        }
        bit <<= 1;
    }
    return STRIDEBUS_JSON_OK;
}

// MARK: The number of samples

/// The rows of a sensor: arrays of three in the plain form, three numbers in a row in the compact one.
static stridebus_json_result count_rows(const FrameReader &reader, FrameSensor &sensor, size_t &rows) noexcept {
    rows = sensor.rows.size();
    if (reader.is_compact) {
        if (rows % 3 != 0) { return STRIDEBUS_JSON_UNEVEN_SENSORS; }
        rows /= 3;
    }
    return rows <= reader.maximum_samples ? STRIDEBUS_JSON_OK : STRIDEBUS_JSON_TOO_MANY_SAMPLES;
}

/// Takes a sensor into the frame: every sensor has as many rows as the others.
static stridebus_json_result join(const FrameReader &reader, FrameSensor &sensor) noexcept {
    if (!sensor.present) { return STRIDEBUS_JSON_OK; }
    size_t rows = 0;
    auto result = count_rows(reader, sensor, rows);
    if (result != STRIDEBUS_JSON_OK) { return result; }
    if (rows == 0) { return STRIDEBUS_JSON_NO_SAMPLES; }
    size_t &count = reader.head->sample_count;
    if (count != 0 && count != rows) { return STRIDEBUS_JSON_UNEVEN_SENSORS; }
    count = rows;
    return STRIDEBUS_JSON_OK;
}

/// Takes the magnetometer into the frame: it is the slow one, so it may have fewer rows, but not more.
static stridebus_json_result join_magnetic_field(const FrameReader &reader, FrameSensor &sensor) noexcept {
    if (!sensor.present || reader.head->sample_count == 0) { return join(reader, sensor); }
    size_t rows = 0;
    auto result = count_rows(reader, sensor, rows);
    if (result != STRIDEBUS_JSON_OK) { return result; }
    if (rows == 0) { sensor.present = false; }
    return rows <= reader.head->sample_count ? STRIDEBUS_JSON_OK : STRIDEBUS_JSON_UNEVEN_SENSORS;
}

/// `acc` and `gyro` say what `userAcceleration` + `gravity` and `rotationRate` say; where both are there, they win.
static void choose_sensors(FrameColumns &frame) noexcept {
    if (frame.acceleration.present) {
        frame.user_acceleration.present = false;
        frame.gravity.present = false;
    }
    if (!frame.user_acceleration.present) { frame.gravity.present = false; }
    if (frame.angular_velocity.present) { frame.rotation_rate.present = false; }
}

/// Takes the barometer into the frame: its few values are spread over the frame. Alone, they are its samples.
static stridebus_json_result join_pressure(const FrameReader &reader, FrameSensor &sensor) noexcept {
    if (!sensor.present) { return STRIDEBUS_JSON_OK; }
    size_t count = sensor.rows.size();
    if (count > reader.maximum_samples) { return STRIDEBUS_JSON_TOO_MANY_SAMPLES; }
    reader.head->pressure_count = count;
    if (reader.head->sample_count == 0) { reader.head->sample_count = count; }
    return STRIDEBUS_JSON_OK;
}

static stridebus_json_result join_sensors(FrameReader &reader) noexcept {
    FrameColumns &frame = reader.parser->frame;
    choose_sensors(frame);
    FrameSensor *sensors[] = {
        &frame.acceleration, &frame.user_acceleration, &frame.gravity, &frame.angular_velocity, &frame.rotation_rate,
    };
    for (FrameSensor *sensor : sensors) {
        auto result = join(reader, *sensor);
        if (result != STRIDEBUS_JSON_OK) { return result; }
    }
    auto result = join_magnetic_field(reader, frame.magnetic_field);
    if (result == STRIDEBUS_JSON_OK) { result = join_pressure(reader, frame.pressure); }
    if (result != STRIDEBUS_JSON_OK) { return result; }
    reader.head->has_acceleration = frame.acceleration.present || frame.user_acceleration.present;
    reader.head->gravity_removed = frame.user_acceleration.present && !frame.gravity.present;
    reader.head->has_angular_velocity = frame.angular_velocity.present || frame.rotation_rate.present;
    reader.head->has_magnetic_field = frame.magnetic_field.present;
    return reader.head->sample_count == 0 ? STRIDEBUS_JSON_NO_SAMPLES : STRIDEBUS_JSON_OK;
}

extern "C" stridebus_json_result stridebus_json_frame_parse(
    stridebus_json_parser *parser, const void *bytes, size_t length, size_t maximum_samples,
    stridebus_json_frame *head) {
    *head = stridebus_json_frame();
    FrameReader reader{parser, head, maximum_samples};
    dom::element root;
    auto result = parser->parse(bytes, length, root);
    if (result != STRIDEBUS_JSON_OK) { return result; }
    dom::object object;
    if (root.get(object)) { return STRIDEBUS_JSON_WRONG_TYPE; }
    for (dom::key_value_pair field : object) {
        result = read_field(reader, field.key, field.value);
        if (result != STRIDEBUS_JSON_OK) { return result; }
    }
    if (reader.is_plain && reader.is_compact) { return STRIDEBUS_JSON_CONTRADICTION; }
    head->is_compact = parser->frame.is_compact = reader.is_compact;
    result = join_sensors(reader);
    parser->frame.sample_count = result == STRIDEBUS_JSON_OK ? head->sample_count : 0;
    return result;
}

// MARK: The samples

/// Where the rows of one sensor go, and what a written number is worth in SI units.
struct Column {
    float *first;
    size_t stride;
    size_t rows;
    double unit;
    bool adds;
};

static inline stridebus_json_result store(dom::element value, const Column &column, float *place) noexcept {
    double number = 0;
    if (value.is_null()) {
        // A sample that is missing; the others of the frame count.
        *place = NAN;
        return STRIDEBUS_JSON_OK;
    }
    if (value.get_double().get(number)) { return STRIDEBUS_JSON_WRONG_TYPE; }
    double scaled = number * column.unit;
    // What is too large for a float is too large for any sensor.
    auto single = std::fabs(scaled) <= FLT_MAX ? static_cast<float>(scaled) : INFINITY;
    *place = column.adds ? *place + single : single;
    return STRIDEBUS_JSON_OK;
}

static stridebus_json_result store_flat(dom::array numbers, const Column &column) noexcept {
    size_t row = 0, axis = 0;
    for (dom::element value : numbers) {
        if (row == column.rows) { return STRIDEBUS_JSON_MALFORMED; }
        auto result = store(value, column, column.first + row * column.stride + axis);
        if (result != STRIDEBUS_JSON_OK) { return result; }
        if (++axis == 3) { axis = 0, row++; }
    }
    return STRIDEBUS_JSON_OK;
}

static stridebus_json_result store_rows(dom::array rows, const Column &column) noexcept {
    size_t row = 0;
    for (dom::element element : rows) {
        if (row == column.rows) { return STRIDEBUS_JSON_MALFORMED; }
        float *place = column.first + row++ * column.stride;
        if (element.is_null()) {
            for (size_t axis = 0; axis < 3; axis++) { place[axis] = NAN; }
            continue;
        }
        dom::array axes;
        if (element.get(axes)) { return STRIDEBUS_JSON_WRONG_TYPE; }
        if (axes.size() != 3) { return STRIDEBUS_JSON_WRONG_TYPE; }
        for (dom::element value : axes) {
            auto result = store(value, column, place++);
            if (result != STRIDEBUS_JSON_OK) { return result; }
        }
    }
    return STRIDEBUS_JSON_OK;
}

/// Spreads `written` leading rows over all rows of a column, in place, from the back.
static void spread(const Column &column, size_t written) noexcept {
    for (size_t row = column.rows; row-- > 0;) {
        const float *source = column.first + (row * written / column.rows) * column.stride;
        float *target = column.first + row * column.stride;
        for (size_t axis = 0; axis < 3; axis++) { target[axis] = source[axis]; }
    }
}

static stridebus_json_result store_intervals(dom::array intervals, uint32_t *places, size_t count) noexcept {
    size_t index = 0;
    for (dom::element value : intervals) {
        double milliseconds = 0;
        if (value.get_double().get(milliseconds)) { return STRIDEBUS_JSON_WRONG_TYPE; }
        double microseconds = std::round(milliseconds * 1000);
        if (!(microseconds >= 0 && microseconds <= 4294967295.0)) { return STRIDEBUS_JSON_OUT_OF_RANGE; }
        if (index == count) { return STRIDEBUS_JSON_MALFORMED; }
        places[index++] = static_cast<uint32_t>(microseconds);
    }
    return STRIDEBUS_JSON_OK;
}

/// Pascals are the compact form's unit: a whole one is 8 cm.
static stridebus_json_result store_pressures(FrameColumns &frame, float *places, size_t count) noexcept {
    double unit = frame.is_compact ? 0.01 : 1;
    size_t index = 0;
    for (dom::element value : frame.pressure.rows) {
        if (index == count) { return STRIDEBUS_JSON_MALFORMED; }
        auto result = store(value, {places, 1, count, unit, false}, places + index++);
        if (result != STRIDEBUS_JSON_OK) { return result; }
    }
    return STRIDEBUS_JSON_OK;
}

/// Milli-g in m/s²: standard gravity is 9.80665 m/s² (CGPM 1901).
static constexpr double milli_g = 9.80665 / 1000;
static constexpr double milli = 1.0 / 1000;

static stridebus_json_result store_sensors(FrameColumns &frame, float *values, size_t stride) noexcept {
    float *first = values;
    auto fill = [&](FrameSensor &sensor, double unit, bool adds) noexcept {
        if (!sensor.present) { return STRIDEBUS_JSON_OK; }
        Column column{first, stride, frame.sample_count, unit, adds};
        return frame.is_compact ? store_flat(sensor.rows, column) : store_rows(sensor.rows, column);
    };
    auto result = fill(frame.acceleration, frame.is_compact ? milli_g : 1, false);
    if (result == STRIDEBUS_JSON_OK) { result = fill(frame.user_acceleration, 1, false); }
    if (result == STRIDEBUS_JSON_OK) { result = fill(frame.gravity, 1, true); }
    if (frame.acceleration.present || frame.user_acceleration.present) { first += 3; }
    if (result == STRIDEBUS_JSON_OK) { result = fill(frame.angular_velocity, frame.is_compact ? milli : 1, false); }
    if (result == STRIDEBUS_JSON_OK) { result = fill(frame.rotation_rate, 1, false); }
    if (frame.angular_velocity.present || frame.rotation_rate.present) { first += 3; }
    if (result == STRIDEBUS_JSON_OK) { result = fill(frame.magnetic_field, 1, false); }
    if (result == STRIDEBUS_JSON_OK && frame.magnetic_field.present) {
        spread({first, stride, frame.sample_count, 1, false}, frame.magnetic_field.rows.size());
    }
    return result;
}

extern "C" stridebus_json_result stridebus_json_frame_read(
    stridebus_json_parser *parser, float *values, size_t value_count, uint32_t *intervals, size_t interval_count,
    float *pressures, size_t pressure_count) {
    FrameColumns &frame = parser->frame;
    size_t stride = 0;
    if (frame.acceleration.present || frame.user_acceleration.present) { stride += 3; }
    if (frame.angular_velocity.present || frame.rotation_rate.present) { stride += 3; }
    if (frame.magnetic_field.present) { stride += 3; }
    if (frame.sample_count == 0 || value_count != frame.sample_count * stride) { return STRIDEBUS_JSON_MALFORMED; }
    auto result = store_sensors(frame, values, stride);
    if (result == STRIDEBUS_JSON_OK && frame.pressure.present) {
        result = store_pressures(frame, pressures, pressure_count);
    }
    if (result != STRIDEBUS_JSON_OK || !frame.intervals.present) { return result; }
    return store_intervals(frame.intervals.rows, intervals, interval_count);
}
