import Composition
import Foundation
import Glibc
import Messaging
import Renders

/// A submitter's end of a server's door. Questions are asked one after the other. Blocks: not for asynchronous code.
struct DoorClient: ~Copyable {
    private let socket: ZMQSocket
    private let place: ServerPlace
    private var number: UInt64 = 0

    /// How long a server may think about a question.
    private static let patience = Duration.seconds(30)

    /// - Throws: `.unavailable` where no server is there.
    init(_ place: ServerPlace) throws(HostError) {
        socket = try Self.connected(to: place)
        self.place = place
    }

    private static func connected(to place: ServerPlace) throws(HostError) -> ZMQSocket {
        // A socket would wait for one that may never come.
        guard access(place.door, F_OK) == 0 else { throw nobody(place) }
        do throws(ZMQError) {
            let name = "submitter-\(getpid())-\(UInt32.random(in: .min ... .max))"
            let socket = try ZMQSocket.dealer(context: try ZMQContext(), name: WorkerID(name))
            try socket.connect("ipc://" + place.door)
            return socket
        } catch {
            throw HostError(.unavailable, "The server in ‘\(place.folder)’ cannot be spoken to: \(error).")
        }
    }

    private static func nobody(_ place: ServerPlace) -> HostError {
        HostError(
            .unavailable,
            "No server runs in ‘\(place.folder)’; start one with ‘cutroom serve’, or name its folder (--state).")
    }

    /// - Throws: what the server refuses; `.unavailable` where it does not answer.
    mutating func ask(_ ask: DoorQuestion.Ask) throws(HostError) -> DoorAnswer.Say {
        number += 1
        let question = DoorQuestion(number: number, engine: Engine.version, submitter: Self.user, ask: ask)
        guard let data = try? JSONEncoder().encode(question) else {
            throw HostError(.software, "The question to the server cannot be written.")
        }
        guard data.count <= Wire.largestPayload else {
            throw HostError(
                .data,
                "What is submitted takes \(data.count >> 20) MiB, and at most \(Wire.largestPayload >> 20) go at a time; submit less at a time."
            )
        }
        do {
            if let answer = try exchange(data) {
                if case .refused(let reason) = answer { throw HostError(.data, reason) }
                return answer
            }
        } catch let error as HostError {
            throw error
        } catch {
            throw HostError(.unavailable, "The server in ‘\(place.folder)’ cannot be spoken to: \(error).")
        }
        throw HostError(.unavailable, "The server in ‘\(place.folder)’ does not answer.")
    }

    /// - Returns: nil where no answer has come in time.
    private func exchange(_ data: Data) throws -> DoorAnswer.Say? {
        let deadline = ContinuousClock.now + Self.patience
        // Until somebody has taken the call there is no connection to send by.
        let first = ContinuousClock.now + .seconds(2)
        while !(try socket.send([data])) {
            guard ContinuousClock.now < first else { throw Self.nobody(place) }
            usleep(5000)
        }
        var poller = Poller()
        while ContinuousClock.now < deadline {
            _ = try poller.wait(for: socket, timeout: deadline - ContinuousClock.now)
            while let frames = try socket.receive() {
                if let body = frames.last, let answer = try? JSONDecoder().decode(DoorAnswer.self, from: body),
                    answer.number == number
                {
                    return answer.say
                }
            }
        }
        return nil
    }

    /// Who asks, where the socket itself does not say it.
    static var user: String {
        getpwuid(geteuid()).flatMap { String(validatingCString: $0.pointee.pw_name) } ?? "\(geteuid())"
    }
}
