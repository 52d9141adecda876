import Composition
import Foundation
import HostCore
import Renders
import ServerClient

/// A question as the server's desk gets it: read, by somebody who is known, and what needs the disk looked up. What may wait for disks is done
/// here, on threads of its own, so that nobody else's question waits with it.
struct Asked: Sendable {
    let number: UInt64
    let caller: Caller
    /// What is asked, or why that cannot be answered.
    let ask: Result<DoorQuestion.Ask, HostError>
    /// What came along with it.
    private(set) var bytes: Data?
    /// Of a submission over a network: what is rendered in the place of what was handed in.
    private(set) var accepted: [RenderRequest]?

    /// Reads a question.
    /// - Parameter then: called with it, at once or later.
    static func read(
        _ data: Data, with bytes: Data?, of visitor: DoorLine.Visitor, _ confinement: Confinement, _ lane: FileLane,
        then: @escaping @Sendable (Asked) -> Void
    ) {
        var asked = Asked(data, visitor)
        asked.bytes = bytes
        guard asked.caller.isRemote, case .success(.submit(let submissions)) = asked.ask else { return then(asked) }
        lane.post { [asked] in then(asked.accepting(submissions, confinement)) }
    }

    private init(_ data: Data, _ visitor: DoorLine.Visitor) {
        guard let question = try? JSONDecoder().decode(DoorQuestion.self, from: data) else {
            (number, caller) = (DoorAnswer.forEverybody, Caller(visitor.holder, said: ""))
            ask = .failure(
                HostError(.data, "The question cannot be read; the server is Cutroom \(Engine.version)."))
            return
        }
        (number, caller) = (question.number, Caller(visitor.holder, said: question.submitter))
        ask =
            question.engine == Engine.version
            ? .success(question.ask)
            : .failure(
                HostError(.usage, "The server is Cutroom \(Engine.version), and this is \(question.engine.prefix(64)).")
            )
    }

    private init(_ asked: Asked, _ error: HostError) {
        (number, caller, ask) = (asked.number, asked.caller, .failure(error))
    }

    private func accepting(_ submissions: [DoorQuestion.Submission], _ confinement: Confinement) -> Asked {
        if let refusal = submissions.lazy.compactMap(Caller.refusal(of:)).first {
            return Asked(self, HostError(.data, refusal.description))
        }
        var asked = self
        do {
            asked.accepted = try submissions.map { try confinement.accepted($0, of: caller) }
            return asked
        } catch {
            return Asked(self, HostError(error))
        }
    }
}
