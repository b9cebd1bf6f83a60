// The bench's side of the bus, in C over libmosquitto so that it takes as little of the machine as anything can.
//
//   benchbus feed PORT FILE DEVICES FIRST LAST RATE [LOWEST]   publishes frames FIRST..<LAST of every device at QoS 1
//   benchbus configure PORT FILE DEVICES [LOWEST]      publishes every device's configuration, retained
//   benchbus noop PORT COUNT                          receives COUNT frames at QoS 1 and does nothing with them
//   benchbus totals PORT DEVICES STEPS REVOLUTIONS SECONDS   waits until history's totals are these
//   benchbus latency PORT FILE DEVICES FIRST LAST RATE       feeds, and times each cadence event from its frame
//   benchbus first PORT SECONDS                       says when the first crank message was answered with a cadence
//
// FILE is written by `benchframes`. Each prints one line of JSON; times are CLOCK_MONOTONIC in seconds, which all
// processes of a machine share. RATE is frames a second, 0 for as fast as the broker takes them. Devices are dev-LOWEST and
// those above it; LOWEST is 0 where it is not given.
#include <errno.h>
#include <mosquitto.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    // Publishes on the way to the broker without its PUBACK.
    window = 500,
    // Bytes of a topic or of a client's name.
    name_bytes = 128,
    // Bytes of a cadence or total that are looked at.
    payload_bytes = 512,
    // Seconds without any message from the broker after which a wait is given up.
    patience_seconds = 120,
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void fail(const char *what) {
    fprintf(stderr, "benchbus: %s\n", what);
    exit(1);
}

// The frames of a few devices; all others of the bench send the same ones under their own names.
struct frames {
    uint32_t bases, count, microseconds;
    int64_t start;
    char **configurations;
    // frames[number * bases + base], and its length
    unsigned char **bytes;
    uint32_t *lengths;
};

static uint32_t read_number(FILE *file) {
    uint32_t number;
    if (fread(&number, sizeof number, 1, file) != 1) fail("the file of frames is too short");
    return number;
}

static unsigned char *read_block(FILE *file, uint32_t *length) {
    *length = read_number(file);
    unsigned char *block = malloc(*length + 1);
    if (!block || fread(block, 1, *length, file) != *length) fail("the file of frames is too short");
    block[*length] = 0;
    return block;
}

static struct frames read_frames(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) fail("there is no file of frames");
    struct frames frames = {.bases = read_number(file), .count = read_number(file), .microseconds = read_number(file)};
    if (fread(&frames.start, sizeof frames.start, 1, file) != 1) fail("the file of frames is too short");
    size_t total = (size_t)frames.bases * frames.count;
    frames.configurations = calloc(frames.bases, sizeof *frames.configurations);
    frames.bytes = calloc(total, sizeof *frames.bytes);
    frames.lengths = calloc(total, sizeof *frames.lengths);
    if (!frames.configurations || !frames.bytes || !frames.lengths) fail("out of memory");
    uint32_t length;
    for (uint32_t base = 0; base < frames.bases; base++) frames.configurations[base] = (char *)read_block(file, &length);
    for (size_t index = 0; index < total; index++) frames.bytes[index] = read_block(file, &frames.lengths[index]);
    fclose(file);
    return frames;
}

static long acknowledged;

static void on_publish(struct mosquitto *client, void *context, int identifier) {
    (void)client, (void)context, (void)identifier;
    acknowledged++;
}

static bool subscribed;

static void on_subscribe(struct mosquitto *client, void *context, int identifier, int count, const int *granted) {
    (void)client, (void)context, (void)identifier, (void)count, (void)granted;
    subscribed = true;
}

static void turn(struct mosquitto *client, int milliseconds) {
    int result = mosquitto_loop(client, milliseconds, 1);
    if (result != MOSQ_ERR_SUCCESS) fail(mosquitto_strerror(result));
}

static struct mosquitto *connected(const char *port, const char *filter, int qos,
                                   void (*on_message)(struct mosquitto *, void *, const struct mosquitto_message *)) {
    struct mosquitto *client = mosquitto_new(NULL, true, NULL);
    if (!client) fail("out of memory");
    mosquitto_max_inflight_messages_set(client, 0);
    mosquitto_publish_callback_set(client, on_publish);
    mosquitto_subscribe_callback_set(client, on_subscribe);
    if (on_message) mosquitto_message_callback_set(client, on_message);
    if (mosquitto_connect(client, "127.0.0.1", atoi(port), 60) != MOSQ_ERR_SUCCESS) fail("no broker there");
    if (filter) {
        if (mosquitto_subscribe(client, NULL, filter, qos) != MOSQ_ERR_SUCCESS) fail("cannot subscribe");
        while (!subscribed) turn(client, 10);
    }
    return client;
}

static void publish(struct mosquitto *client, const char *topic, const void *bytes, uint32_t length, bool retained) {
    int result = mosquitto_publish(client, NULL, topic, (int)length, bytes, 1, retained);
    if (result != MOSQ_ERR_SUCCESS) fail(mosquitto_strerror(result));
}

