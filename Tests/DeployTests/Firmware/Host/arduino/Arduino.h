// What the sketch uses of an ESP32, under a clock of its own: time passes only where the sampling task waits.
//
// The broker is there but from `lostFromMilliseconds` to `backAtMilliseconds`. In the first four seconds of that the
// connection looks alive, and what is published is lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern void loop();

struct Host {
  uint64_t nowMilliseconds = 0;
  uint64_t lostFromMilliseconds = 0;
  uint64_t backAtMilliseconds = 0;
  uint64_t endMilliseconds = 0;
  int32_t samples = 0;
  /// True if the broker says no meanwhile, as after a rotated password.
  bool isRefused = false;

  bool isBrokerLost() const {
    return nowMilliseconds >= lostFromMilliseconds && nowMilliseconds < backAtMilliseconds;
  }
  bool isLossNoticed() const { return isBrokerLost() && nowMilliseconds >= lostFromMilliseconds + 4000; }
};
inline Host &host() {
  static Host shared;
  return shared;
}

typedef uint32_t TickType_t;
typedef void *SemaphoreHandle_t;
const TickType_t portMAX_DELAY = 0xFFFFFFFF;
inline TickType_t pdMS_TO_TICKS(uint32_t milliseconds) { return milliseconds; }
inline TickType_t xTaskGetTickCount() { return static_cast<TickType_t>(host().nowMilliseconds); }
inline void vTaskDelayUntil(TickType_t *wake, TickType_t ticks) {
  *wake += ticks;
  host().nowMilliseconds = *wake;
  if (host().nowMilliseconds >= host().endMilliseconds) exit(0);
  loop();
}
inline SemaphoreHandle_t xSemaphoreCreateMutex() { return nullptr; }
inline void xSemaphoreTake(SemaphoreHandle_t, TickType_t) {}
inline void xSemaphoreGive(SemaphoreHandle_t) {}
typedef void (*TaskFunction)(void *);
inline TaskFunction &createdTask() {
  static TaskFunction task = nullptr;
  return task;
}
inline int xTaskCreatePinnedToCore(TaskFunction task, const char *, uint32_t, void *, int, void *, int) {
  createdTask() = task;
  return 1;
}
inline int64_t esp_timer_get_time() { return static_cast<int64_t>(host().nowMilliseconds) * 1000; }
inline uint32_t millis() { return static_cast<uint32_t>(host().nowMilliseconds); }
inline void delay(uint32_t) {}
inline uint32_t esp_random() { return 3141592653u; }

struct SerialPort {
  void begin(unsigned long) {}
  template <typename... Values>
  void printf(const char *format, Values... values) {
    fprintf(stderr, format, values...);
  }
};
static SerialPort Serial;
