"""Who this board is, and where its bus is: put here what `stridebus users add bike-07 --board micropython` prints."""

DEVICE = "bike-07"
# The client id: who connects with it ends this board's session, so it is nobody else's to know.
CLIENT = "bike-07-secret"
HOST = "192.168.1.4"
PORT = 8883
PASSWORD = "secret"
# The certificate of the bus's own authority, as text; None for a broker without TLS.
AUTHORITY = None
