import CMosquitto
import Glibc

extension MQTTError {
    /// The error of a libmosquitto return code.
    ///
    /// - Parameters:
    ///   - code: `mosq_err_t`.
    ///   - errorNumber: `errno` right after the call, which `MOSQ_ERR_ERRNO` means.
    static func mosquitto(_ code: Int32, errorNumber: Int32) -> MQTTError {
        let (kind, message) = meaning(of: mosq_err_t(rawValue: code), errorNumber)
        return MQTTError(kind, message, libraryCode: Int(code))
    }

    /// Mosquitto closes without a reason when another client connects with the same client id.
    static let closedByBroker =
        "the broker closed the connection: it was restarted, or a second program has our client id"

    private static func meaning(of code: mosq_err_t, _ errorNumber: Int32) -> (Code, String) {
        switch code {
        case MOSQ_ERR_NO_CONN, MOSQ_ERR_CONN_LOST: (.connectionLost, closedByBroker)
        case MOSQ_ERR_KEEPALIVE: (.keepAliveTimeout, "the broker is silent: it may be stopped or the network broken")
        case MOSQ_ERR_ERRNO: (.connectionLost, "the connection broke: \(String(cString: strerror(errorNumber)))")
        case MOSQ_ERR_EAI, MOSQ_ERR_LOOKUP: (.hostNotFound, "the broker's host name is not known: check its address")
        case MOSQ_ERR_CONN_REFUSED: (.refused, "the broker refused the connection: see its log")
        case MOSQ_ERR_TLS, MOSQ_ERR_TLS_HANDSHAKE, MOSQ_ERR_OCSP:
            (.tls, "TLS failed: check the host name, the CA file, and the dates of both certificates")
        case MOSQ_ERR_AUTH: (.badCredentials, "the broker refuses user name or password: check them in its address")
        case MOSQ_ERR_ACL_DENIED: (.notAuthorized, "the broker does not allow this: check its access list")
        case MOSQ_ERR_PAYLOAD_SIZE, MOSQ_ERR_OVERSIZE_PACKET:
            (.payloadTooLarge, "the message is larger than the broker takes: send smaller ones")
        case MOSQ_ERR_PROTOCOL, MOSQ_ERR_MALFORMED_UTF8, MOSQ_ERR_MALFORMED_PACKET, MOSQ_ERR_DUPLICATE_PROPERTY:
            (.protocolViolation, "the broker sent something malformed, perhaps a topic that is not UTF-8")
        case MOSQ_ERR_NOMEM: (.systemResources, "no memory is left")
        default:
            (
                .library,
                "libmosquitto reports \(code.rawValue): \(String(cString: mosquitto_strerror(code.rawValue)))"
            )
        }
    }
}
