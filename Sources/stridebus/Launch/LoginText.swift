import ArgumentParser
import Foundation
import ServiceKit
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
    private var port: Int { place?.tlsPort ?? 8_883 }

    /// The file of the example in `deploy/firmware`, as a whole.
    private var firmware: [String] {
        let rows = authority.split(separator: "\n")
        switch board {
        case .arduino:
            return [
                "For deploy/firmware/arduino, the file stride_login.h:", "", "#pragma once",
                "#define STRIDE_DEVICE \"\(user)\"", "#define STRIDE_HOST \"\(host)\"",
                "#define STRIDE_NAME \"\(place?.name ?? host)\"", "#define STRIDE_PORT \(port)",
                "#define STRIDE_PASSWORD \"\(password)\"",
                "#define STRIDE_AUTHORITY \\",
            ] + rows.enumerated().map { "  \"\($1)\\n\"" + ($0 + 1 < rows.count ? " \\" : "") }
        case .micropython:
            return [
                "For deploy/firmware/micropython, the file stride_login.py:", "", "DEVICE = \"\(user)\"",
                "HOST = \"\(host)\"", "PORT = \(port)", "PASSWORD = \"\(password)\"", "AUTHORITY = (",
            ] + rows.map { "    \"\($0)\\n\"" } + [")"]
        case .esphome:
            return [
                "For deploy/firmware/esphome, in secrets.yaml, and device_name: \(user):", "",
                "broker_host: \"\(host)\"", "broker_password: \"\(password)\"", "broker_authority: |",
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
            "  stridebus doctor --broker mqtts://\(host):\(port)\(trust) --user \(user) --device \(user)",
        ]
    }
}

/// What to do with the files where the broker is one's own.
struct OwnBroker {
    let users: BusUsers
    let folder: String
    let place: NetworkPlace?

    /// What to do; the first time with the password of the services' user, which is made then.
    func text() throws -> String {
        let entries = try users.all()
        let list = try users.accessList(of: entries)
        let path = URL(fileURLWithPath: folder).path
        let services =
            try users.hasServices
            ? ""
            : "The services log in as \(BusUsers.services), with a password that is shown this once: \(try users.renewServices())\n"
        let roles = entries.map {
            "  mosquitto_pub -q 1 -r -t \(place?.root ?? "stride")/user/\($0.name)/role -m '{\"role\":\"\($0.role)\"}'"
        }
        return services + """
            Mosquitto: take these files and let it read them anew ('kill -HUP' to its process).
              password_file \(path)/passwords
              acl_file \(path)/access
            RabbitMQ: make each user with its password from a prompt ('rabbitmqctl add_user NAME'), then
            \(list.rabbitMQ().map { "  " + $0 }.joined(separator: "\n"))
            NATS: put this into 'authorization { … }', and each password's hash ('nats server passwd') into the environment.
            \(list.nats)
            History learns the roles from the bus; say them once, as \(BusUsers.services) or an operator:
            \(roles.joined(separator: "\n"))
            """ + "\n"
    }
}
