// PubSubClient with its limit of 256 bytes; what the broker receives is printed as topic and payload in hex.
#pragma once
#include <cstring>

#include "WiFi.h"

struct PubSubClient {
  bool isConnected = false;
  WiFiClient &network;
  const char *server = "";
  uint16_t port = 0;

  explicit PubSubClient(WiFiClient &network) : network(network) {}
  void setServer(const char *host, uint16_t number) {
    server = host;
    port = number;
  }
  bool connect(const char *, const char *user, const char *password, const char *, uint8_t, bool, const char *) {
    isConnected = !host().isBrokerLost() && network.connect(server, port);
    if (isConnected) fprintf(stderr, "login %s %s\n", user, password);
    return isConnected;
  }
  /// MQTT_CONNECT_UNAUTHORIZED where the broker says no, else MQTT_CONNECT_FAILED.
  int state() const { return host().isRefused ? 5 : -2; }
  bool loop() {
    if (host().isLossNoticed()) isConnected = false;
    return isConnected;
  }
  bool publish(const char *topic, const uint8_t *payload, unsigned int length, bool) {
    if (!isConnected || 5 + 2 + strlen(topic) + length > 256) return false;
    if (host().isBrokerLost()) return true;
    printf("%s ", topic);
    for (unsigned int index = 0; index < length; index++) printf("%02x", payload[index]);
    printf("\n");
    return true;
  }
  bool publish(const char *topic, const char *payload, bool isRetained) {
    return publish(topic, reinterpret_cast<const uint8_t *>(payload), static_cast<unsigned int>(strlen(payload)),
                   isRetained);
  }
};
