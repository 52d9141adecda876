import Jobs

extension RenderStateMachine {
    /// What a render wants done. The results come back as calls of its methods.
    public enum Action: Hashable, Sendable {
        /// Look these parts up in the cache. Each is answered by
        /// ``RenderStateMachine/cacheAnswered(_:_:)``, in any order.
        case lookUp([PartVersion])
        /// Put these jobs into the queue. Each ends by one of
        /// ``RenderStateMachine/rendered(_:_:)``, ``RenderStateMachine/assembled(_:_:)``,
        /// ``RenderStateMachine/verified(_:)``, ``RenderStateMachine/failed(_:_:)`` and
        /// ``RenderStateMachine/cancelled(_:)``.
        case submit([WorkOrder])
        /// Cancel these jobs. Each still ends, by whichever comes first.
        case cancel([WorkOrder.Number])
        /// Put a finished part into the cache under this key. Nothing waits for it.
        case keep(WrittenFile, key: String)
        /// Remove an entry of the cache, which turned out to be damaged. Done after what was kept
        /// under the key before, and before what is kept under it afterwards.
        case forget(key: String)
        /// Give the finished file its name. Answered by ``RenderStateMachine/committed()`` or
        /// ``RenderStateMachine/commitFailed(_:)``.
        case commit(path: String)
        case report(RenderProgress)
        case tell(Notice)
        /// The render has ended, and no job of it runs. Always the last action, and there is one.
        case finish(Result<Summary, RenderFailure>)
    }

    /// What a render has made.
    public struct Summary: Hashable, Sendable {
        public var frames: Int
        public var segments: Int
        /// The segments that the cache had when the file's parts were looked up.
        public var cachedSegments: Int
        /// The runs of the sound, and how many of them the cache had; all, where it had the sound
        /// that they make.
        public var runs: Int
        public var cachedRuns: Int
        /// The cache had the encoded sound.
        public var isSoundCached: Bool
        /// The segments that go without an effect, as its plugin failed.
        public var segmentsWithoutEffects: Int
        /// The same of the runs.
        public var runsWithoutEffects: Int

        public var isSoundWithoutEffects: Bool { runsWithoutEffects > 0 }
    }
}
