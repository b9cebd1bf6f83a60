#pragma once
#include "Arduino.h"

const int WIFI_STA = 1;
const int WL_CONNECTED = 3;
struct WiFiStation {
  void mode(int) {}
  void setAutoReconnect(bool) {}
  void begin(const char *, const char *) {}
  int status() { return WL_CONNECTED; }
};
static WiFiStation WiFi;
struct WiFiClient {};
