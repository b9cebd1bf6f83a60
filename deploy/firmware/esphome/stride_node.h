// The frames of the ESPHome example: what its lambdas call.

#pragma once

#include "stride_frames.h"

// Also in bike-mpu6050.yaml: its device_name and its update_interval.
static const char *const strideTopic = "stride/bike-07/imu";
static const uint32_t strideRateHz = 50;
/// Frames of the last seconds before a connection broke may not have arrived: 15 s of keep-alive at up to 5 frames a second.
static const uint32_t strideFramesSentAgain = 75;

/// 128 frames of 264 bytes: half a minute or more without a network.
static stride::FrameRing<128> strideFrames(strideTopic, strideRateHz, stride::Form::json,
                                           stride::Sensors::acceleration);

/// Takes one reading in m/s², as ESPHome's mpu6050 gives it.
inline void strideSample(float x, float y, float z, uint64_t uptimeMilliseconds) {
  const float milliG = 1000.0f / 9.80665f;
  const stride::Sample sample = {{static_cast<int16_t>(x * milliG), static_cast<int16_t>(y * milliG),
                                  static_cast<int16_t>(z * milliG)},
                                 {0, 0, 0}};
  strideFrames.add(sample, uptimeMilliseconds);
}
