"""Motion samples gathered into numbered frames for stridebus, each in one MQTT packet of at most 256 bytes.

The same on MicroPython and on a computer. Frames wait until they are sent, oldest first; when there are too many the
oldest is dropped. Its number is then missing, and stridebus tells so on {device}/health.
"""

PACKET_BYTES = 256
"""The largest packet that small MQTT clients and brokers' bridges take."""
PACKET_HEAD_BYTES = 7
"""The fixed header, the length of the topic, and the packet's number at QoS 1."""
MAXIMUM_SAMPLES = 25
"""The most samples of a frame: half a second at 50 Hz."""


class FrameQueue:
    """Gathers samples into frames and keeps those that were not sent, at most `maximum` of them.

    Args:
        topic: where the frames are published; its length is taken off each packet.
        boot: another number at every start of the device.
        rate_hz: samples a second.
        maximum: how many frames are kept.
    """

    def __init__(self, topic, boot, rate_hz, maximum=64):
        self.limit = PACKET_BYTES - PACKET_HEAD_BYTES - len(topic)
        self.boot = boot
        self.rate_hz = rate_hz
        self.maximum = maximum
        self.dropped = 0
        self._sequence = 0
        self._frames = []
        self._head = ""
        self._samples = []
        self._size = 0
        self._first_ms = 0

    def add(self, x, y, z, uptime_ms):
        """Takes an acceleration with gravity, in thousandths of 9.80665 m/s², read at `uptime_ms` since the start.

        Samples of a frame are evenly spaced: where sampling was held up, a new frame begins.
        """
        text = "%d,%d,%d" % (x, y, z)
        if self._samples:
            expected = self._first_ms + len(self._samples) * 1000 // self.rate_hz
            is_held_up = abs(uptime_ms - expected) > 2000 // self.rate_hz + 1
            is_full = len(self._samples) == MAXIMUM_SAMPLES or self._size + len(text) + 1 > self.limit
            if is_held_up or is_full:
                self._close()
        if not self._samples:
            self._first_ms = uptime_ms
            self._head = '{"b":%d,"s":%d,"t":%d,"hz":%d,"a":[' % (self.boot, self._sequence, uptime_ms, self.rate_hz)
            self._size = len(self._head) + 2
        self._samples.append(text)
        self._size += len(text) + 1

    def _close(self):
        self._frames.append((self._head + ",".join(self._samples) + "]}").encode())
        self._samples = []
        self._sequence += 1
        if len(self._frames) > self.maximum:
            self._frames.pop(0)
            self.dropped += 1

    def next(self):
        """The oldest frame that was not sent, or None."""
        return self._frames[0] if self._frames else None

    def sent(self):
        """Says that the broker has acknowledged the frame of `next`."""
        self._frames.pop(0)
