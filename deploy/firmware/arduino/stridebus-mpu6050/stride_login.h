// Who this board is, and where its bus is: put here what `stridebus users add bike-07` prints.
#pragma once

#define STRIDE_DEVICE "bike-07"
/// The client id: who connects with it ends this board's session, so it is nobody else's to know.
#define STRIDE_CLIENT "bike-07-secret"
#define STRIDE_HOST "192.168.1.4"
/// The name in the broker's certificate.
#define STRIDE_NAME "box.local"
#define STRIDE_PORT 8883
#define STRIDE_PASSWORD "secret"
/// The certificate of the bus's own authority. For a broker without TLS take it out and write `#define STRIDE_PLAIN`.
#define STRIDE_AUTHORITY "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n"
