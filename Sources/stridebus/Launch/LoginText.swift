import ArgumentParser
import Foundation
import PrivateBroker
import Wire

/// What a new user needs, with the password, which is shown this once.
struct LoginText {
    let user: String
    let role: Role
    let password: String
    /// Nil before the first start of the bus: then the lines have a place to fill in.
    let place: NetworkPlace?
    let board: Board

    /// The examples of `deploy/firmware`, each with a file for the login.
    enum Board: String, ExpressibleByArgument, CaseIterable {
        case arduino, micropython, esphome
    }

    var text: String { lines.joined(separator: "\n") + "\n" }

    private var lines: [String] {
        var lines = ["\(user) is a user: \(role.rawValue). The password is shown this once.", ""]
        if role == .device {
            lines += firmware + [""] + command + [""]
        } else {
            lines += ["  user      \(user)", "  password  \(password)", ""]
        }
        if let place, let url = place.login(user: user, password: password) {
            lines += ["A phone or a screen is logged in by this address, so keep it to its owner:", "  \(url)"]
            if let trust = place.trustURL { lines.append("before that, once, it must trust the certificate: \(trust)") }
            lines += [""] + QRCode.lines(of: url)
        }
        return lines
    }

    private var host: String { place?.host ?? "THE-BOX" }
    /// Whether the broker is one's own and named without TLS.
    private var isPlain: Bool { place.map { $0.plainPort == $0.tlsPort } ?? false }
    /// The board's client id, which stays the same and which nobody guesses: who connects with it ends the board's session,
    /// whatever their user may do.
    private var clientID: String { "\(user)-\(BusUsers.randomPassword().prefix(5))" }
    private var port: Int { place?.tlsPort ?? 8_883 }

    /// A text between quotes, as C, Python and YAML alike read it. C takes two question marks for the beginning of another
    /// character.
    private func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"" + (board == .arduino ? escaped.replacing("??", with: "?\\?") : escaped) + "\""
    }

    /// The file of the example in `deploy/firmware`, as a whole.
    private var firmware: [String] {
        let rows = isPlain ? [] : authority.split(separator: "\n")
        switch board {
        case .arduino:
            return [
                "For deploy/firmware/arduino, the file stride_login.h:", "", "#pragma once",
                "#define STRIDE_DEVICE \(quoted(user))", "#define STRIDE_CLIENT \(quoted(clientID))",
                "#define STRIDE_HOST \(quoted(host))",
                "#define STRIDE_NAME \(quoted(place?.name ?? host))", "#define STRIDE_PORT \(port)",
                "#define STRIDE_PASSWORD \(quoted(password))",
                isPlain ? "#define STRIDE_PLAIN" : "#define STRIDE_AUTHORITY \\",
            ] + rows.enumerated().map { "  \"\($1)\\n\"" + ($0 + 1 < rows.count ? " \\" : "") }
        case .micropython:
            return [
                "For deploy/firmware/micropython, the file stride_login.py:", "",
                "DEVICE = \(quoted(user))",
                "CLIENT = \(quoted(clientID))",
                "HOST = \(quoted(host))", "PORT = \(port)", "PASSWORD = \(quoted(password))",
                isPlain ? "AUTHORITY = None" : "AUTHORITY = (",
            ] + rows.map { "    \"\($0)\\n\"" } + (isPlain ? [] : [")"])
        case .esphome:
            return [
                "For deploy/firmware/esphome, in secrets.yaml, and device_name: \(user):", "",
                "broker_host: \(quoted(host))", "broker_client_id: \(quoted(clientID))",
                "broker_password: \(quoted(password))",
                "broker_authority: |",
            ] + rows.map { "  " + $0 }
        }
    }

    /// The certificate of the authority that a board trusts.
    private var authority: String {
        let present = place?.authority.flatMap { FileManager.default.contents(atPath: $0) }
        return present.map { String(decoding: $0, as: UTF8.self) }
            ?? "(put the certificate of the broker's authority here, in PEM)"
    }

    private var command: [String] {
        let trust = place?.authority.map { " --tls-ca-file \($0)" } ?? ""
        return [
            "To try from here what it may (it asks for the password):",
            "  stridebus doctor --broker \(isPlain ? "mqtt" : "mqtts")://\(host):\(port)\(trust) --user \(user) --device \(user)",
        ]
    }
}

/// What to do with the files where the broker is one's own.
struct OwnBroker {
    let users: BusUsers
    let folder: String
    let place: NetworkPlace?
    /// A user who is gone, whose role the bus still has.
    var revoked: String?

    /// What to do; the first time with the password of the services' user, which is made then.
    func text() throws -> String {
        let entries = try users.all()
        let list = users.accessList(of: entries)
        let path = URL(fileURLWithPath: folder).path
        let services =
            try users.hasServices
            ? ""
            : "The services log in as \(BusUsers.services), with a password that is shown this once: \(try users.renewServices())\n"
                + "Give them STRIDEBUS_CLIENT_KEY=\(BusUsers.randomPassword()) too, a word in their client ids that nobody knows: "
                + "who connects with the id of another ends that one's session.\n"
        let root = place?.root ?? "stride"
        let roles =
            entries.map { entry in
                // What a shell takes for the end of the text is written as JSON may write it.
                let json = String(decoding: entry.said.encodedJSON(), as: UTF8.self).replacing("'", with: "\\u0027")
                return "  mosquitto_pub -q 1 -r -t \(root)/user/\(entry.name)/role -m '\(json)'"
            } + [revoked].compactMap { $0.map { "  mosquitto_pub -q 1 -r -n -t \(root)/user/\($0)/role" } }
        // RabbitMQ keeps its users itself, and lets in who is in no file of ours any more.
        let gone =
            revoked.map { "  rabbitmqctl delete_user \($0)\n  rabbitmqctl close_all_user_connections \($0) revoked\n" }
            ?? ""
        return services + """
            Mosquitto: take these files and let it read them anew ('kill -HUP' to its process).
              password_file \(path)/passwords
              acl_file \(path)/access
            RabbitMQ: make each user with its password from a prompt ('rabbitmqctl add_user NAME'; 'change_password NAME' for
            another one), then
            \(gone)\(list.rabbitMQ.map { "  " + $0 }.joined(separator: "\n"))
            History learns the roles from the bus; say them once, as \(BusUsers.services) or an operator:
            \(roles.joined(separator: "\n"))
            """ + "\n"
    }
}
