extension Preview {
    /// What workers can be asked to do.
    public enum Work: Hashable, Sendable {
        /// The part of this key.
        case part(String)
        /// The mixed run of the sound of this key.
        case run(String)
        /// The sound of this key, with all of its pieces; it is encoded from its runs.
        case sound(String)
        /// Anything else that somebody waits for, by a number of his: a picture of a frame, a thumbnail.
        case onDemand(Int)
    }

    public struct Order: Hashable, Sendable {
        /// Counted up, never used twice.
        public var number: Int
        public var work: Work
        /// Somebody waits for it now.
        public var isUrgent: Bool
    }

    /// A wish of somebody who waits, by a number of the caller's.
    public typealias Wait = Int

    /// How a wait ends.
    public enum Answer: Hashable, Sendable {
        case ready
        /// It cannot be made, and why: one sentence.
        case failed(String)
        /// Nothing shows it any more.
        case gone
    }

    /// What a preview wants done.
    public enum Action: Hashable, Sendable {
        /// Look these up in the cache. Each is answered by ``Preview/found(_:_:)``, in any order.
        case lookUp([Work])
        /// Have this made. It ends by ``Preview/finished(_:)``, ``Preview/failed(_:_:)`` or ``Preview/cancelled(_:)``.
        case submit(Order)
        /// Cancel this order, which still ends.
        case cancel(Int)
        case answer(Wait, Answer)
        /// These parts and pieces of sound can be fetched.
        case tellReady([String])
        /// This part, or this sound, cannot be made, and why.
        case tellFailed(String, String)
        /// Nothing shows these any more: their files may go.
        case drop([Work])
    }
}
