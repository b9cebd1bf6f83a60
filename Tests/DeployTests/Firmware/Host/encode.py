"""Reads samples (ax ay az gx gy gz uptime_ms, a line each) and prints the frames that FrameQueue makes of them, in hex.

Usage: encode.py FOLDER_OF_THE_MODULE TOPIC BOOT RATE_HZ
"""

import sys

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from stride_frames import FrameQueue

queue = FrameQueue(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
for line in sys.stdin:
    x, y, z, _, _, _, uptime_ms = map(int, line.split())
    queue.add(x, y, z, uptime_ms)
    while queue.next():
        print(queue.next().hex())
        queue.sent()
