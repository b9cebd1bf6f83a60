// Motion samples gathered into numbered frames for stridebus, each in one MQTT packet of at most 256 bytes.
//
// Plain C++11: no Arduino, no allocation, no printf. It is the same on a microcontroller and on a computer.
// Frames wait in a ring until they are sent, oldest first. When the ring is full the oldest is dropped; its number is
// then missing, and stridebus tells so on {device}/health.

#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

namespace stride {

/// The largest MQTT packet that PubSubClient sends unless its buffer is enlarged.
const size_t packetBytes = 256;
/// What PubSubClient keeps free for the fixed header, and the length of the topic.
const size_t packetHeadBytes = 5 + 2;
/// The most samples of a frame: half a second at 50 Hz.
const size_t maximumSamples = 25;

/// One reading of the sensor.
struct Sample {
  /// Acceleration with gravity: x, y, z in thousandths of 9.80665 m/s².
  int16_t acceleration[3];
  /// Angular velocity: x, y, z in thousandths of rad/s.
  int16_t rotation[3];
};

/// How a frame is written.
enum class Form {
  /// Compact JSON: readable with any MQTT client, ten to fifteen samples of acceleration a packet.
  json,
  /// Protobuf as in schemas/stridebus.proto: half the bytes.
  protobuf
};

/// Which numbers of a sample are sent.
enum class Sensors { acceleration, accelerationAndRotation };

/// A frame that is ready to be published.
struct Frame {
  uint32_t sequence;
  size_t length;
  uint8_t payload[packetBytes];
};

/// Writes numbers and text into a frame's payload.
class PayloadWriter {
 public:
  explicit PayloadWriter(uint8_t *bytes) : bytes_(bytes), length_(0) {}

  size_t length() const { return length_; }

  void byte(uint8_t value) { bytes_[length_++] = value; }

  void text(const char *characters) {
    while (*characters) byte(static_cast<uint8_t>(*characters++));
  }

  void decimal(uint64_t value) {
    uint8_t digits[20];
    size_t count = 0;
    do {
      digits[count++] = static_cast<uint8_t>('0' + value % 10);
      value /= 10;
    } while (value > 0);
    while (count > 0) byte(digits[--count]);
  }

  void signedDecimal(int32_t value) {
    if (value < 0) byte('-');
    decimal(static_cast<uint64_t>(value < 0 ? -static_cast<int64_t>(value) : value));
  }

  void varint(uint64_t value) {
    while (value >= 0x80) {
      byte(static_cast<uint8_t>(value | 0x80));
      value >>= 7;
    }
    byte(static_cast<uint8_t>(value));
  }

  void littleEndian(uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8) byte(static_cast<uint8_t>(value >> shift));
  }

  /// Protobuf's sint32: small magnitudes take few bytes, whatever their sign.
  static uint32_t zigzag(int16_t value) {
    return (static_cast<uint32_t>(value) << 1) ^ (value < 0 ? 0xFFFFFFFFu : 0u);
  }

 private:
  uint8_t *bytes_;
  size_t length_;
};

/// Gathers samples into frames and keeps the newest `slots` frames, of which those not sent yet are a part.
template <size_t slots>
class FrameRing {
 public:
  /// - topic: where the frames are published; its length is taken off each packet.
  /// - rateHz: samples a second, 1 to 1000.
  FrameRing(const char *topic, uint32_t rateHz, Form form, Sensors sensors)
      : limit_(packetBytes - packetHeadBytes - strlen(topic)), rateHz_(rateHz), form_(form), sensors_(sensors) {}

  /// Begins numbering: `boot` is another number at every start of the device.
  void begin(uint32_t boot) {
    boot_ = boot;
    closed_ = next_ = dropped_ = 0;
    count_ = 0;
  }

  /// Takes a sample that was read at `uptimeMilliseconds` since the device started.
  ///
  /// Samples of a frame are evenly spaced: where sampling was held up, a new frame begins.
  void add(const Sample &sample, uint64_t uptimeMilliseconds) {
    if (count_ > 0) {
      const uint64_t expected = first_ + count_ * 1000 / rateHz_;
      const uint64_t tolerance = 2000 / rateHz_ + 1;
      const bool isLate = uptimeMilliseconds > expected + tolerance;
      const bool isEarly = uptimeMilliseconds + tolerance < expected;
      if (isLate || isEarly || count_ == maximumSamples || size_ + bytesOf(sample) > limit_) close();
    }
    if (count_ == 0) {
      first_ = uptimeMilliseconds;
      uint8_t empty[packetBytes];
      size_ = encode(empty) + 2;  // The lengths of two packed fields take up to two bytes each, here one.
    }
    samples_[count_++] = sample;
    size_ += bytesOf(sample);
  }

  /// Copies the oldest frame that was not sent; false where there is none.
  bool next(Frame &frame) const {
    if (next_ == closed_) return false;
    frame = frames_[next_ % slots];
    return true;
  }

