import Messaging

/// Remote workers: a slot of a node joins by its hello. It goes by its goodbye, when it falls
/// silent, or when its node's key is revoked.
extension WorkerPool {
    /// The result of a remote worker's hello.
    enum Arrival: Equatable {
        case refused(reason: String)
        /// It serves from now on.
        case joined
        /// It serves already, and missed the answer.
        case again
        /// Another process took over the name, and serves from now on. The work of its predecessor
        /// is lost.
        case inPlace(of: Worker)
    }

    mutating func arrive(_ id: WorkerID, _ introduction: WorkerIntroduction, at now: Duration) -> Arrival {
        if let reason = refusal(of: introduction) { return .refused(reason: reason) }
        let node = introduction.node
        let origin = Worker.Origin(
            session: node?.session ?? "", tags: Set(node?.tags ?? []), cores: node?.cores ?? 0,
            memory: node?.memory ?? 0)
        guard let before = workers[id] else {
            if let node = id.node, workers(of: [node]).count >= policy.slotsPerNode {
                return .refused(reason: "its node has \(policy.slotsPerNode) slots here already, the maximum")
            }
            workers[id] = Worker(from: origin, at: now)
            return .joined
        }
        if before.origin?.session == origin.session { return .again }
        idle.remove(id)
        move(id, to: nil)
        var worker = Worker(from: origin, at: now)
        // The node was restarted, and has a result of its predecessor.
        if let work = before.work, node?.leases.contains(work.lease) ?? false { worker.work = work }
        workers[id] = worker
        return worker.work == nil ? .inPlace(of: before) : .joined
    }

    /// Returns why a worker cannot serve here; nil if it can.
    func refusal(of introduction: WorkerIntroduction) -> String? {
        if introduction.protocol != Wire.version {
            return "it speaks protocol version \(introduction.protocol), this build version \(Wire.version)"
        }
        guard introduction.engine == policy.engine else {
            return "it belongs to build \(introduction.engine), the host to build \(policy.engine)"
        }
        return nil
    }

    /// Returns the workers of some nodes; of all nodes for nil.
    func workers(of nodes: Set<String>?) -> [WorkerID] {
        workers.keys.filter { id in id.node.map { nodes?.contains($0) ?? true } ?? false }
    }
}
