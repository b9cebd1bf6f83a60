// An ESP32 with an MPU6050 publishes its motion to stridebus.
//
// Arduino IDE: board "ESP32 Dev Module", library "PubSubClient". Change the lines of "What is yours", put what
// `stridebus users add bike-07` prints into stride_login.h, and upload.
// A task of its own reads the sensor, so that samples go on while the network is away.

#include <PubSubClient.h>
#include <WiFi.h>
#include <WiFiClientSecure.h>
#include <Wire.h>

#include "stride_frames.h"
#include "stride_login.h"

// What is yours.
const char *wifiName = "gym";
const char *wifiPassword = "secret";

// The device's id in the topics, which is its user's name too.
const char *imuTopic = "stride/" STRIDE_DEVICE "/imu";
const char *statusTopic = "stride/" STRIDE_DEVICE "/status";
const uint32_t rateHz = 50;
/// Frames of the last seconds before a connection broke may not have arrived: 15 s of keep-alive at up to 5 frames a second.
const uint32_t framesSentAgain = 75;

// 256 frames of 264 bytes: a minute or more without a network, in 68 kB.
stride::FrameRing<256> frames(imuTopic, rateHz, stride::Form::json, stride::Sensors::acceleration);
SemaphoreHandle_t framesMutex;

#if defined(STRIDE_AUTHORITY)
/// TLS to the broker's address, with its name expected in the certificate: the board's TLS compares names, not addresses.
struct BrokerNetwork : WiFiClientSecure {
  int connect(const char *host, uint16_t port) override {
    IPAddress address;
    if (!WiFi.hostByName(host, address)) return 0;
    return WiFiClientSecure::connect(address, port, STRIDE_NAME, STRIDE_AUTHORITY, nullptr, nullptr);
  }
};
#elif defined(STRIDE_PLAIN)
/// No TLS: who listens in on the network reads the password.
typedef WiFiClient BrokerNetwork;
#else
#error "stride_login.h has no certificate: put what 'stridebus users add' prints there, or define STRIDE_PLAIN for a broker without TLS"
#endif
BrokerNetwork network;
PubSubClient broker(network);
uint32_t lastAttempt = 0;
/// Between two tries to connect, in milliseconds; doubled each time that the broker says no, up to the longest.
const uint32_t firstReconnectWait = 2000;
const uint32_t longestReconnectWait = 60000;
uint32_t reconnectWait = firstReconnectWait;

// MPU6050, from its register map (InvenSense RM-MPU-6000A).
const uint8_t sensorAddress = 0x68;
const uint8_t sampleFilterRegister = 0x1A;
const uint8_t rotationRangeRegister = 0x1B;
const uint8_t accelerationRangeRegister = 0x1C;
const uint8_t firstReadingRegister = 0x3B;
const uint8_t powerRegister = 0x6B;

void writeRegister(uint8_t number, uint8_t value) {
  Wire.beginTransmission(sensorAddress);
  Wire.write(number);
  Wire.write(value);
  Wire.endTransmission();
}

int16_t readBigEndian() {
  const uint8_t high = Wire.read();
  const uint8_t low = Wire.read();
  return static_cast<int16_t>(high << 8 | low);
}

bool readSensor(stride::Sample &sample) {
  Wire.beginTransmission(sensorAddress);
  Wire.write(firstReadingRegister);
  if (Wire.endTransmission(false) != 0) return false;
  if (Wire.requestFrom(sensorAddress, static_cast<uint8_t>(14)) != 14) return false;
  for (int16_t &axis : sample.acceleration) {
    axis = static_cast<int16_t>(static_cast<int32_t>(readBigEndian()) * 1000 / 8192);  // ±4 g: 8192 a g
  }
  readBigEndian();  // The temperature.
  for (int16_t &axis : sample.rotation) {
    axis = static_cast<int16_t>(static_cast<int32_t>(readBigEndian()) * 1000 / 3753);  // ±500 °/s: 65.5 a °/s
  }
  return true;
}

void sampleForever(void *) {
  TickType_t wake = xTaskGetTickCount();
  for (;;) {
    vTaskDelayUntil(&wake, pdMS_TO_TICKS(1000 / rateHz));
    stride::Sample sample;
    if (!readSensor(sample)) continue;
    xSemaphoreTake(framesMutex, portMAX_DELAY);
    frames.add(sample, esp_timer_get_time() / 1000);
    xSemaphoreGive(framesMutex);
  }
}

void connectBroker() {
  if (WiFi.status() != WL_CONNECTED || millis() - lastAttempt < reconnectWait) return;
  lastAttempt = millis();
  if (!broker.connect(STRIDE_CLIENT, STRIDE_DEVICE, STRIDE_PASSWORD, statusTopic, 1, true, "offline")) {
    // Above 0 the broker says no (MQTT 3.1.1, section 3.2.2.3), as after `stridebus users rotate`; below 0 it is the network.
    const bool isRefused = broker.state() > 0;
    reconnectWait = !isRefused ? firstReconnectWait : reconnectWait < longestReconnectWait / 2 ? 2 * reconnectWait : longestReconnectWait;
    if (isRefused) {
      Serial.printf("The broker says no (%d): is the password in stride_login.h the present one? Trying again in %u s\n",
                    broker.state(), static_cast<unsigned>(reconnectWait / 1000));
    }
    return;
  }
  reconnectWait = firstReconnectWait;
  broker.publish(statusTopic, "online", true);
  xSemaphoreTake(framesMutex, portMAX_DELAY);
  frames.sendAgain(framesSentAgain);
  xSemaphoreGive(framesMutex);
}

/// Sends a few frames, oldest first; a frame that is not taken stays the oldest.
void sendFrames() {
  for (int count = 0; count < 8; count++) {
    static stride::Frame frame;
    xSemaphoreTake(framesMutex, portMAX_DELAY);
    const bool isThere = frames.next(frame);
    xSemaphoreGive(framesMutex);
    if (!isThere || !broker.publish(imuTopic, frame.payload, frame.length, false)) return;
    xSemaphoreTake(framesMutex, portMAX_DELAY);
    frames.sent(frame);
    xSemaphoreGive(framesMutex);
  }
}

void setup() {
  Serial.begin(115200);
  Wire.begin();
  Wire.setClock(400000);
  writeRegister(powerRegister, 0x01);              // Awake, timed by the gyroscope.
  writeRegister(sampleFilterRegister, 0x04);       // Low-pass at 21 Hz, below half of 50 Hz.
  writeRegister(rotationRangeRegister, 0x08);      // ±500 °/s
  writeRegister(accelerationRangeRegister, 0x08);  // ±4 g
  WiFi.mode(WIFI_STA);
  WiFi.setAutoReconnect(true);
  WiFi.begin(wifiName, wifiPassword);
  broker.setServer(STRIDE_HOST, STRIDE_PORT);
  frames.begin(esp_random());  // A random boot id; the radio is on, so it is truly random.
  framesMutex = xSemaphoreCreateMutex();
  xTaskCreatePinnedToCore(sampleForever, "sample", 4096, nullptr, 2, nullptr, 0);
}

void loop() {
  if (broker.loop()) {
    sendFrames();
  } else {
    connectBroker();
  }
  delay(5);
}
