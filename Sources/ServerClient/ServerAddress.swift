import ArgumentParser
import Farm
import Foundation
import Glibc
import HostCore
import Messaging

/// Where a server is asked: in its folder on this machine, or at an address.
package enum ServerAddress: Sendable {
    case folder(ServerPlace)
    case network(RemoteServer)

    /// The server as messages name it.
    var name: String {
        switch self {
        case .folder(let place): "in ‘\(place.folder)’"
        case .network(let server): "at ‘\(server.endpoint)’"
        }
    }

    var isRemote: Bool { if case .network = self { true } else { false } }
}

/// A server somewhere else, and who asks it.
package struct RemoteServer: Sendable {
    let endpoint: String
    /// Of whoever asks.
    let name: String
    let key: KeyPair
    /// The key that the server must have.
    let server: PublicKey

    /// - Parameters:
    ///   - serverKey: the file of the server's public half; nil: the usual one.
    ///   - identity: the file of one's own key; nil: the only one there is.
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

    /// Where the server's public half is looked for.
    static var usualServerKey: String { FarmKeys.configuration + "/server.pub" }

    /// A name for a connection that nobody else can guess, and so take.
    var newRoutingID: WorkerID {
        var generator = SystemRandomNumberGenerator()
        let unique = [generator.next(), generator.next()].map { String($0, radix: 36) }.joined()
        return WorkerID("\(name)/\(unique)")
    }
}

/// The options of commands that ask a server, wherever it is.
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

    /// An address was given, or is in the environment.
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