// MARK: feed and latency

// When each frame was published: [number * devices + device]; NULL where nobody asks.
static _Atomic double *sent_at;
static struct frames fed;
static long device_count, first_frame, lowest_device;
static double *latencies;
static size_t latency_count, latency_capacity;

// The value of a field of a flat JSON object, or `missing`.
static double field(const char *payload, const char *name, double missing) {
    const char *found = strstr(payload, name);
    return found ? strtod(found + strlen(name), NULL) : missing;
}

static long device_of(const char *topic) {
    const char *name = strstr(topic, "dev-");
    return name ? strtol(name + 4, NULL, 10) : -1;
}

static void on_cadence(struct mosquitto *client, void *context, const struct mosquitto_message *message) {
    (void)client, (void)context;
    double arrived = now();
    char payload[payload_bytes];
    int length = message->payloadlen < payload_bytes ? message->payloadlen : payload_bytes - 1;
    memcpy(payload, message->payload, (size_t)length);
    payload[length] = 0;
    long device = device_of(message->topic);
    double t = field(payload, "\"t\":", -1);
    if (device < 0 || device >= device_count || t < 0) return;
    // An event of a second is made of the frame that holds the last sample of that second.
    double microseconds = t * 1e6 - (double)fed.start - 1000;
    long number = (long)(microseconds / fed.microseconds);
    if (microseconds < 0 || number < first_frame || number >= (long)fed.count) return;
    double sent = sent_at[(size_t)number * (size_t)device_count + (size_t)device];
    if (sent > 0 && latency_count < latency_capacity) latencies[latency_count++] = arrived - sent;
}

static int ascending(const void *left, const void *right) {
    double difference = *(const double *)left - *(const double *)right;
    return difference < 0 ? -1 : difference > 0;
}

static double quantile(double share) {
    if (latency_count == 0) return -1;
    size_t index = (size_t)((double)latency_count * share);
    return latencies[index < latency_count ? index : latency_count - 1] * 1e3;
}

struct outcome {
    long published;
    double begin, end;
};

static struct outcome feed(struct mosquitto *client, long last, double rate) {
    char topic[name_bytes];
    double begin = now();
    long published = 0;
    for (long number = first_frame; number < last; number++) {
        for (long device = 0; device < device_count; device++) {
            while (rate > 0 && now() < begin + (double)published / rate) turn(client, 1);
            while (published - acknowledged >= window) turn(client, 5);
            size_t index = (size_t)number * fed.bases + (size_t)device % fed.bases;
            snprintf(topic, sizeof topic, "stride/dev-%ld/imu", lowest_device + device);
            if (sent_at) atomic_store(&sent_at[(size_t)number * (size_t)device_count + (size_t)device], now());
            publish(client, topic, fed.bytes[index], fed.lengths[index], false);
            if (++published % 64 == 0) turn(client, 0);
        }
    }
    while (acknowledged < published) turn(client, 5);
    return (struct outcome){published, begin, now()};
}

static void report(struct outcome outcome) {
    qsort(latencies, latency_count, sizeof *latencies, ascending);
    printf("{\"published\":%ld,\"start\":%.6f,\"end\":%.6f,\"events\":%zu,\"p50_ms\":%.3f,\"p99_ms\":%.3f,"
           "\"p999_ms\":%.3f,\"least_ms\":%.3f}\n",
           outcome.published, outcome.begin, outcome.end, latency_count, quantile(0.5), quantile(0.99), quantile(0.999), quantile(0));
}

static void configure(struct mosquitto *client) {
    char topic[name_bytes];
    for (long device = 0; device < device_count; device++) {
        const char *text = fed.configurations[(size_t)device % fed.bases];
        snprintf(topic, sizeof topic, "stride/dev-%ld/config", lowest_device + device);
        publish(client, topic, text, (uint32_t)strlen(text), true);
        while (device + 1 - acknowledged >= window) turn(client, 5);
        if (device % 64 == 0) turn(client, 0);
    }
    while (acknowledged < device_count) turn(client, 5);
    printf("{\"configured\":%ld}\n", device_count);
}

// MARK: noop and totals

static long received;
static double last_message;

static void on_any(struct mosquitto *client, void *context, const struct mosquitto_message *message) {
    (void)client, (void)context, (void)message;
    received++;
    last_message = now();
}

static double *device_steps, *device_revolutions, steps_sum, revolutions_sum;

static void on_total(struct mosquitto *client, void *context, const struct mosquitto_message *message) {
    (void)client, (void)context;
    char payload[payload_bytes];
    int length = message->payloadlen < payload_bytes ? message->payloadlen : payload_bytes - 1;
    memcpy(payload, message->payload, (size_t)length);
    payload[length] = 0;
    long device = device_of(message->topic);
    if (device < 0 || device >= device_count) return;
    double steps = field(payload, "\"steps\":", 0), revolutions = field(payload, "\"revolutions\":", 0);
    steps_sum += steps - device_steps[device];
    revolutions_sum += revolutions - device_revolutions[device];
    device_steps[device] = steps;
    device_revolutions[device] = revolutions;
    last_message = now();
}

