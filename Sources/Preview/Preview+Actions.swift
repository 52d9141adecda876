extension Preview {
    /// The kinds of work for workers.
    public enum Work: Hashable, Sendable {
        /// The part with this key.
        case part(String)
        /// The mixed run of the sound of this key.
        case run(String)
        /// The sound of this key, with all of its pieces; it is encoded from its runs.
        case sound(String)
        /// Other work that a client waits for, by a number that the client chooses: a picture of a
        /// frame, a thumbnail.
        case onDemand(Int)
    }

    public struct Order: Hashable, Sendable {
        /// A number that increases and is never reused.
        public var number: Int
        public var work: Work
        /// A client waits for it now.
        public var isUrgent: Bool
    }

    /// The number of a client's wait, chosen by the caller.
    public typealias Wait = Int

    /// The result of a wait.
    public enum Answer: Hashable, Sendable {
        case ready
        /// The work failed. One sentence says why.
        case failed(String)
        /// Nothing shows it any more.
        case gone
    }

    /// An action that a preview requests.
    public enum Action: Hashable, Sendable {
        /// Look these up in the cache. Each is answered by ``Preview/found(_:_:)``, in any order.
        case lookUp([Work])
        /// Run this order. It ends by ``Preview/finished(_:)``, ``Preview/failed(_:_:)`` or
        /// ``Preview/cancelled(_:)``.
        case submit(Order)
        /// Cancel this order, which still ends.
        case cancel(Int)
        case answer(Wait, Answer)
        /// These parts and pieces of sound can be fetched.
        case tellReady([String])
        /// This part or this sound cannot be rendered, and why.
        case tellFailed(String, String)
        /// Nothing shows these any more: their files may be removed.
        case drop([Work])
    }
}
