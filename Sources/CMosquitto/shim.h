#ifndef STRIDEBUS_CMOSQUITTO_SHIM_H
#define STRIDEBUS_CMOSQUITTO_SHIM_H
#include <mosquitto.h>
#include <mqtt_protocol.h>
#endif
