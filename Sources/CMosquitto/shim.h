#ifndef STRIDEBUS_CMOSQUITTO_SHIM_H
#define STRIDEBUS_CMOSQUITTO_SHIM_H
#include <mosquitto.h>
#include <mqtt_protocol.h>
/* eventfd(2), which Swift's Glibc module leaves out. */
#include <sys/eventfd.h>
#endif
