#pragma once
#include "Arduino.h"

#include <cstring>

struct IPAddress {
  char text[64] = "";
};

const int WIFI_STA = 1;
const int WL_CONNECTED = 3;
struct WiFiStation {
  void mode(int) {}
  void setAutoReconnect(bool) {}
  void begin(const char *, const char *) {}
  int status() { return WL_CONNECTED; }
  int hostByName(const char *host, IPAddress &address) {
    strncpy(address.text, host, sizeof address.text - 1);
    return 1;
  }
};
static WiFiStation WiFi;
struct WiFiClient {
  virtual ~WiFiClient() {}
  virtual int connect(const char *, uint16_t) { return 1; }
};
