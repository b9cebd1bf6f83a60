// Reads samples (ax ay az gx gy gz uptime_ms, a line each) and prints the frames that FrameRing makes of them, in hex.
// Usage: encode json|protobuf a|ag TOPIC BOOT RATE_HZ
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../../../../deploy/firmware/arduino/stridebus-mpu6050/stride_frames.h"
#include "../../../../deploy/firmware/esphome/stride_node.h"

int main(int count, char **arguments) {
  if (count != 6) return 2;
  const bool isJSON = strcmp(arguments[1], "json") == 0;
  const bool hasRotation = strcmp(arguments[2], "ag") == 0;
  stride::FrameRing<4> ring(
      arguments[3], static_cast<uint32_t>(atol(arguments[5])), isJSON ? stride::Form::json : stride::Form::protobuf,
      hasRotation ? stride::Sensors::accelerationAndRotation : stride::Sensors::acceleration);
  ring.begin(static_cast<uint32_t>(strtoul(arguments[4], nullptr, 10)));
  long numbers[7];
  while (scanf("%ld %ld %ld %ld %ld %ld %ld", &numbers[0], &numbers[1], &numbers[2], &numbers[3], &numbers[4],
               &numbers[5], &numbers[6]) == 7) {
    stride::Sample sample;
    for (int axis = 0; axis < 3; axis++) {
      sample.acceleration[axis] = static_cast<int16_t>(numbers[axis]);
      sample.rotation[axis] = static_cast<int16_t>(numbers[3 + axis]);
    }
    ring.add(sample, static_cast<uint64_t>(numbers[6]));
    stride::Frame frame;
    while (ring.next(frame)) {
      for (size_t index = 0; index < frame.length; index++) printf("%02x", frame.payload[index]);
      printf("\n");
      ring.sent(frame);
    }
  }
  return 0;
}