  /// Says that the frame of `next` was handed over.
  void sent(const Frame &frame) {
    if (frame.sequence == next_) next_++;
  }

  /// Says that a connection is new: the last `frames` frames of the old one may have been lost on the way and are sent
  /// again. stridebus knows each by its number and counts it once.
  void sendAgain(uint32_t frames) {
    const uint32_t kept = next_ - oldest();
    next_ -= frames < kept ? frames : kept;
  }

  /// Frames that were dropped because the ring was full.
  uint32_t dropped() const { return dropped_; }

 private:
  uint32_t oldest() const { return closed_ > slots ? closed_ - static_cast<uint32_t>(slots) : 0; }

  void close() {
    Frame &frame = frames_[closed_ % slots];
    frame.sequence = closed_;
    frame.length = encode(frame.payload);
    closed_++;
    count_ = 0;
    if (next_ < oldest()) {
      next_ = oldest();
      dropped_++;
    }
  }

  size_t bytesOf(const Sample &sample) const {
    size_t bytes = bytesOf(sample.acceleration);
    if (sensors_ == Sensors::accelerationAndRotation) bytes += bytesOf(sample.rotation);
    return bytes;
  }

  size_t bytesOf(const int16_t (&axes)[3]) const {
    uint8_t scratch[32];
    PayloadWriter writer(scratch);
    write(axes, writer);
    return writer.length();
  }

  /// Three numbers; in JSON with a comma after each.
  void write(const int16_t (&axes)[3], PayloadWriter &writer) const {
    for (int16_t value : axes) {
      if (form_ == Form::protobuf) {
        writer.varint(PayloadWriter::zigzag(value));
      } else {
        writer.signedDecimal(value);
        writer.byte(',');
      }
    }
  }

  size_t encode(uint8_t *payload) const {
    PayloadWriter writer(payload);
    if (form_ == Form::protobuf) {
      encodeProtobuf(writer);
    } else {
      encodeJSON(writer);
    }
    return writer.length();
  }

  void encodeJSON(PayloadWriter &writer) const {
    writer.text("{\"b\":");
    writer.decimal(boot_);
    writer.text(",\"s\":");
    writer.decimal(closed_);
    writer.text(",\"t\":");
    writer.decimal(first_);
    writer.text(",\"hz\":");
    writer.decimal(rateHz_);
    writer.text(",\"a\":[");
    writeList(&Sample::acceleration, writer);
    if (sensors_ == Sensors::accelerationAndRotation) {
      writer.text("],\"g\":[");
      writeList(&Sample::rotation, writer);
    }
    writer.text("]}");
  }

  void writeList(int16_t (Sample::*axes)[3], PayloadWriter &writer) const {
    for (size_t index = 0; index < count_; index++) {
      for (int axis = 0; axis < 3; axis++) {
        if (index + axis > 0) writer.byte(',');
        writer.signedDecimal((samples_[index].*axes)[axis]);
      }
    }
  }

  /// Fields by their numbers in schemas/stridebus.proto: (number << 3) | type.
  void encodeProtobuf(PayloadWriter &writer) const {
    writer.byte(0x0D);
    writer.littleEndian(0x31464253);  // magic
    writer.byte(0x10);
    writer.varint(boot_);
    writer.byte(0x18);
    writer.varint(closed_);  // seq
    writer.byte(0x28);
    writer.varint(first_ * 1000);  // uptime_us
    writer.byte(0x30);
    writer.varint(1000000000u / rateHz_);  // period_ns
    writer.byte(0x45);
    writer.littleEndian(0x3C20AC12);  // acc_scale: the float 0.00980665
    writer.byte(0x4A);
    writePacked(&Sample::acceleration, writer);
    if (sensors_ == Sensors::accelerationAndRotation) {
      writer.byte(0x5A);  // gyro, whose scale is 0.001 where none is given
      writePacked(&Sample::rotation, writer);
    }
  }

  void writePacked(int16_t (Sample::*axes)[3], PayloadWriter &writer) const {
    size_t bytes = 0;
    for (size_t index = 0; index < count_; index++) bytes += bytesOf(samples_[index].*axes);
    writer.varint(bytes);
    for (size_t index = 0; index < count_; index++) write(samples_[index].*axes, writer);
  }

  const size_t limit_;
  const uint32_t rateHz_;
  const Form form_;
  const Sensors sensors_;
  uint32_t boot_ = 0;
  /// The number of the frame that is being filled: so many were closed before it.
  uint32_t closed_ = 0;
  /// The number of the oldest frame that was not sent.
  uint32_t next_ = 0;
  uint32_t dropped_ = 0;
  uint64_t first_ = 0;
  size_t count_ = 0;
  size_t size_ = 0;
  Sample samples_[maximumSamples];
  Frame frames_[slots];
};

}  // namespace stride
