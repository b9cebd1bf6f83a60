// Runs the Arduino sketch, whose folder is included. Usage: sketch LOST_FROM_MS BACK_AT_MS END_MS [refused]
// With `refused` the broker says no meanwhile.
#include "Arduino.h"

#include "stridebus-mpu6050.ino"

int main(int count, char **arguments) {
  if (count < 4) return 2;
  host().isRefused = count > 4;
  host().lostFromMilliseconds = strtoull(arguments[1], nullptr, 10);
  host().backAtMilliseconds = strtoull(arguments[2], nullptr, 10);
  host().endMilliseconds = strtoull(arguments[3], nullptr, 10);
  setup();
  createdTask()(nullptr);
}
