// Generated from schemas/ by Tests/AsyncAPI/embed.py: edit those, and run it.
// swift-format-ignore-file

/// The contract, as `stridebus schema` prints it.
enum SchemaTexts {
/// The topics below the root, with the files of their payloads; those of replies come last.
static let topics: [(address: String, files: [String])] = [
("{device}/imu", ["frame.schema.json", "frame-compact.schema.json", "stridebus.proto"]),
("{device}/rev", ["rev.schema.json"]),
("{device}/csc", ["bluetooth.schema.json"]),
("{device}/ftms", ["bluetooth.schema.json"]),
("{device}/count", ["count.schema.json"]),
("{device}/config", ["config.schema.json"]),
("{device}/status", []),
("{device}/cadence", ["cadence.schema.json"]),
("{device}/steps", ["steps.schema.json"]),
("{device}/activity", ["activity.schema.json"]),
("{device}/day", ["day.schema.json"]),
("{device}/total", ["total.schema.json"]),
("{device}/health", ["device-health.schema.json"]),
("request/history/days", ["request.schema.json", "reply.schema.json", "days-data.schema.json", "compact-data.schema.json"]),
("request/history/interval", ["request.schema.json", "reply.schema.json", "interval-data.schema.json", "compact-data.schema.json"]),
("request/history/series", ["request.schema.json", "reply.schema.json", "series-data.schema.json", "compact-data.schema.json"]),
("request/devices", ["request.schema.json", "reply.schema.json", "devices-data.schema.json", "compact-data.schema.json"]),
("request/capabilities", ["request.schema.json", "reply.schema.json", "capabilities-data.schema.json"]),
("request/history/activity", ["request.schema.json", "reply.schema.json", "activity-data.schema.json", "compact-data.schema.json"]),
("request/live/start", ["request.schema.json", "reply.schema.json", "live-lease-data.schema.json", "live-notice.schema.json"]),
("request/live/stop", ["request.schema.json", "reply.schema.json", "live-stop-data.schema.json"]),
("request/people", ["request.schema.json", "reply.schema.json", "people-data.schema.json", "person-data.schema.json", "compact-data.schema.json"]),
("request/people/checkin", ["request.schema.json", "reply.schema.json", "assignment-data.schema.json"]),
("request/people/checkout", ["request.schema.json", "reply.schema.json", "assignment-data.schema.json"]),
("request/people/forget", ["request.schema.json", "reply.schema.json", "forget-data.schema.json"]),
("request/devices/configure", ["request.schema.json", "reply.schema.json", "config.schema.json"]),
("request/devices/forget", ["request.schema.json", "reply.schema.json", "forget-data.schema.json"]),
("service/{service}/status", []),
("service/{service}/health", ["service-health.schema.json"]),
]

/// The files by their names.
static let files: [String: String] = [
"activity-data.schema.json": #"""
{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://stridebus.example/schemas/activity-data.schema.json", "title": "Activity segments", "description": "The data of history/activity: what the wearer did, stretch after stretch.", "type": "object", "properties": {"device": {"type": "string", "description": "The id of a device.", "pattern": "^[a-z0-9][a-z0-9-]{0,62}$"}, "segments": {"type": "array", "description": "The stretches, in their order, without overlap.", "items": {"type": "object", "required": ["start", "end", "activity", "confidence", "steps", "revolutions"], "properties": {"start": {"type": "number", "description": "The first instant, in seconds since 1970 (UTC).", "minimum": 0, "maximum": 253402300799}, "end": {"type": "number", "description": "The end, not included, in seconds since 1970 (UTC).", "minimum": 0, "maximum": 253402300799}, "activity": {"type": "string", "description": "What the wearer did.", "enum": ["unknown", "stationary", "walking", "running", "cycling", "automotive"]}, "confidence": {"type": "string", "description": "How sure that is.", "enum": ["low", "medium", "high"]}, "steps": {"type": "integer", "description": "Steps.", "minimum": 0}, "revolutions": {"type": "integer", "description": "Crank revolutions.", "minimum": 0}}}, "maxItems": 5000}, "cursor": {"type": "string", "description": "Where the next page begins; absent on the last.", "maxLength": 256}}, "required": ["device", "segments"]}
"""#,
"activity.schema.json": #"""
{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://stridebus.example/schemas/activity.schema.json", "title": "Activity", "description": "What the wearer is doing and since when, retained on {device}/activity.", "type": "object", "properties": {"t": {"type": "number", "description": "When, in seconds since 1970 (UTC), with fraction.", "minimum": 0, "maximum": 253402300799}, "activity": {"type": "string", "description": "What the wearer is doing.", "enum": ["unknown", "stationary", "walking", "running", "cycling", "automotive"]}, "confidence": {"type": "string", "description": "How sure that is.", "enum": ["low", "medium", "high"]}, "since": {"type": "number", "description": "Since when, in seconds since 1970 (UTC).", "minimum": 0, "maximum": 253402300799}}, "required": ["t", "activity", "confidence", "since"]}
"""#,
"assignment-data.schema.json": #"""
{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://stridebus.example/schemas/assignment-data.schema.json", "title": "Assignment", "description": "A device that is a person's for a stretch of time: the data of people/checkin and people/checkout.", "type": "object", "properties": {"person": {"type": "string", "description": "Whose.", "minLength": 1, "maxLength": 256}, "device": {"type": "string", "description": "The id of a device.", "pattern": "^[a-z0-9][a-z0-9-]{0,62}$"}, "from": {"type": "number", "description": "From when; absent where it has always been so, in seconds since 1970 (UTC).", "minimum": 0, "maximum": 253402300799}, "to": {"type": "number", "description": "Until when, not included; absent where it goes on, in seconds since 1970 (UTC).", "minimum": 0, "maximum": 253402300799}}, "required": ["person", "device"]}
"""#,
"asyncapi.yaml": #"""
# The public contract of stridebus, version 1: every topic, who writes it and what is on it.
#
# `root` is `stride` unless configured. All times are UTC, `t` is seconds since 1970, units are SI and named in the
# field where they are not obvious. Payloads are flat JSON objects; unknown fields are ignored.
asyncapi: 3.0.0

info:
  title: stridebus
  version: 1.0.0
  description: >-
    Turns the raw motion sensors of gym bikes, phones and watches into cadence, steps and history over MQTT.
    Publish frames or counts of a device, subscribe to its cadence and steps, and ask for history with a request:
    the broker is the only thing that anything connects to. Who may publish and subscribe is for the broker's access
    lists to say; requests that history protects need a key besides, or are answered with not_authorised.
  license:
    name: Apache-2.0
    url: https://www.apache.org/licenses/LICENSE-2.0

defaultContentType: application/json

servers:
  broker:
    host: localhost:1883
    protocol: mqtt
    description: Any MQTT 3.1.1 or 5 broker. `stridebus up` starts a private one where none is given.

channels:
  imu:
    address: '{root}/{device}/imu'
    description: >-
      Raw samples of a device, in one of our three forms or in an app's own, told apart by their content.
    parameters:
      root:
        $ref: '#/components/parameters/root'
      device:
        $ref: '#/components/parameters/device'
    messages:
      frame:
        $ref: '#/components/messages/frame'
      frameCompact:
        $ref: '#/components/messages/frameCompact'
      frameProtobuf:
        $ref: '#/components/messages/frameProtobuf'
      foreign:
        $ref: '#/components/messages/foreign'

  revolutions:
    address: '{root}/{device}/rev'
    description: >-
      A running count of crank revolutions.
    parameters:
      root:
        $ref: '#/components/parameters/root'
      device:
        $ref: '#/components/parameters/device'
    messages:
      revolutions:
        $ref: '#/components/messages/revolutions'

  speedAndCadence:
    address: '{root}/{device}/csc'
    description: >-
      Notifications of Bluetooth CSC, RSC and Cycling Power sensors: the bytes, or JSON around them.
    parameters:
      root:
        $ref: '#/components/parameters/root'
      device:
        $ref: '#/components/parameters/device'
    messages:
      bluetooth:
        $ref: '#/components/messages/bluetooth'
      bluetoothBytes:
        $ref: '#/components/messages/bluetoothBytes'

  fitnessMachine:
    address: '{root}/{device}/ftms'
    description: >-
      Notifications of Bluetooth fitness machines: the bytes, or JSON around them.
    parameters:
      root:
        $ref: '#/components/parameters/root'
      device:
        $ref: '#/components/parameters/device'
    messages:
      bluetooth:
        $ref: '#/components/messages/bluetooth'
      bluetoothBytes:
        $ref: '#/components/messages/bluetoothBytes'

  deviceCount:
    address: '{root}/{device}/count'
    description: >-
      Steps that a device has counted itself.
    parameters:
      root:
        $ref: '#/components/parameters/root'
      device:
        $ref: '#/components/parameters/device'
    messages:
      count:
        $ref: '#/components/messages/count'

  config:
    address: '{root}/{device}/config'
    description: >-
      What the operator says about a device.
    parameters:
      root:
        $ref: '#/components/parameters/root'
      device:
        $ref: '#/components/parameters/device'
    messages:
      config:
        $ref: '#/components/messages/config'

  deviceStatus:
    address: '{root}/{device}/status'
    description: >-
      A device's birth and last will.
    parameters:
      root:
        $ref: '#/components/parameters/root'
      device:
        $ref: '#/components/parameters/device'
    messages:
      status:
        $ref: '#/components/messages/status'

  cadence:
    address: '{root}/{device}/cadence'
    description: >-
      The cadence, once a second while moving, and one final 0.
    parameters:
      root:
        $ref: '#/components/parameters/root'
      device:
        $ref: '#/components/parameters/device'
    messages:
      cadence:
        $ref: '#/components/messages/cadence'

  steps:
    address: '{root}/{device}/steps'
    description: >-
      Steps as they are counted.
    parameters:
      root:
        $ref: '#/components/parameters/root'
      device:
        $ref: '#/components/parameters/device'
    messages:
      steps:
        $ref: '#/components/messages/steps'

  activity:
    address: '{root}/{device}/activity'
    description: >-
      What the wearer is doing, and since when.
    parameters:
      root:
        $ref: '#/components/parameters/root'
      device:
        $ref: '#/components/parameters/device'
    messages:
      activity:
        $ref: '#/components/messages/activity'

  day:
    address: '{root}/{device}/day'
    description: >-
      Today's totals in the device's zone.
    parameters:
      root:
        $ref: '#/components/parameters/root'
      device:
        $ref: '#/components/parameters/device'
    messages:
      day:
        $ref: '#/components/messages/day'

  total:
    address: '{root}/{device}/total'
    description: >-
      Totals for ever.
    parameters:
      root:
        $ref: '#/components/parameters/root'
      device:
        $ref: '#/components/parameters/device'
    messages:
      total:
        $ref: '#/components/messages/total'

  deviceHealth:
    address: '{root}/{device}/health'
    description: >-
      What is wrong with a device's data.
    parameters:
      root:
        $ref: '#/components/parameters/root'
      device:
        $ref: '#/components/parameters/device'
    messages:
      deviceHealth:
        $ref: '#/components/messages/deviceHealth'

  historyDays:
    address: '{root}/request/history/days'
    description: >-
      Totals a calendar day. Needs device; from (included) and to (not included) are local dates; zone, limit and cursor.
    parameters:
      root:
        $ref: '#/components/parameters/root'
    messages:
      request:
        $ref: '#/components/messages/request'

  historyInterval:
    address: '{root}/request/history/interval'
    description: >-
      One record for [from, to). Needs device, from and to.
    parameters:
      root:
        $ref: '#/components/parameters/root'
    messages:
      request:
        $ref: '#/components/messages/request'

  historySeries:
    address: '{root}/request/history/series'
    description: >-
      Buckets of a minute, an hour, a day, a week or a month in [from, to). Needs device, from, to and bucket; zone, limit and cursor.
    parameters:
      root:
        $ref: '#/components/parameters/root'
    messages:
      request:
        $ref: '#/components/messages/request'

  devices:
    address: '{root}/request/devices'
    description: >-
      The devices that the bus has seen; limit and cursor.
    parameters:
      root:
        $ref: '#/components/parameters/root'
    messages:
      request:
        $ref: '#/components/messages/request'

  capabilities:
    address: '{root}/request/capabilities'
    description: >-
      What is available on a device, and if not why, and which verbs the asker has no key for. Needs device.
    parameters:
      root:
        $ref: '#/components/parameters/root'
    messages:
      request:
        $ref: '#/components/messages/request'

  historyActivity:
    address: '{root}/request/history/activity'
    description: >-
      Stretches of activity with their confidence in [from, to). Needs device; limit and cursor.
    parameters:
      root:
        $ref: '#/components/parameters/root'
    messages:
      request:
        $ref: '#/components/messages/request'

  liveStart:
    address: '{root}/request/live/start'
    description: >-
      A notice at every so many steps or revolutions, to where the request is answered, until the lease ends; the same request again renews it. Needs device, every and a topic of the asker's own; counts, from and lease_s.
    parameters:
      root:
        $ref: '#/components/parameters/root'
    messages:
      request:
        $ref: '#/components/messages/request'

  liveStop:
    address: '{root}/request/live/stop'
    description: >-
      Ends the notices of a device to where the request is answered. Needs device and the topic.
    parameters:
      root:
        $ref: '#/components/parameters/root'
    messages:
      request:
        $ref: '#/components/messages/request'

  people:
    address: '{root}/request/people'
    description: >-
      Who has which devices; with person, what all devices of the person together say, each minute from one of them, in buckets (days without bucket) of [from, to), with by_source. zone, limit and cursor.
    parameters:
      root:
        $ref: '#/components/parameters/root'
    messages:
      request:
        $ref: '#/components/messages/request'

  peopleCheckin:
    address: '{root}/request/people/checkin'
    description: >-
      A device is a person's from from, or now, up to to, or for good. Needs person and device; priority.
    parameters:
      root:
        $ref: '#/components/parameters/root'
    messages:
      request:
        $ref: '#/components/messages/request'

  peopleCheckout:
    address: '{root}/request/people/checkout'
    description: >-
      A device is nobody's from to on, or from now. Needs device; person.
    parameters:
      root:
        $ref: '#/components/parameters/root'
    messages:
      request:
        $ref: '#/components/messages/request'

  peopleForget:
    address: '{root}/request/people/forget'
    description: >-
      What a person's devices counted while they were the person's is deleted, and whose they were. Needs person.
    parameters:
      root:
        $ref: '#/components/parameters/root'
    messages:
      request:
        $ref: '#/components/messages/request'

  devicesConfigure:
    address: '{root}/request/devices/configure'
    description: >-
      The config of a device is checked and retained on {device}/config, or refused with what is wrong in words. Needs device and config; keep_unknown keeps fields that stridebus does not have.
    parameters:
      root:
        $ref: '#/components/parameters/root'
    messages:
      request:
        $ref: '#/components/messages/request'

  devicesForget:
    address: '{root}/request/devices/forget'
    description: >-
      Everything that was kept about a device is deleted. Needs device.
    parameters:
      root:
        $ref: '#/components/parameters/root'
    messages:
      request:
        $ref: '#/components/messages/request'

  historyDaysReply:
    address: null
    description: >-
      Where the asker wants the answer: always below {root}/reply/, never a wildcard, never retained.
    messages:
      daysData:
        $ref: '#/components/messages/daysData'
      compactData:
        $ref: '#/components/messages/compactData'
      error:
        $ref: '#/components/messages/error'

  historyIntervalReply:
    address: null
    description: >-
      Where the asker wants the answer: always below {root}/reply/, never a wildcard, never retained.
    messages:
      intervalData:
        $ref: '#/components/messages/intervalData'
      compactData:
        $ref: '#/components/messages/compactData'
      error:
        $ref: '#/components/messages/error'

  historySeriesReply:
    address: null
    description: >-
      Where the asker wants the answer: always below {root}/reply/, never a wildcard, never retained.
    messages:
      seriesData:
        $ref: '#/components/messages/seriesData'
      compactData:
        $ref: '#/components/messages/compactData'
      error:
        $ref: '#/components/messages/error'

  devicesReply:
    address: null
    description: >-
      Where the asker wants the answer: always below {root}/reply/, never a wildcard, never retained.
    messages:
      devicesData:
        $ref: '#/components/messages/devicesData'
      compactData:
        $ref: '#/components/messages/compactData'
      error:
        $ref: '#/components/messages/error'

  capabilitiesReply:
    address: null
    description: >-
      Where the asker wants the answer: always below {root}/reply/, never a wildcard, never retained.
    messages:
      capabilitiesData:
        $ref: '#/components/messages/capabilitiesData'
      error:
        $ref: '#/components/messages/error'

  historyActivityReply:
    address: null
    description: >-
      Where the asker wants the answer: always below {root}/reply/, never a wildcard, never retained.
    messages:
      activityData:
        $ref: '#/components/messages/activityData'
      compactData:
        $ref: '#/components/messages/compactData'
      error:
        $ref: '#/components/messages/error'

  liveStartReply:
    address: null
    description: >-
      Where the asker wants the answer: always below {root}/reply/, never a wildcard, never retained.
    messages:
      liveLeaseData:
        $ref: '#/components/messages/liveLeaseData'
      liveNotice:
        $ref: '#/components/messages/liveNotice'
      error:
        $ref: '#/components/messages/error'

  liveStopReply:
    address: null
    description: >-
      Where the asker wants the answer: always below {root}/reply/, never a wildcard, never retained.
    messages:
      liveStopData:
        $ref: '#/components/messages/liveStopData'
      error:
        $ref: '#/components/messages/error'

  peopleReply:
    address: null
    description: >-
      Where the asker wants the answer: always below {root}/reply/, never a wildcard, never retained.
    messages:
      peopleData:
        $ref: '#/components/messages/peopleData'
      personData:
        $ref: '#/components/messages/personData'
      compactData:
        $ref: '#/components/messages/compactData'
      error:
        $ref: '#/components/messages/error'

  peopleCheckinReply:
    address: null
    description: >-
      Where the asker wants the answer: always below {root}/reply/, never a wildcard, never retained.
    messages:
      assignmentData:
        $ref: '#/components/messages/assignmentData'
      error:
        $ref: '#/components/messages/error'

  peopleCheckoutReply:
    address: null
    description: >-
      Where the asker wants the answer: always below {root}/reply/, never a wildcard, never retained.
    messages:
      assignmentData:
        $ref: '#/components/messages/assignmentData'
      error:
        $ref: '#/components/messages/error'

  peopleForgetReply:
    address: null
    description: >-
      Where the asker wants the answer: always below {root}/reply/, never a wildcard, never retained.
    messages:
      forgetData:
        $ref: '#/components/messages/forgetData'
      error:
        $ref: '#/components/messages/error'

  devicesConfigureReply:
    address: null
    description: >-
      Where the asker wants the answer: always below {root}/reply/, never a wildcard, never retained.
    messages:
      configuredData:
        $ref: '#/components/messages/configuredData'
      error:
        $ref: '#/components/messages/error'

  devicesForgetReply:
    address: null
    description: >-
      Where the asker wants the answer: always below {root}/reply/, never a wildcard, never retained.
    messages:
      forgetData:
        $ref: '#/components/messages/forgetData'
      error:
        $ref: '#/components/messages/error'

  serviceStatus:
    address: '{root}/service/{service}/status'
    description: >-
      A service's birth and last will.
    parameters:
      root:
        $ref: '#/components/parameters/root'
      service:
        $ref: '#/components/parameters/service'
    messages:
      status:
        $ref: '#/components/messages/status'

  serviceHealth:
    address: '{root}/service/{service}/health'
    description: >-
      What a service counted and refused.
    parameters:
      root:
        $ref: '#/components/parameters/root'
      service:
        $ref: '#/components/parameters/service'
    messages:
      serviceHealth:
        $ref: '#/components/messages/serviceHealth'

# The actions are those of stridebus: it receives what others send, and sends what others receive.
operations:
  receiveImu:
    action: receive
    channel:
      $ref: '#/channels/imu'
    summary: >-
      Raw samples of a device, in one of our three forms or in an app's own, told apart by their content.
    bindings:
      mqtt:
        qos: 1
        retain: false
        bindingVersion: 0.2.0

  receiveRevolutions:
    action: receive
    channel:
      $ref: '#/channels/revolutions'
    summary: >-
      A running count of crank revolutions.
    bindings:
      mqtt:
        qos: 1
        retain: false
        bindingVersion: 0.2.0

  receiveSpeedAndCadence:
    action: receive
    channel:
      $ref: '#/channels/speedAndCadence'
    summary: >-
      Notifications of Bluetooth CSC, RSC and Cycling Power sensors: the bytes, or JSON around them.
    bindings:
      mqtt:
        qos: 1
        retain: false
        bindingVersion: 0.2.0

  receiveFitnessMachine:
    action: receive
    channel:
      $ref: '#/channels/fitnessMachine'
    summary: >-
      Notifications of Bluetooth fitness machines: the bytes, or JSON around them.
    bindings:
      mqtt:
        qos: 1
        retain: false
        bindingVersion: 0.2.0

  receiveDeviceCount:
    action: receive
    channel:
      $ref: '#/channels/deviceCount'
    summary: >-
      Steps that a device has counted itself.
    bindings:
      mqtt:
        qos: 1
        retain: false
        bindingVersion: 0.2.0

  receiveConfig:
    action: receive
    channel:
      $ref: '#/channels/config'
    summary: >-
      What the operator says about a device.
    bindings:
      mqtt:
        qos: 1
        retain: true
        bindingVersion: 0.2.0

  receiveDeviceStatus:
    action: receive
    channel:
      $ref: '#/channels/deviceStatus'
    summary: >-
      A device's birth and last will.
    bindings:
      mqtt:
        qos: 1
        retain: true
        bindingVersion: 0.2.0

  sendCadence:
    action: send
    channel:
      $ref: '#/channels/cadence'
    summary: >-
      The cadence, once a second while moving, and one final 0.
    bindings:
      mqtt:
        qos: 0
        retain: false
        bindingVersion: 0.2.0

  sendSteps:
    action: send
    channel:
      $ref: '#/channels/steps'
    summary: >-
      Steps as they are counted.
    bindings:
      mqtt:
        qos: 0
        retain: false
        bindingVersion: 0.2.0

  sendActivity:
    action: send
    channel:
      $ref: '#/channels/activity'
    summary: >-
      What the wearer is doing, and since when.
    bindings:
      mqtt:
        qos: 0
        retain: true
        bindingVersion: 0.2.0

  sendDay:
    action: send
    channel:
      $ref: '#/channels/day'
    summary: >-
      Today's totals in the device's zone.
    bindings:
      mqtt:
        qos: 1
        retain: true
        bindingVersion: 0.2.0

  sendTotal:
    action: send
    channel:
      $ref: '#/channels/total'
    summary: >-
      Totals for ever.
    bindings:
      mqtt:
        qos: 1
        retain: true
        bindingVersion: 0.2.0

  sendDeviceHealth:
    action: send
    channel:
      $ref: '#/channels/deviceHealth'
    summary: >-
      What is wrong with a device's data.
    bindings:
      mqtt:
        qos: 1
        retain: true
        bindingVersion: 0.2.0

  answerHistoryDays:
    action: receive
    channel:
      $ref: '#/channels/historyDays'
    summary: >-
      Totals a calendar day. Needs device; from (included) and to (not included) are local dates; zone, limit and cursor.
    bindings:
      mqtt:
        qos: 1
        retain: false
        bindingVersion: 0.2.0
    reply:
      address:
        location: '$message.payload#/reply_to'
        description: The Response Topic of an MQTT 5 request comes first; reply_to is for clients without one.
      channel:
        $ref: '#/channels/historyDaysReply'

  answerHistoryInterval:
    action: receive
    channel:
      $ref: '#/channels/historyInterval'
    summary: >-
      One record for [from, to). Needs device, from and to.
    bindings:
      mqtt:
        qos: 1
        retain: false
        bindingVersion: 0.2.0
    reply:
      address:
        location: '$message.payload#/reply_to'
        description: The Response Topic of an MQTT 5 request comes first; reply_to is for clients without one.
      channel:
        $ref: '#/channels/historyIntervalReply'

  answerHistorySeries:
    action: receive
    channel:
      $ref: '#/channels/historySeries'
    summary: >-
      Buckets of a minute, an hour, a day, a week or a month in [from, to). Needs device, from, to and bucket; zone, limit and cursor.
    bindings:
      mqtt:
        qos: 1
        retain: false
        bindingVersion: 0.2.0
    reply:
      address:
        location: '$message.payload#/reply_to'
        description: The Response Topic of an MQTT 5 request comes first; reply_to is for clients without one.
      channel:
        $ref: '#/channels/historySeriesReply'

  answerDevices:
    action: receive
    channel:
      $ref: '#/channels/devices'
    summary: >-
      The devices that the bus has seen; limit and cursor.
    bindings:
      mqtt:
        qos: 1
        retain: false
        bindingVersion: 0.2.0
    reply:
      address:
        location: '$message.payload#/reply_to'
        description: The Response Topic of an MQTT 5 request comes first; reply_to is for clients without one.
      channel:
        $ref: '#/channels/devicesReply'

  answerCapabilities:
    action: receive
    channel:
      $ref: '#/channels/capabilities'
    summary: >-
      What is available on a device, and if not why, and which verbs the asker has no key for. Needs device.
    bindings:
      mqtt:
        qos: 1
        retain: false
        bindingVersion: 0.2.0
    reply:
      address:
        location: '$message.payload#/reply_to'
        description: The Response Topic of an MQTT 5 request comes first; reply_to is for clients without one.
      channel:
        $ref: '#/channels/capabilitiesReply'

  answerHistoryActivity:
    action: receive
    channel:
      $ref: '#/channels/historyActivity'
    summary: >-
      Stretches of activity with their confidence in [from, to). Needs device; limit and cursor.
    bindings:
      mqtt:
        qos: 1
        retain: false
        bindingVersion: 0.2.0
    reply:
      address:
        location: '$message.payload#/reply_to'
        description: The Response Topic of an MQTT 5 request comes first; reply_to is for clients without one.
      channel:
        $ref: '#/channels/historyActivityReply'

  answerLiveStart:
    action: receive
    channel:
      $ref: '#/channels/liveStart'
    summary: >-
      A notice at every so many steps or revolutions, to where the request is answered, until the lease ends; the same request again renews it. Needs device, every and a topic of the asker's own; counts, from and lease_s.
    bindings:
      mqtt:
        qos: 1
        retain: false
        bindingVersion: 0.2.0
    reply:
      address:
        location: '$message.payload#/reply_to'
        description: The Response Topic of an MQTT 5 request comes first; reply_to is for clients without one.
      channel:
        $ref: '#/channels/liveStartReply'

  answerLiveStop:
    action: receive
    channel:
      $ref: '#/channels/liveStop'
    summary: >-
      Ends the notices of a device to where the request is answered. Needs device and the topic.
    bindings:
      mqtt:
        qos: 1
        retain: false
        bindingVersion: 0.2.0
    reply:
      address:
        location: '$message.payload#/reply_to'
        description: The Response Topic of an MQTT 5 request comes first; reply_to is for clients without one.
      channel:
        $ref: '#/channels/liveStopReply'

  answerPeople:
    action: receive
    channel:
      $ref: '#/channels/people'
    summary: >-
      Who has which devices; with person, what all devices of the person together say, each minute from one of them, in buckets (days without bucket) of [from, to), with by_source. zone, limit and cursor.
    bindings:
      mqtt:
        qos: 1
        retain: false
        bindingVersion: 0.2.0
    reply:
      address:
        location: '$message.payload#/reply_to'
        description: The Response Topic of an MQTT 5 request comes first; reply_to is for clients without one.
      channel:
        $ref: '#/channels/peopleReply'

  answerPeopleCheckin:
    action: receive
    channel:
      $ref: '#/channels/peopleCheckin'
    summary: >-
      A device is a person's from from, or now, up to to, or for good. Needs person and device; priority.
    bindings:
      mqtt:
        qos: 1
        retain: false
        bindingVersion: 0.2.0
    reply:
      address:
        location: '$message.payload#/reply_to'
        description: The Response Topic of an MQTT 5 request comes first; reply_to is for clients without one.
      channel:
        $ref: '#/channels/peopleCheckinReply'

  answerPeopleCheckout:
    action: receive
    channel:
      $ref: '#/channels/peopleCheckout'
    summary: >-
      A device is nobody's from to on, or from now. Needs device; person.
    bindings:
      mqtt:
        qos: 1
        retain: false
        bindingVersion: 0.2.0
    reply:
      address:
        location: '$message.payload#/reply_to'
        description: The Response Topic of an MQTT 5 request comes first; reply_to is for clients without one.
      channel:
        $ref: '#/channels/peopleCheckoutReply'

  answerPeopleForget:
    action: receive
    channel:
      $ref: '#/channels/peopleForget'
    summary: >-
      What a person's devices counted while they were the person's is deleted, and whose they were. Needs person.
    bindings:
      mqtt:
        qos: 1
        retain: false
        bindingVersion: 0.2.0
    reply:
      address:
        location: '$message.payload#/reply_to'
        description: The Response Topic of an MQTT 5 request comes first; reply_to is for clients without one.
      channel:
        $ref: '#/channels/peopleForgetReply'

  answerDevicesConfigure:
    action: receive
    channel:
      $ref: '#/channels/devicesConfigure'
    summary: >-
      The config of a device is checked and retained on {device}/config, or refused with what is wrong in words. Needs device and config.
    bindings:
      mqtt:
        qos: 1
        retain: false
        bindingVersion: 0.2.0
    reply:
      address:
        location: '$message.payload#/reply_to'
        description: The Response Topic of an MQTT 5 request comes first; reply_to is for clients without one.
      channel:
        $ref: '#/channels/devicesConfigureReply'

  answerDevicesForget:
    action: receive
    channel:
      $ref: '#/channels/devicesForget'
    summary: >-
      Everything that was kept about a device is deleted. Needs device.
    bindings:
      mqtt:
        qos: 1
        retain: false
        bindingVersion: 0.2.0
    reply:
      address:
        location: '$message.payload#/reply_to'
        description: The Response Topic of an MQTT 5 request comes first; reply_to is for clients without one.
      channel:
        $ref: '#/channels/devicesForgetReply'

  sendServiceStatus:
    action: send
    channel:
      $ref: '#/channels/serviceStatus'
    summary: >-
      A service's birth and last will.
    bindings:
      mqtt:
        qos: 1
        retain: true
        bindingVersion: 0.2.0

  sendServiceHealth:
    action: send
    channel:
      $ref: '#/channels/serviceHealth'
    summary: >-
      What a service counted and refused.
    bindings:
      mqtt:
        qos: 1
        retain: true
        bindingVersion: 0.2.0

components:
  parameters:
    root:
      description: One to four levels of a-z, 0-9, '_' and '-'.
      default: stride
    device:
      description: The id of a device, 1 to 63 of a-z, 0-9 and '-', not beginning with '-', and not service, request or reply.
    service:
      description: The name of a service.
      enum: [ingest, counter, history]

  messages:
    foreign:
      name: foreign
      title: An app's own form
      contentType: application/json
      summary: >-
        Sensor Logger, phyphox, sketches' JSON, SenML, Theengs, OwnTracks, Health Auto Export; docs/devices.md has them.
    frame:
      name: frame
      title: Frame
      contentType: application/json
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          $ref: './frame.schema.json'

    frameCompact:
      name: frameCompact
      title: Compact frame
      contentType: application/json
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          $ref: './frame-compact.schema.json'

    revolutions:
      name: revolutions
      title: Revolutions
      contentType: application/json
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          $ref: './rev.schema.json'

    bluetooth:
      name: bluetooth
      title: Bluetooth notification as JSON
      contentType: application/json
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          $ref: './bluetooth.schema.json'

    count:
      name: count
      title: Device count
      contentType: application/json
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          $ref: './count.schema.json'

    config:
      name: config
      title: Configuration
      contentType: application/json
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          $ref: './config.schema.json'

    cadence:
      name: cadence
      title: Cadence
      contentType: application/json
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          $ref: './cadence.schema.json'

    steps:
      name: steps
      title: Steps
      contentType: application/json
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          $ref: './steps.schema.json'

    activity:
      name: activity
      title: Activity
      contentType: application/json
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          $ref: './activity.schema.json'

    day:
      name: day
      title: Day
      contentType: application/json
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          $ref: './day.schema.json'

    total:
      name: total
      title: Total
      contentType: application/json
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          $ref: './total.schema.json'

    deviceHealth:
      name: deviceHealth
      title: Device health
      contentType: application/json
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          $ref: './device-health.schema.json'

    serviceHealth:
      name: serviceHealth
      title: Service health
      contentType: application/json
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          $ref: './service-health.schema.json'

    request:
      name: request
      title: Request
      contentType: application/json
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          $ref: './request.schema.json'
      correlationId:
        location: '$message.payload#/transaction'
        description: Or the Correlation Data of an MQTT 5 request; the reply carries back whichever came.

    daysData:
      name: daysData
      title: Reply to history/days
      contentType: application/json
      correlationId:
        location: '$message.payload#/transaction'
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          allOf:
            - $ref: './reply.schema.json'
            - type: object
              properties:
                data:
                  $ref: './days-data.schema.json'

    compactData:
      name: compactData
      title: Reply with compact set, as rows of values
      contentType: application/json
      correlationId:
        location: '$message.payload#/transaction'
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          allOf:
            - $ref: './reply.schema.json'
            - type: object
              properties:
                data:
                  $ref: './compact-data.schema.json'

    intervalData:
      name: intervalData
      title: Reply to history/interval
      contentType: application/json
      correlationId:
        location: '$message.payload#/transaction'
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          allOf:
            - $ref: './reply.schema.json'
            - type: object
              properties:
                data:
                  $ref: './interval-data.schema.json'

    seriesData:
      name: seriesData
      title: Reply to history/series
      contentType: application/json
      correlationId:
        location: '$message.payload#/transaction'
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          allOf:
            - $ref: './reply.schema.json'
            - type: object
              properties:
                data:
                  $ref: './series-data.schema.json'

    devicesData:
      name: devicesData
      title: Reply to devices
      contentType: application/json
      correlationId:
        location: '$message.payload#/transaction'
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          allOf:
            - $ref: './reply.schema.json'
            - type: object
              properties:
                data:
                  $ref: './devices-data.schema.json'

    capabilitiesData:
      name: capabilitiesData
      title: Reply to capabilities
      contentType: application/json
      correlationId:
        location: '$message.payload#/transaction'
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          allOf:
            - $ref: './reply.schema.json'
            - type: object
              properties:
                data:
                  $ref: './capabilities-data.schema.json'

    activityData:
      name: activityData
      title: Reply to history/activity
      contentType: application/json
      correlationId:
        location: '$message.payload#/transaction'
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          allOf:
            - $ref: './reply.schema.json'
            - type: object
              properties:
                data:
                  $ref: './activity-data.schema.json'

    liveLeaseData:
      name: liveLeaseData
      title: Reply to live/start
      contentType: application/json
      correlationId:
        location: '$message.payload#/transaction'
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          allOf:
            - $ref: './reply.schema.json'
            - type: object
              properties:
                data:
                  $ref: './live-lease-data.schema.json'

    liveNotice:
      name: liveNotice
      title: Notice of a lease
      contentType: application/json
      correlationId:
        location: '$message.payload#/transaction'
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          allOf:
            - $ref: './reply.schema.json'
            - type: object
              properties:
                data:
                  $ref: './live-notice.schema.json'

    liveStopData:
      name: liveStopData
      title: Reply to live/stop
      contentType: application/json
      correlationId:
        location: '$message.payload#/transaction'
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          allOf:
            - $ref: './reply.schema.json'
            - type: object
              properties:
                data:
                  $ref: './live-stop-data.schema.json'

    peopleData:
      name: peopleData
      title: Reply to people without a person
      contentType: application/json
      correlationId:
        location: '$message.payload#/transaction'
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          allOf:
            - $ref: './reply.schema.json'
            - type: object
              properties:
                data:
                  $ref: './people-data.schema.json'

    personData:
      name: personData
      title: Reply to people with a person
      contentType: application/json
      correlationId:
        location: '$message.payload#/transaction'
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          allOf:
            - $ref: './reply.schema.json'
            - type: object
              properties:
                data:
                  $ref: './person-data.schema.json'

    assignmentData:
      name: assignmentData
      title: Reply to people/checkin and people/checkout
      contentType: application/json
      correlationId:
        location: '$message.payload#/transaction'
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          allOf:
            - $ref: './reply.schema.json'
            - type: object
              properties:
                data:
                  $ref: './assignment-data.schema.json'

    configuredData:
      name: configuredData
      title: Reply to devices/configure
      contentType: application/json
      correlationId:
        location: '$message.payload#/transaction'
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          allOf:
            - $ref: './reply.schema.json'
            - type: object
              properties:
                data:
                  $ref: './config.schema.json'

    forgetData:
      name: forgetData
      title: Reply to people/forget and devices/forget
      contentType: application/json
      correlationId:
        location: '$message.payload#/transaction'
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          allOf:
            - $ref: './reply.schema.json'
            - type: object
              properties:
                data:
                  $ref: './forget-data.schema.json'

    error:
      name: error
      title: Reply without data
      contentType: application/json
      correlationId:
        location: '$message.payload#/transaction'
      payload:
        schemaFormat: application/schema+json;version=draft-07
        schema:
          $ref: './reply.schema.json'

    frameProtobuf:
      name: frameProtobuf
      title: Frame as protobuf
      summary: The message stridebus.Frame; it begins with the bytes 0d 53 42 46 31.
      contentType: application/x-protobuf
      payload:
        schemaFormat: application/vnd.google.protobuf;version=3
        schema:
          $ref: './stridebus.proto'

    bluetoothBytes:
      name: bluetoothBytes
      title: Bluetooth notification
      summary: The bytes of the characteristic as they are, little-endian.
      contentType: application/octet-stream
      payload:
        type: string
        format: binary
        maxLength: 512

    status:
      name: status
      title: Status
      contentType: text/plain
      payload:
        type: string
        enum: [online, offline]
"""#,
"bluetooth.schema.json": #"""
{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://stridebus.example/schemas/bluetooth.schema.json", "title": "Bluetooth notification", "description": "The bytes of a CSC Measurement (0x2A5B) or RSC Measurement (0x2A53) on {device}/csc, or of Indoor Bike Data (0x2AD2) on {device}/ftms. The bytes themselves are a payload too.", "type": "object", "properties": {"boot": {"description": "Changes at every start of the device: a whole number, or text of at most 32 bytes. 7 and \"7\" are the same. Needs seq.", "type": ["integer", "string"], "maxLength": 32}, "seq": {"type": "integer", "description": "Counts the messages of this boot from 0. Needs boot.", "minimum": 0}, "t": {"type": "number", "description": "UTC: seconds since 1970; milliseconds, microseconds or nanoseconds are told by their magnitude.", "minimum": 0}, "uptime_ms": {"type": "number", "description": "Milliseconds since the device started, on a device without a clock.", "minimum": 0}, "hex": {"type": "string", "description": "The bytes as hexadecimal digits; spaces, colons and dashes between bytes are allowed.", "maxLength": 2048}, "base64": {"type": "string", "description": "The bytes as base64.", "maxLength": 2048}}, "required": [], "oneOf": [{"required": ["hex"]}, {"required": ["base64"]}], "dependencies": {"boot": ["seq"], "seq": ["boot"]}}
"""#,
"cadence.schema.json": #"""
{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://stridebus.example/schemas/cadence.schema.json", "title": "Cadence", "description": "What the cadence is now, on {device}/cadence: once a second while moving, and one final 0.", "type": "object", "properties": {"t": {"type": "number", "description": "When, in seconds since 1970 (UTC), with fraction.", "minimum": 0, "maximum": 253402300799}, "rpm": {"type": "number", "description": "Crank revolutions a minute; bikes.", "minimum": 0, "maximum": 1000}, "spm": {"type": "number", "description": "Steps a minute; walkers.", "minimum": 0, "maximum": 1000}, "confidence": {"type": "number", "description": "How sure the counter is.", "minimum": 0, "maximum": 1}, "state": {"type": "string", "description": "What the wearer is doing.", "enum": ["unknown", "stationary", "walking", "running", "cycling", "automotive"]}, "revolutions": {"type": "integer", "description": "Crank revolutions for ever; bikes.", "minimum": 0}, "last_revolution_t": {"type": "number", "description": "When the last of these revolutions was complete, in seconds since 1970 (UTC), with fraction. Absent after a restart until the next one.", "minimum": 0, "maximum": 253402300799}, "speed_kmh": {"type": "number", "description": "Kilometres an hour; bikes whose config has metres_per_revolution.", "minimum": 0, "maximum": 10000}}, "required": ["t", "confidence", "state"]}
"""#,
"capabilities-data.schema.json": #"""
{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://stridebus.example/schemas/capabilities-data.schema.json", "title": "Capabilities", "description": "The data of capabilities: what is available on a device, and if not why, and whether the asker is answered whatever it asks.", "type": "object", "properties": {"device": {"type": "string", "description": "The id of a device.", "pattern": "^[a-z0-9][a-z0-9-]{0,62}$"}, "kind": {"type": "string", "description": "What the device is.", "enum": ["bike", "wearable", "unknown"]}, "zone": {"type": "string", "description": "The IANA name of the zone whose calendar the device's days have.", "maxLength": 64}, "steps": {"type": "boolean", "description": "Whether steps are counted."}, "steps_why": {"type": "string", "description": "Why not, and what to do; absent where it is available.", "maxLength": 256}, "revolutions": {"type": "boolean", "description": "Whether crank revolutions are counted."}, "revolutions_why": {"type": "string", "description": "Why not, and what to do; absent where it is available.", "maxLength": 256}, "cadence": {"type": "boolean", "description": "Whether steps or revolutions a minute are known."}, "cadence_why": {"type": "string", "description": "Why not, and what to do; absent where it is available.", "maxLength": 256}, "distance": {"type": "boolean", "description": "Whether metres are known."}, "distance_why": {"type": "string", "description": "Why not, and what to do; absent where it is available.", "maxLength": 256}, "pace": {"type": "boolean", "description": "Whether seconds a metre are known."}, "pace_why": {"type": "string", "description": "Why not, and what to do; absent where it is available.", "maxLength": 256}, "floors": {"type": "boolean", "description": "Whether floors gone up and down are known."}, "floors_why": {"type": "string", "description": "Why not, and what to do; absent where it is available.", "maxLength": 256}, "activity": {"type": "boolean", "description": "Whether it is recognised what the wearer does."}, "activity_why": {"type": "string", "description": "Why not, and what to do; absent where it is available.", "maxLength": 256}, "events": {"type": "boolean", "description": "Whether pauses and resumptions are told."}, "events_why": {"type": "string", "description": "Why not, and what to do; absent where it is available.", "maxLength": 256}, "note": {"type": "string", "description": "What the device's messages cannot tell, in words, as on its health; absent where nothing is missing.", "maxLength": 256}, "authorised": {"type": "boolean", "description": "Whether the asker may ask everything, with the key of this request or without one."}, "not_authorised": {"type": "string", "description": "The verbs that need a key which this request did not carry, separated by commas; absent where authorised is true.", "maxLength": 256}}, "required": ["device", "kind", "steps", "revolutions", "cadence", "distance", "pace", "floors", "activity", "events"]}
"""#,
"compact-data.schema.json": #"""
{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://stridebus.example/schemas/compact-data.schema.json", "title": "Compact data", "description": "The data of a reply to a request with compact. Columns: history/days has date, steps, revolutions, distance_m, active_s, covered_s, revision; history/series has start, steps, revolutions, distance_m, cadence, active_s, covered_s; history/interval has one row of from, to, steps, revolutions, distance_m, cadence, active_s, covered_s; history/activity has start, end, activity, confidence, steps, revolutions; devices has device, kind, first_t, last_t, steps, revolutions; people with a person has start, steps, revolutions, distance_m, active_s, covered_s.", "type": "object", "properties": {"rows": {"type": "array", "description": "The rows.", "items": {"type": "array", "description": "Values in the order of the verb's columns; 0 for what is not known.", "items": {"type": ["string", "number"]}}, "maxItems": 5000}, "cursor": {"type": "string", "description": "Where the next page begins; absent on the last.", "maxLength": 256}}, "required": ["rows"]}
"""#,
"config.schema.json": #"""
{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://stridebus.example/schemas/config.schema.json", "title": "Configuration", "description": "What the operator says about a device, retained on {device}/config. Everything has a default.", "type": "object", "properties": {"kind": {"type": "string", "description": "What the device is. Default unknown: what it does is recognised.", "enum": ["bike", "wearable", "unknown"]}, "placement": {"type": "string", "description": "Where the sensor is. Default unknown.", "enum": ["wrist", "hand", "pocket", "bag", "hip", "back", "thigh", "ankle", "foot", "frame", "crank", "unknown"]}, "zone": {"type": "string", "description": "The IANA name of the time zone whose days the device has. Default: that of the service.", "maxLength": 64}, "day_start": {"type": "string", "description": "When a day begins, local time. Default 00:00.", "maxLength": 5, "pattern": "^[0-2][0-9]:[0-5][0-9]$"}, "metres_per_stride": {"type": "number", "description": "Metres of one stride, which is two steps, as measured.", "minimum": 0.1, "maximum": 5}, "height_m": {"type": "number", "description": "The height of who wears the device, in metres. Without metres_per_stride the length of a step follows from it and from the rate of the steps.", "minimum": 0.5, "maximum": 2.5}, "metres_per_revolution": {"type": "number", "description": "Metres of one crank revolution.", "minimum": 0.1, "maximum": 50}, "person": {"type": "string", "description": "Whose device it is.", "maxLength": 256}, "estimator": {"type": "string", "description": "Which counter works on the signal: the rules on its period (the default), a model fitted to recordings where the sensor is on a person, or the prototype's rule.", "enum": ["periodic", "fitted", "prototype"]}, "sensor": {"type": "string", "description": "The sensor that the prototype counts on; needed where it is the estimator.", "enum": ["acc", "gyro", "mag"]}, "axis": {"type": "string", "description": "The axis of that sensor.", "enum": ["x", "y", "z"]}, "f": {"type": "number", "description": "The prototype's low-pass: the share of the last value.", "minimum": 0.75, "maximum": 1}, "q": {"type": "number", "description": "The factor before the prototype truncates.", "minimum": 1, "maximum": 600}}, "additionalProperties": {"description": "A field of another program, which stridebus passes over."}, "required": []}
"""#,
"count.schema.json": #"""
{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://stridebus.example/schemas/count.schema.json", "title": "Device count", "description": "Steps that a device has counted itself, on {device}/count. interval needs from and to: the same interval again replaces the earlier number. day counts since local midnight, boot since the device started.", "type": "object", "properties": {"kind": {"type": "string", "description": "What the number counts.", "enum": ["interval", "day", "boot"]}, "steps": {"type": "integer", "description": "Steps.", "minimum": 0, "maximum": 9007199254740992}, "from": {"type": "number", "description": "Beginning of an interval. UTC: seconds since 1970; milliseconds, microseconds or nanoseconds are told by their magnitude.", "minimum": 0}, "to": {"type": "number", "description": "End of an interval, not included; at most 31 days later. UTC: seconds since 1970; milliseconds, microseconds or nanoseconds are told by their magnitude.", "minimum": 0}, "t": {"type": "number", "description": "When the counter was read; arrival where it is missing. UTC: seconds since 1970; milliseconds, microseconds or nanoseconds are told by their magnitude.", "minimum": 0}, "boot": {"description": "The life of a boot counter. A whole number, or text of at most 32 bytes.", "type": ["integer", "string"], "maxLength": 32}}, "required": ["kind", "steps"]}
"""#,
"day.schema.json": #"""
{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://stridebus.example/schemas/day.schema.json", "title": "Day", "description": "One calendar day of a device, by its zone and day start: today's, retained on {device}/day, and the records of history/days.", "type": "object", "properties": {"date": {"type": "string", "description": "The local date.", "maxLength": 10, "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}, "zone": {"type": "string", "description": "The IANA name of the time zone whose day it is.", "maxLength": 64}, "steps": {"type": "integer", "description": "Steps.", "minimum": 0}, "revolutions": {"type": "integer", "description": "Crank revolutions.", "minimum": 0}, "distance_m": {"type": "number", "description": "Metres.", "minimum": 0}, "active_s": {"type": "number", "description": "Seconds with steps or revolutions.", "minimum": 0}, "covered_s": {"type": "number", "description": "Seconds for which samples exist. 0 with steps 0 says that nothing is known.", "minimum": 0}, "floors_ascended": {"type": "integer", "description": "Floors of three metres gone up on foot; absent where no barometer told its pressure.", "minimum": 0}, "floors_descended": {"type": "integer", "description": "Floors of three metres gone down on foot; absent where no barometer told its pressure.", "minimum": 0}, "revision": {"type": "integer", "description": "Grows with every change of this record.", "minimum": 0}, "final": {"type": "boolean", "description": "Whether the day has been over for an hour. Late data may still change it."}, "end": {"type": "number", "description": "The first instant after the day, in seconds since 1970 (UTC): when it passes, another day begins. Only on {device}/day.", "minimum": 0, "maximum": 253402300799}}, "required": ["date", "zone", "steps", "revolutions", "distance_m", "active_s", "covered_s", "revision", "final"]}
"""#,
"days-data.schema.json": #"""
{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://stridebus.example/schemas/days-data.schema.json", "title": "Days", "description": "The data of history/days.", "type": "object", "properties": {"device": {"type": "string", "description": "The id of a device.", "pattern": "^[a-z0-9][a-z0-9-]{0,62}$"}, "days": {"type": "array", "description": "The days, in their order.", "items": {"$ref": "day.schema.json"}, "maxItems": 5000}, "cursor": {"type": "string", "description": "Where the next page begins; absent on the last.", "maxLength": 256}}, "required": ["device", "days"]}
"""#,
"device-health.schema.json": #"""
{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://stridebus.example/schemas/device-health.schema.json", "title": "Device health", "description": "What is wrong with a device's data, retained on {device}/health.", "type": "object", "properties": {"t": {"type": "number", "description": "When, in seconds since 1970 (UTC), with fraction.", "minimum": 0, "maximum": 253402300799}, "ok": {"type": "boolean", "description": "Whether nothing is wrong."}, "problem": {"type": "string", "description": "What is wrong, in words.", "maxLength": 256}, "note": {"type": "string", "description": "What is worth knowing though it is not wrong, in words.", "maxLength": 256}, "rate_hz": {"type": "number", "description": "Samples a second, as measured; absent where none come.", "minimum": 0, "maximum": 1000000}, "sensors": {"type": "string", "description": "The sensors that come, by the names that frames have for them (acc, gyro, mag, pressure), separated by commas.", "maxLength": 256}, "time_from": {"type": "string", "description": "Where the time of the samples is taken from: the device's own clock, the time since its start, the number of samples, or the arrival of the message.", "enum": ["device", "uptime", "samples", "arrival"]}, "self_counted": {"type": "string", "description": "What the device counts itself.", "enum": ["steps", "revolutions", "cadence"]}, "accepted": {"type": "integer", "description": "Messages counted.", "minimum": 0}, "duplicate": {"type": "integer", "description": "Messages seen before.", "minimum": 0}, "late": {"type": "integer", "description": "Messages too late to be counted in their order.", "minimum": 0}, "missing": {"type": "integer", "description": "Messages that never came, by the gaps in their sequence.", "minimum": 0}, "refused": {"type": "integer", "description": "Messages refused, for any reason.", "minimum": 0}, "refused_unknown_topic": {"type": "integer", "description": "Messages refused as unknown topic; absent where there was none.", "minimum": 0}, "refused_invalid_device_id": {"type": "integer", "description": "Messages refused as invalid device id; absent where there was none.", "minimum": 0}, "refused_empty_payload": {"type": "integer", "description": "Messages refused as empty payload; absent where there was none.", "minimum": 0}, "refused_payload_too_large": {"type": "integer", "description": "Messages refused as payload too large; absent where there was none.", "minimum": 0}, "refused_malformed": {"type": "integer", "description": "Messages refused as malformed; absent where there was none.", "minimum": 0}, "refused_wrong_type": {"type": "integer", "description": "Messages refused as wrong type; absent where there was none.", "minimum": 0}, "refused_out_of_range": {"type": "integer", "description": "Messages refused as out of range; absent where there was none.", "minimum": 0}, "refused_absurd_rate": {"type": "integer", "description": "Messages refused as absurd rate; absent where there was none.", "minimum": 0}, "refused_absurd_time": {"type": "integer", "description": "Messages refused as absurd time; absent where there was none.", "minimum": 0}, "refused_too_many_samples": {"type": "integer", "description": "Messages refused as too many samples; absent where there was none.", "minimum": 0}, "refused_not_utf8": {"type": "integer", "description": "Messages refused as not utf8; absent where there was none.", "minimum": 0}, "refused_no_samples": {"type": "integer", "description": "Messages refused as no samples; absent where there was none.", "minimum": 0}, "refused_uneven_sensors": {"type": "integer", "description": "Messages refused as uneven sensors; absent where there was none.", "minimum": 0}, "refused_unsupported_version": {"type": "integer", "description": "Messages refused as unsupported version; absent where there was none.", "minimum": 0}, "refused_retained_data": {"type": "integer", "description": "Messages refused as retained data; absent where there was none.", "minimum": 0}, "refused_too_many_devices": {"type": "integer", "description": "Messages refused as too many devices; absent where there was none.", "minimum": 0}, "refused_contradiction": {"type": "integer", "description": "Messages refused as contradiction; absent where there was none.", "minimum": 0}, "refused_two_machines": {"type": "integer", "description": "Messages refused as two machines; absent where there was none.", "minimum": 0}}, "required": ["t", "ok", "accepted", "duplicate", "late", "missing", "refused"]}
"""#,
"devices-data.schema.json": #"""
{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://stridebus.example/schemas/devices-data.schema.json", "title": "Devices", "description": "The data of devices.", "type": "object", "properties": {"devices": {"type": "array", "description": "The devices, by their ids.", "items": {"type": "object", "required": ["device", "kind", "zone", "first_t", "last_t", "steps", "revolutions"], "properties": {"device": {"type": "string", "description": "The id of a device.", "pattern": "^[a-z0-9][a-z0-9-]{0,62}$"}, "kind": {"type": "string", "description": "What the device is.", "enum": ["bike", "wearable", "unknown"]}, "placement": {"type": "string", "description": "Where its sensor is, where the operator has said so.", "maxLength": 256}, "zone": {"type": "string", "description": "The IANA name of the time zone.", "maxLength": 64}, "first_t": {"type": "number", "description": "When it was first active, in seconds since 1970 (UTC).", "minimum": 0, "maximum": 253402300799}, "last_t": {"type": "number", "description": "When it was last active, in seconds since 1970 (UTC).", "minimum": 0, "maximum": 253402300799}, "steps": {"type": "integer", "description": "Steps for ever.", "minimum": 0}, "revolutions": {"type": "integer", "description": "Crank revolutions for ever.", "minimum": 0}, "new": {"type": "boolean", "description": "Whether no operator has said anything about it, so that it works with defaults; absent where one has."}}}, "maxItems": 5000}, "cursor": {"type": "string", "description": "Where the next page begins; absent on the last.", "maxLength": 256}}, "required": ["devices"]}
"""#,
"forget-data.schema.json": #"""
{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://stridebus.example/schemas/forget-data.schema.json", "title": "Forgotten", "description": "The data of people/forget and devices/forget: what was deleted.", "type": "object", "properties": {"devices": {"type": "integer", "description": "Devices about which something was deleted.", "minimum": 0}, "minutes": {"type": "integer", "description": "Minutes, and hours beyond the retention of minutes, that were deleted.", "minimum": 0}}, "required": ["devices", "minutes"]}
"""#,
"frame-compact.schema.json": #"""
{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://stridebus.example/schemas/frame-compact.schema.json", "title": "Compact frame", "description": "Raw samples on {device}/imu in few bytes: twelve samples fit a packet of 256 bytes.", "type": "object", "properties": {"b": {"description": "Changes at every start of the device: a whole number, or text of at most 32 bytes. 7 and \"7\" are the same. Needs s.", "type": ["integer", "string"], "maxLength": 32}, "s": {"type": "integer", "description": "Counts the messages of this boot from 0. Needs b.", "minimum": 0}, "t": {"type": "number", "description": "Time of the first sample by the device's own clock, in milliseconds since it started; milliseconds since 1970 are told by their magnitude.", "minimum": 0}, "hz": {"type": "number", "description": "Samples a second.", "minimum": 1, "maximum": 1000}, "a": {"type": "array", "description": "Acceleration with gravity, in thousandths of 9.80665 m/s²: x, y, z of one sample after another.", "items": {"type": "number"}, "minItems": 3, "maxItems": 12288}, "g": {"type": "array", "description": "Angular velocity, in thousandths of rad/s: x, y, z of one sample after another.", "items": {"type": "number"}, "minItems": 3, "maxItems": 12288}, "p": {"type": "array", "description": "Pressure of the air, Pa, evenly over the frame: a few values will do, or one. Alone they are the samples of the frame.", "items": {"type": "number", "minimum": 0, "maximum": 200000}, "minItems": 1, "maxItems": 4096}}, "required": [], "anyOf": [{"required": ["a"]}, {"required": ["g"]}, {"required": ["p"]}], "dependencies": {"b": ["s"], "s": ["b"]}}
"""#,
"frame.schema.json": #"""
{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://stridebus.example/schemas/frame.schema.json", "title": "Frame", "description": "Raw samples on {device}/imu. SI units. At least one of acc, gyro, mag, pressure, userAcceleration and rotationRate; all with the same number of rows, but mag may have fewer, and pressure any number. At most 262144 bytes.", "type": "object", "properties": {"boot": {"description": "Changes at every start of the device: a whole number, or text of at most 32 bytes. 7 and \"7\" are the same. Needs seq.", "type": ["integer", "string"], "maxLength": 32}, "seq": {"type": "integer", "description": "Counts the messages of this boot from 0. Needs boot.", "minimum": 0}, "t": {"type": "number", "description": "Time of the first sample. UTC: seconds since 1970; milliseconds, microseconds or nanoseconds are told by their magnitude.", "minimum": 0}, "uptime_ms": {"type": "number", "description": "Time of the first sample. Milliseconds since the device started, on a device without a clock.", "minimum": 0}, "rate_hz": {"type": "number", "description": "Samples a second, where they are evenly spaced. Not together with dt_ms.", "minimum": 1, "maximum": 1000}, "dt_ms": {"description": "Milliseconds from each sample to the next, one less than there are samples; or one number for all.", "type": ["array", "number"], "items": {"type": "number", "minimum": 0, "maximum": 10000}, "maxItems": 4095}, "acc": {"type": "array", "description": "Acceleration with gravity, m/s²: rows of x, y, z.", "items": {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3}, "minItems": 1, "maxItems": 4096}, "gyro": {"type": "array", "description": "Angular velocity, rad/s: rows of x, y, z.", "items": {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3}, "minItems": 1, "maxItems": 4096}, "mag": {"type": "array", "description": "Magnetic field, µT: rows of x, y, z.", "items": {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3}, "minItems": 1, "maxItems": 4096}, "pressure": {"type": "array", "description": "Pressure of the air, hPa, evenly over the frame: a barometer is slow, so a few values will do, or one. Alone they are the samples of the frame.", "items": {"type": "number", "minimum": 0, "maximum": 2000}, "minItems": 1, "maxItems": 4096}, "userAcceleration": {"type": "array", "description": "Acceleration without gravity, m/s². With gravity beside it the two are added. Ignored where acc is there.", "items": {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3}, "minItems": 1, "maxItems": 4096}, "gravity": {"type": "array", "description": "Gravity, m/s²; only beside userAcceleration.", "items": {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3}, "minItems": 1, "maxItems": 4096}, "rotationRate": {"type": "array", "description": "Angular velocity, rad/s. Ignored where gyro is there.", "items": {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3}, "minItems": 1, "maxItems": 4096}, "attitude": {"description": "Accepted and not used."}}, "required": [], "anyOf": [{"required": ["acc"]}, {"required": ["gyro"]}, {"required": ["mag"]}, {"required": ["userAcceleration"]}, {"required": ["rotationRate"]}, {"required": ["pressure"]}], "dependencies": {"boot": ["seq"], "seq": ["boot"]}}
"""#,
"interval-data.schema.json": #"""
{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://stridebus.example/schemas/interval-data.schema.json", "title": "Interval", "description": "The data of history/interval: one record for [from, to).", "type": "object", "properties": {"device": {"type": "string", "description": "The id of a device.", "pattern": "^[a-z0-9][a-z0-9-]{0,62}$"}, "from": {"type": "number", "description": "The beginning, in seconds since 1970 (UTC).", "minimum": 0, "maximum": 253402300799}, "to": {"type": "number", "description": "The end, not included, in seconds since 1970 (UTC).", "minimum": 0, "maximum": 253402300799}, "steps": {"type": "integer", "description": "Steps.", "minimum": 0}, "strides": {"type": "integer", "description": "Strides: two steps each.", "minimum": 0}, "revolutions": {"type": "integer", "description": "Crank revolutions.", "minimum": 0}, "distance_m": {"type": "number", "description": "Metres.", "minimum": 0}, "active_s": {"type": "number", "description": "Seconds with steps or revolutions.", "minimum": 0}, "covered_s": {"type": "number", "description": "Seconds for which samples exist. 0 with steps 0 says that nothing is known.", "minimum": 0}, "cadence_avg_rpm": {"type": "number", "description": "Mean crank revolutions a minute of active time, weighted by time; absent without any.", "minimum": 0, "maximum": 1000}, "cadence_min_rpm": {"type": "number", "description": "The fewest crank revolutions a minute above 0; absent without any.", "minimum": 0, "maximum": 1000}, "cadence_max_rpm": {"type": "number", "description": "The most crank revolutions a minute; absent without any.", "minimum": 0, "maximum": 1000}, "cadence_avg_spm": {"type": "number", "description": "Mean steps a minute of active time, weighted by time; absent without any.", "minimum": 0, "maximum": 1000}, "cadence_min_spm": {"type": "number", "description": "The fewest steps a minute above 0; absent without any.", "minimum": 0, "maximum": 1000}, "cadence_max_spm": {"type": "number", "description": "The most steps a minute; absent without any.", "minimum": 0, "maximum": 1000}, "pace_avg_s_per_m": {"type": "number", "description": "Mean seconds a metre of active time; absent without distance.", "minimum": 0}, "speed_avg_kmh": {"type": "number", "description": "Mean kilometres an hour of active time; bikes whose config has metres_per_revolution.", "minimum": 0}, "cadence_now_rpm": {"type": "number", "description": "Crank revolutions a minute in the last minute; only of an interval that reaches up to now.", "minimum": 0, "maximum": 1000}, "cadence_now_spm": {"type": "number", "description": "Steps a minute in the last minute; only of an interval that reaches up to now.", "minimum": 0, "maximum": 1000}, "pace_now_s_per_m": {"type": "number", "description": "Seconds a metre in the last minute; only of an interval that reaches up to now.", "minimum": 0}, "speed_now_kmh": {"type": "number", "description": "Kilometres an hour in the last minute; bikes whose config has metres_per_revolution. Only of an interval that reaches up to now, while something moves.", "minimum": 0, "maximum": 10000}, "floors_ascended": {"type": "integer", "description": "Floors of three metres gone up on foot; absent where no barometer told its pressure.", "minimum": 0}, "floors_descended": {"type": "integer", "description": "Floors of three metres gone down on foot; absent where no barometer told its pressure.", "minimum": 0}, "resolution_s": {"type": "integer", "description": "What from and to are whole multiples of, in seconds: a time inside one takes in all of it: from is moved down and to up.", "minimum": 1, "maximum": 86400}, "partial_minute": {"type": "boolean", "description": "Whether the interval asked for begins or ends inside a minute: from and to are then the whole minutes that this record is about."}}, "required": ["device", "from", "to", "steps", "revolutions", "distance_m", "active_s", "covered_s", "resolution_s"]}
"""#,
"live-lease-data.schema.json": #"""
{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://stridebus.example/schemas/live-lease-data.schema.json", "title": "Live lease", "description": "The data of live/start: notices come until the lease ends; the same request again renews it. Renew it every 30 s with the from of this reply: a history that was restarted knows of the lease by that alone.", "type": "object", "properties": {"device": {"type": "string", "description": "The id of a device.", "pattern": "^[a-z0-9][a-z0-9-]{0,62}$"}, "counts": {"type": "string", "description": "What is counted.", "enum": ["steps", "revolutions"]}, "every": {"type": "integer", "description": "There is a notice at every so many.", "minimum": 1, "maximum": 1000000}, "from": {"type": "number", "description": "Since when it is counted, in seconds since 1970 (UTC).", "minimum": 0, "maximum": 253402300799}, "counted": {"type": "integer", "description": "How many there were so far.", "minimum": 0}, "number": {"type": "integer", "description": "The number of the last notice due so far; the first one is 1.", "minimum": 0}, "expires_t": {"type": "number", "description": "Until when notices come without a renewal, in seconds since 1970 (UTC).", "minimum": 0, "maximum": 253402300799}}, "required": ["device", "counts", "every", "from", "counted", "number", "expires_t"]}
"""#,
"live-notice.schema.json": #"""
{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://stridebus.example/schemas/live-notice.schema.json", "title": "Live notice", "description": "The data of a notice, sent where live/start was answered. A notice that is lost is made good by the next, which carries what was counted since the lease's beginning. After a restart of history a number may come again: pass over those that are not greater than the last one.", "type": "object", "properties": {"device": {"type": "string", "description": "The id of a device.", "pattern": "^[a-z0-9][a-z0-9-]{0,62}$"}, "counts": {"type": "string", "description": "What is counted.", "enum": ["steps", "revolutions"]}, "number": {"type": "integer", "description": "Counts the notices of a lease from 1. The same number is always the same count.", "minimum": 0}, "counted": {"type": "integer", "description": "How many there were since the lease's beginning: number times every.", "minimum": 0}, "today": {"type": "integer", "description": "How many there were today, by the device's own calendar.", "minimum": 0}, "t": {"type": "number", "description": "When the notice was sent, in seconds since 1970 (UTC).", "minimum": 0, "maximum": 253402300799}}, "required": ["device", "counts", "number", "counted", "today", "t"]}
"""#,
"live-stop-data.schema.json": #"""
{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://stridebus.example/schemas/live-stop-data.schema.json", "title": "Live stop", "description": "The data of live/stop.", "type": "object", "properties": {"device": {"type": "string", "description": "The id of a device.", "pattern": "^[a-z0-9][a-z0-9-]{0,62}$"}, "stopped": {"type": "boolean", "description": "Whether there was a lease to end."}}, "required": ["device", "stopped"]}
"""#,
"people-data.schema.json": #"""
{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://stridebus.example/schemas/people-data.schema.json", "title": "People", "description": "The data of people without a person: who has which devices.", "type": "object", "properties": {"people": {"type": "array", "description": "The people, by their names.", "items": {"type": "object", "required": ["person", "devices"], "properties": {"person": {"type": "string", "description": "Whose.", "minLength": 1, "maxLength": 256}, "devices": {"type": "array", "description": "Whose data are the person's, and when.", "items": {"$ref": "assignment-data.schema.json"}, "maxItems": 5000}}}, "maxItems": 5000}, "cursor": {"type": "string", "description": "Where the next page begins; absent on the last.", "maxLength": 256}}, "required": ["people"]}
"""#,
"person-data.schema.json": #"""
{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://stridebus.example/schemas/person-data.schema.json", "title": "Person", "description": "The data of people with a person: what all devices together say, each minute from one of them.", "type": "object", "properties": {"person": {"type": "string", "description": "Whose.", "minLength": 1, "maxLength": 256}, "zone": {"type": "string", "description": "The IANA name of the zone whose calendar the buckets have.", "maxLength": 64}, "bucket": {"type": "string", "description": "The length of a bucket.", "enum": ["minute", "hour", "day", "week", "month"]}, "buckets": {"type": "array", "description": "The buckets, in their order.", "items": {"type": "object", "required": ["start", "steps", "revolutions", "distance_m", "active_s", "covered_s", "by_source"], "properties": {"start": {"type": "number", "description": "The first instant of the bucket, in seconds since 1970 (UTC).", "minimum": 0, "maximum": 253402300799}, "steps": {"type": "integer", "description": "Steps, merged.", "minimum": 0}, "revolutions": {"type": "integer", "description": "Crank revolutions, merged.", "minimum": 0}, "distance_m": {"type": "number", "description": "Metres, merged.", "minimum": 0}, "active_s": {"type": "number", "description": "Seconds with steps or revolutions, merged.", "minimum": 0}, "covered_s": {"type": "number", "description": "Seconds for which the devices that were believed have samples.", "minimum": 0}, "floors_ascended": {"type": "integer", "description": "Floors of three metres gone up on foot; absent where no barometer told its pressure.", "minimum": 0}, "floors_descended": {"type": "integer", "description": "Floors of three metres gone down on foot; absent where no barometer told its pressure.", "minimum": 0}, "by_source": {"type": "array", "description": "What each device said by itself, and how much of it was taken.", "items": {"type": "object", "required": ["device", "steps", "steps_used", "revolutions", "revolutions_used", "covered_s"], "properties": {"device": {"type": "string", "description": "The id of a device.", "pattern": "^[a-z0-9][a-z0-9-]{0,62}$"}, "steps": {"type": "integer", "description": "Steps that it counted while it was the person's.", "minimum": 0}, "steps_used": {"type": "integer", "description": "Those of them that are in the total.", "minimum": 0}, "revolutions": {"type": "integer", "description": "Crank revolutions that it counted while it was the person's.", "minimum": 0}, "revolutions_used": {"type": "integer", "description": "Those of them that are in the total.", "minimum": 0}, "covered_s": {"type": "number", "description": "Seconds for which it has samples.", "minimum": 0}}}, "maxItems": 5000}}}, "maxItems": 5000}, "cursor": {"type": "string", "description": "Where the next page begins; absent on the last.", "maxLength": 256}}, "required": ["person", "zone", "bucket", "buckets"]}
"""#,
"reply.schema.json": #"""
{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://stridebus.example/schemas/reply.schema.json", "title": "Reply", "description": "The answer to a request: data, or why there is none.", "type": "object", "properties": {"status": {"type": "string", "description": "Whether there is data.", "enum": ["ok", "error"]}, "transaction": {"description": "What the asker knows the reply by; given back as it came.", "type": ["string", "integer"], "maxLength": 128}, "data": {"type": "object", "description": "The data: its schema is that of the verb."}, "error": {"type": "object", "description": "Why there is no data.", "required": ["code", "message"], "properties": {"code": {"type": "string", "description": "The word for a program.", "enum": ["bad_request", "unknown_device", "unknown_verb", "not_available", "not_authorised", "too_large", "too_busy", "expired", "internal"]}, "message": {"type": "string", "description": "The sentence for a human: what is wrong, and what to do.", "maxLength": 1024}}}}, "required": ["status"], "oneOf": [{"properties": {"status": {"const": "ok"}}, "required": ["data"]}, {"properties": {"status": {"const": "error"}}, "required": ["error"]}]}
"""#,
"request.schema.json": #"""
{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://stridebus.example/schemas/request.schema.json", "title": "Request", "description": "A question on request/{verb}. Which fields a verb needs is said with the verb in asyncapi.yaml. An empty payload asks without saying anything. At most 4096 bytes.", "type": "object", "properties": {"device": {"type": "string", "description": "The id of a device.", "pattern": "^[a-z0-9][a-z0-9-]{0,62}$"}, "from": {"description": "The beginning of the time asked about, included. A local date (2026-11-20), an ISO 8601 instant with offset (2026-11-20T17:00:00Z) or seconds since 1970.", "type": ["string", "number"], "maxLength": 40}, "to": {"description": "The end of the time asked about, not included. A local date (2026-11-20), an ISO 8601 instant with offset (2026-11-20T17:00:00Z) or seconds since 1970.", "type": ["string", "number"], "maxLength": 40}, "zone": {"type": "string", "description": "The IANA name of the zone whose days are meant, instead of the device's own.", "maxLength": 64}, "bucket": {"type": "string", "description": "The length of a bucket.", "enum": ["minute", "hour", "day", "week", "month"]}, "limit": {"type": "integer", "description": "The most records of one reply.", "minimum": 1, "maximum": 5000}, "cursor": {"type": "string", "description": "Where the reply before ended.", "maxLength": 256}, "reply_to": {"type": "string", "description": "The topic to answer on, below {root}/reply/, for clients without a Response Topic (MQTT 3.1.1).", "maxLength": 256}, "transaction": {"description": "What the asker knows the reply by; given back as it came.", "type": ["string", "integer"], "maxLength": 128}, "deadline": {"type": "number", "description": "Until when an answer is of use, in seconds since 1970 (UTC).", "minimum": 0, "maximum": 253402300799}, "every": {"type": "integer", "description": "live/start: after how many steps or revolutions there is a notice.", "minimum": 1, "maximum": 1000000}, "counts": {"type": "string", "description": "live/start: what notices count. Revolutions for a bike and steps for any other device without it.", "enum": ["steps", "revolutions"]}, "lease_s": {"type": "integer", "description": "live/start: for how long notices come unless the same request comes again. Default 90, for one who renews every 30 s.", "minimum": 10, "maximum": 86400}, "person": {"type": "string", "description": "people: about whom.", "minLength": 1, "maxLength": 256}, "priority": {"type": "integer", "description": "people/checkin: which of a person's devices is believed first, the one with the smallest number. Without it, the one that is best placed for counting.", "minimum": 0, "maximum": 1000}, "max_bytes": {"type": "integer", "description": "The largest reply that the asker can take, in bytes: records beyond it are left to the next page.", "minimum": 128, "maximum": 1048576}, "compact": {"type": "boolean", "description": "Whether records come as rows of values (compact-data.schema.json) instead of named ones."}, "config": {"type": "object", "description": "The config that a device is to have (config.schema.json); the reply says what is wrong with it."}, "keep_unknown": {"type": "boolean", "description": "devices/configure: whether fields of config that stridebus does not have are kept. Without it they are refused, because a misspelt field would do nothing."}, "key": {"type": "string", "description": "The key, for a verb that history protects. Whoever may subscribe to requests can read it: the broker's access lists should let nobody.", "maxLength": 256}}, "required": []}
"""#,
"rev.schema.json": #"""
{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://stridebus.example/schemas/rev.schema.json", "title": "Revolutions", "description": "A count of crank revolutions on {device}/rev. The number of revolutions alone, without braces, is a payload too.", "type": "object", "properties": {"boot": {"description": "Changes at every start of the device: a whole number, or text of at most 32 bytes. 7 and \"7\" are the same. Needs seq.", "type": ["integer", "string"], "maxLength": 32}, "seq": {"type": "integer", "description": "Counts the messages of this boot from 0. Needs boot.", "minimum": 0}, "t": {"type": "number", "description": "UTC: seconds since 1970; milliseconds, microseconds or nanoseconds are told by their magnitude.", "minimum": 0}, "uptime_ms": {"type": "number", "description": "Milliseconds since the device started, on a device without a clock.", "minimum": 0}, "revolutions": {"type": "integer", "description": "Crank revolutions since this boot began.", "minimum": 0, "maximum": 9007199254740992}}, "required": ["revolutions"], "dependencies": {"boot": ["seq"], "seq": ["boot"]}}
"""#,
"series-data.schema.json": #"""
{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://stridebus.example/schemas/series-data.schema.json", "title": "Series", "description": "The data of history/series.", "type": "object", "properties": {"device": {"type": "string", "description": "The id of a device.", "pattern": "^[a-z0-9][a-z0-9-]{0,62}$"}, "bucket": {"type": "string", "description": "The length of a bucket.", "enum": ["minute", "hour", "day", "week", "month"]}, "buckets": {"type": "array", "description": "The buckets, in their order.", "items": {"type": "object", "required": ["start", "steps", "revolutions", "active_s", "covered_s"], "properties": {"start": {"type": "number", "description": "The first instant of the bucket, in seconds since 1970 (UTC).", "minimum": 0, "maximum": 253402300799}, "steps": {"type": "integer", "description": "Steps.", "minimum": 0}, "revolutions": {"type": "integer", "description": "Crank revolutions.", "minimum": 0}, "distance_m": {"type": "number", "description": "Metres.", "minimum": 0}, "cadence_avg_rpm": {"type": "number", "description": "Mean crank revolutions a minute of active time, weighted by time; absent without any.", "minimum": 0, "maximum": 1000}, "cadence_min_rpm": {"type": "number", "description": "The fewest crank revolutions a minute above 0; absent without any.", "minimum": 0, "maximum": 1000}, "cadence_max_rpm": {"type": "number", "description": "The most crank revolutions a minute; absent without any.", "minimum": 0, "maximum": 1000}, "cadence_avg_spm": {"type": "number", "description": "Mean steps a minute of active time, weighted by time; absent without any.", "minimum": 0, "maximum": 1000}, "cadence_min_spm": {"type": "number", "description": "The fewest steps a minute above 0; absent without any.", "minimum": 0, "maximum": 1000}, "cadence_max_spm": {"type": "number", "description": "The most steps a minute; absent without any.", "minimum": 0, "maximum": 1000}, "active_s": {"type": "number", "description": "Seconds with steps or revolutions.", "minimum": 0}, "covered_s": {"type": "number", "description": "Seconds for which samples exist. 0 with steps 0 says that nothing is known.", "minimum": 0}, "floors_ascended": {"type": "integer", "description": "Floors of three metres gone up on foot; absent where no barometer told its pressure.", "minimum": 0}, "floors_descended": {"type": "integer", "description": "Floors of three metres gone down on foot; absent where no barometer told its pressure.", "minimum": 0}}}, "maxItems": 5000}, "cursor": {"type": "string", "description": "Where the next page begins; absent on the last.", "maxLength": 256}}, "required": ["device", "bucket", "buckets"]}
"""#,
"service-health.schema.json": #"""
{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://stridebus.example/schemas/service-health.schema.json", "title": "Service health", "description": "What a service counted since it started, retained on service/{name}/health: every other field is one of its counters.", "type": "object", "properties": {"t": {"type": "number", "description": "When, in seconds since 1970 (UTC), with fraction.", "minimum": 0, "maximum": 253402300799}, "service": {"type": "string", "description": "Whose counters.", "enum": ["ingest", "counter", "history"]}}, "required": ["t", "service"], "additionalProperties": {"type": "integer", "minimum": 0}}
"""#,
"steps.schema.json": #"""
{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://stridebus.example/schemas/steps.schema.json", "title": "Steps", "description": "Steps as they are counted, on {device}/steps.", "type": "object", "properties": {"t": {"type": "number", "description": "When, in seconds since 1970 (UTC), with fraction.", "minimum": 0, "maximum": 253402300799}, "steps": {"type": "integer", "description": "Steps since the message before.", "minimum": 0}, "total": {"type": "integer", "description": "Steps for ever.", "minimum": 0}, "cadence_spm": {"type": "number", "description": "Steps a minute.", "minimum": 0, "maximum": 1000}, "distance_m": {"type": "number", "description": "Metres for ever, where the length of a stride is known.", "minimum": 0}, "pace_s_per_m": {"type": "number", "description": "Seconds a metre now, where the length of a stride is known.", "minimum": 0}}, "required": ["t", "steps", "total", "cadence_spm"]}
"""#,
"stridebus.proto": #"""
// The protobuf form of a sensor frame, published on {root}/{device}/imu.
//
// Small enough for nanopb on a microcontroller: whole numbers with a scale, no strings, no sub-messages. With nanopb,
// bound the arrays in an options file, for example
//
//     stridebus.Frame.acc         max_count:150
//     stridebus.Frame.gyro        max_count:150
//     stridebus.Frame.mag         max_count:150
//     stridebus.Frame.interval_us max_count:49
//     stridebus.Frame.pressure    max_count:5
//
// `magic` must be set, and must come first on the wire: protobuf libraries write fields in the order of their numbers.

syntax = "proto3";

package stridebus;

message Frame {
  // Always 0x31464253, which is "SBF1" in the order of its bytes: it tells this form from all others.
  fixed32 magic = 1;

  // The identity of the frame: `boot` changes at every start of the device (a counter in flash, or a random number),
  // `seq` counts its frames from 0. Both or neither.
  optional uint64 boot = 2;
  optional uint64 seq = 3;

  // The time of the first sample: microseconds since 1970 in UTC, or since the device started where it has no clock.
  optional uint64 utc_us = 4;
  optional uint64 uptime_us = 5;

  // The spacing of the samples: one period for all (20000000 is 50 Hz), or the microseconds from each sample to the
  // next, one less than there are samples.
  uint32 period_ns = 6;
  repeated uint32 interval_us = 7;

  // x, y, z of one sample after another. number * scale is in the unit of the sensor; without a scale it is the
  // default one. All sensors have as many samples, but the magnetometer may have fewer.

  // Acceleration with gravity. Unit m/s^2, default scale 0.001.
  float acc_scale = 8;
  repeated sint32 acc = 9;

  // Angular velocity. Unit rad/s, default scale 0.001.
  float gyro_scale = 10;
  repeated sint32 gyro = 11;

  // Magnetic field. Unit uT, default scale 0.1.
  float mag_scale = 12;
  repeated sint32 mag = 13;

  // Whether the acceleration is without gravity, as CoreMotion's userAcceleration.
  bool gravity_removed = 14;

  // Pressures of the air, evenly over the frame, in tenths of a pascal (1013250 is 1013.25 hPa). A frame may
  // have nothing else; then they are its samples.
  repeated uint32 pressure = 15;
}
"""#,
"total.schema.json": #"""
{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://stridebus.example/schemas/total.schema.json", "title": "Total", "description": "Totals for ever, retained on {device}/total.", "type": "object", "properties": {"steps": {"type": "integer", "description": "Steps.", "minimum": 0}, "revolutions": {"type": "integer", "description": "Crank revolutions.", "minimum": 0}, "distance_m": {"type": "number", "description": "Metres.", "minimum": 0}, "active_s": {"type": "number", "description": "Seconds with steps or revolutions.", "minimum": 0}, "covered_s": {"type": "number", "description": "Seconds for which samples exist. 0 with steps 0 says that nothing is known.", "minimum": 0}, "floors_ascended": {"type": "integer", "description": "Floors of three metres gone up on foot; absent where no barometer told its pressure.", "minimum": 0}, "floors_descended": {"type": "integer", "description": "Floors of three metres gone down on foot; absent where no barometer told its pressure.", "minimum": 0}, "revision": {"type": "integer", "description": "Grows with every change of this record.", "minimum": 0}}, "required": ["steps", "revolutions", "distance_m", "active_s", "covered_s", "revision"]}
"""#,
]
}