static void totals(const char *port, double steps, double revolutions, double seconds) {
    device_steps = calloc((size_t)device_count, sizeof *device_steps);
    device_revolutions = calloc((size_t)device_count, sizeof *device_revolutions);
    if (!device_steps || !device_revolutions) fail("out of memory");
    struct mosquitto *client = connected(port, "stride/+/total", 0, on_total);
    fputs("ready\n", stderr);
    double deadline = now() + seconds;
    while ((steps_sum != steps || revolutions_sum != revolutions) && now() < deadline) turn(client, 5);
    printf("{\"end\":%.6f,\"steps\":%.0f,\"revolutions\":%.0f}\n", last_message, steps_sum, revolutions_sum);
}

// MARK: first

static double answered;

static void on_answer(struct mosquitto *client, void *context, const struct mosquitto_message *message) {
    (void)client, (void)context, (void)message;
    if (answered == 0) answered = now();
}

// Crank messages of a device of its own, until the counter says a cadence.
static void first(const char *port, double seconds) {
    double deadline = now() + seconds;
    struct mosquitto *client = mosquitto_new(NULL, true, NULL);
    if (!client) fail("out of memory");
    mosquitto_message_callback_set(client, on_answer);
    while (mosquitto_connect(client, "127.0.0.1", atoi(port), 60) != MOSQ_ERR_SUCCESS) {
        if (now() > deadline) fail("no broker there");
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    mosquitto_subscribe(client, NULL, "stride/first/cadence", 0);
    double next = 0;
    long count = 0;
    struct timespec wall;
    while (answered == 0 && now() < deadline) {
        if (now() >= next) {
            char payload[payload_bytes];
            clock_gettime(CLOCK_REALTIME, &wall);
            // A turn a second, so that any two messages tell a cadence of 60 rpm.
            double t = (double)wall.tv_sec + (double)wall.tv_nsec / 1e9 - 3600 + (double)count;
            int length = snprintf(payload, sizeof payload, "{\"boot\":\"bench\",\"seq\":%ld,\"t\":%.3f,\"revolutions\":%ld}",
                                  count, t, count);
            publish(client, "stride/first/rev", payload, (uint32_t)length, false);
            count++;
            next = now() + 0.005;
        }
        if (mosquitto_loop(client, 2, 1) != MOSQ_ERR_SUCCESS) mosquitto_reconnect(client);
    }
    printf("{\"end\":%.6f,\"messages\":%ld}\n", answered, count);
}

int main(int count, char **words) {
    mosquitto_lib_init();
    const char *mode = count > 2 ? words[1] : "";
    if (!strcmp(mode, "noop") && count == 4) {
        struct mosquitto *client = connected(words[2], "stride/+/imu", 1, on_any);
        long wanted = atol(words[3]);
        fputs("ready\n", stderr);
        last_message = now();
        while (received < wanted && now() < last_message + patience_seconds) turn(client, 100);
        printf("{\"end\":%.6f,\"received\":%ld}\n", last_message, received);
    } else if (!strcmp(mode, "totals") && count == 7) {
        device_count = atol(words[3]);
        totals(words[2], atof(words[4]), atof(words[5]), atof(words[6]));
    } else if (!strcmp(mode, "first") && count == 4) {
        first(words[2], atof(words[3]));
    } else if (!strcmp(mode, "configure") && (count == 5 || count == 6)) {
        fed = read_frames(words[3]);
        device_count = atol(words[4]);
        lowest_device = count == 6 ? atol(words[5]) : 0;
        configure(connected(words[2], NULL, 0, NULL));
    } else if ((!strcmp(mode, "latency") && count == 8) || (!strcmp(mode, "feed") && (count == 8 || count == 9))) {
        fed = read_frames(words[3]);
        device_count = atol(words[4]);
        lowest_device = count == 9 ? atol(words[8]) : 0;
        first_frame = atol(words[5]);
        long last = atol(words[6]);
        if (first_frame < 0 || last > (long)fed.count || device_count < 1) fail("there are not so many frames");
        bool times = !strcmp(mode, "latency");
        if (times) {
            latency_capacity = (size_t)fed.count * (size_t)device_count;
            sent_at = calloc(latency_capacity, sizeof *sent_at);
            latencies = calloc(latency_capacity, sizeof *latencies);
            if (!sent_at || !latencies) fail("out of memory");
        }
        // Events are received by a connection and a thread of their own, so that feeding does not delay them.
        struct mosquitto *listener = times ? connected(words[2], "stride/+/cadence", 0, on_cadence) : NULL;
        if (listener && mosquitto_loop_start(listener) != MOSQ_ERR_SUCCESS) fail("cannot listen");
        struct outcome outcome = feed(connected(words[2], NULL, 0, NULL), last, atof(words[7]));
        if (listener) {
            // What the last frames cause is waited for.
            sleep(2);
            mosquitto_disconnect(listener);
            mosquitto_loop_stop(listener, false);
        }
        report(outcome);
    } else {
        fail("see the head of Sources/BenchBus/main.c");
    }
    return 0;
}
