// An MPU6050 that lies on a table; x counts the readings, in thousandths of g from -4000 to 3999.
#pragma once
#include "Arduino.h"

struct SensorBus {
  uint8_t bytes[14];
  int at = 0;
  uint8_t selected = 0;
  bool isRegister = true;

  void begin() {}
  void setClock(uint32_t) {}
  void beginTransmission(uint8_t) { isRegister = true; }
  void write(uint8_t value) {
    if (isRegister) selected = value;
    isRegister = false;
  }
  int endTransmission(bool = true) { return 0; }
  uint8_t requestFrom(uint8_t, uint8_t count) {
    if (selected != 0x3B || count != 14) return 0;
    const int32_t milliG = host().samples++ % 8000 - 4000;
    // Away from 0, as the sketch divides towards it.
    const int32_t raw = (milliG * 8192 + (milliG < 0 ? -999 : 999)) / 1000;
    const int16_t words[7] = {static_cast<int16_t>(raw), 0, 8192, 0, 0, 0, 0};
    for (int index = 0; index < 7; index++) {
      bytes[2 * index] = static_cast<uint8_t>(static_cast<uint16_t>(words[index]) >> 8);
      bytes[2 * index + 1] = static_cast<uint8_t>(words[index]);
    }
    at = 0;
    return count;
  }
  uint8_t read() { return bytes[at++]; }
};
static SensorBus Wire;
