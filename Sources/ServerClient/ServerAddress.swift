import ArgumentParser
import Farm
import Foundation
import Glibc
import HostCore
import Messaging

/// The place of a server: its folder on this machine, or a network address.
package enum ServerAddress: Sendable {
    case folder(ServerPlace)
    case network(RemoteServer)

    /// The server's name in messages.
    var name: String {
        switch self {
        case .folder(let place): "in ‘\(place.folder)’"
        case .network(let server): "at ‘\(server.endpoint)’"
        }
    }

    var isRemote: Bool { if case .network = self { true } else { false } }
}

/// A remote server, and the key to use for it.
package struct RemoteServer: Sendable {
    let endpoint: String
    /// The name of the client's key.
    let name: String
    let key: KeyPair
    /// The public key that the server must have.
    let server: PublicKey

    /// Reads the keys.
    /// - Parameters:
    ///   - serverKey: the file with the server's public key; nil: the default file.
    ///   - identity: the file with the client's key; nil: the only one.
    init(_ endpoint: String, serverKey: String?, identity: String?) throws(HostError) {
        self.endpoint = endpoint
        do throws(KeyFile.Problem) {
            let theirs = try KeyFile(path: serverKey ?? Self.usualServerKey)
            guard theirs.role == .server else {
                throw KeyFile.Problem(
                    "‘\(serverKey ?? Self.usualServerKey)’ is the key of a \(theirs.role.rawValue), not of a server."
                )
            }
            server = theirs.publicKey
            let own: KeyFile
            if let identity { own = try KeyFile(path: identity) } else { own = try FarmKeys.submitter() }
            guard own.role == .submitter || own.role == .admin else {
                throw KeyFile.Problem(
                    "‘\(own.name)’ is the key of a \(own.role.rawValue); a server needs the key of a submitter (‘cutroom farm keys new NAME --role submitter’)."
                )
            }
            guard let pair = own.pair else {
                throw KeyFile.Problem(
                    "‘\(identity ?? own.name)’ is a public key; give the file with the secret key, ‘\(own.name).key’."
                )
            }
            (name, key) = (own.name, pair)
        } catch {
            throw HostError(error.isMissing ? .noInput : .data, error.description)
        }
    }

    /// The default file of the server's public key.
    static var usualServerKey: String { FarmKeys.configuration + "/server.pub" }

    /// Returns a connection name that no other client can guess, and thus take.
    var newRoutingID: WorkerID {
        var generator = SystemRandomNumberGenerator()
        let unique = [generator.next(), generator.next()].map { String($0, radix: 36) }.joined()
        return WorkerID("\(name)/\(unique)")
    }
}

/// The options of commands that connect to a local or remote server.
package struct ServerOptions: ParsableArguments {
    package init() {}

    @Option(
        help: ArgumentHelp(
            "The folder of a server on this machine. Default: $XDG_STATE_HOME/cutroom, else ~/.local/state/cutroom.",
            valueName: "folder"), completion: .directory)
    package var state: String?

    @Option(
        help: ArgumentHelp(
            "The address of a remote server, tcp://HOST:PORT (its ‘--door’). Default: $CUTROOM_SERVER, else the server of ‘--state’.",
            valueName: "address"))
    package var server: String?

    @Option(
        help: ArgumentHelp(
            "The public key of the server of ‘--server’. Default: $CUTROOM_SERVER_KEY, else ~/.config/cutroom/server.pub.",
            valueName: "file"), completion: .file())
    package var serverKey: String?

    @Option(
        help: ArgumentHelp(
            "Your key for the server of ‘--server’. Default: $CUTROOM_IDENTITY, else the only key of a submitter or admin in ~/.config/cutroom/keys.",
            valueName: "file"), completion: .file())
    package var identity: String?

    package func validate() throws {
        if let server, !TCPAddress.isValid(server) {
            throw ValidationError("‘--server’ is ‘\(server)’, but must be an address such as tcp://studio:7701.")
        }
        if server != nil, state != nil {
            throw ValidationError("‘--server’ and ‘--state’ exclude each other; leave one out.")
        }
    }

    private func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether an address was given, or is in the environment.
    package var isRemote: Bool { server != nil || state == nil && variable("CUTROOM_SERVER") != nil }

    package var address: ServerAddress {
        get throws(HostError) {
            guard isRemote, let endpoint = server ?? variable("CUTROOM_SERVER") else {
                return .folder(try ServerPlace(state))
            }
            guard TCPAddress.isValid(endpoint) else {
                throw HostError(
                    .usage, "$CUTROOM_SERVER is ‘\(endpoint)’, but must be an address such as tcp://studio:7701.")
            }
            return .network(
                try RemoteServer(
                    endpoint, serverKey: serverKey ?? variable("CUTROOM_SERVER_KEY"),
                    identity: identity ?? variable("CUTROOM_IDENTITY")))
        }
    }
}
