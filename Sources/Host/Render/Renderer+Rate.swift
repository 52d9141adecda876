import Composition

extension Renderer {
    /// Finds the quality at which the picture takes the rate that was asked for (``RateSearch``). What is rendered on the way is
    /// kept and used where it can be.
    /// - Returns: the plan with that quality, and the parts of it that are there.
    func settle(_ search: RateSearch) async throws -> (RenderPlan, Parts) {
        var search = search
        var measured: [Double: Parts] = [:]
        while case .measure(let quality, let segments) = search.next {
            var trial = self
            trial.plan = try plan.with(quality: quality)
            let parts = Parts(trial.plan, segments: segments)
            for earlier in measured.values { parts.adopt(earlier) }
            _ = trial.takeFromCache(parts)
            try await trial.render(parts, stage: "measuring")
            measured[quality] = parts
            var bytes: [Int: Int64] = [:]
            for segment in segments { bytes[segment] = parts.payload(segment) }
            search.record(quality: quality, bytes: bytes)
        }
        guard case .settled(let quality) = search.next else { return (plan, Parts(plan)) }
        if let error = search.error, abs(error) > 0.1 {
            session.log.warning(
                "the picture takes \(error > 0 ? "more" : "less") than the bit rate asked for, whatever its quality",
                metadata: ["asked": "\(plan.bitRate ?? 0)", "difference": "\(Int((error * 100).rounded())) %"])
        }
        let settled = try plan.with(quality: quality)
        let parts = Parts(settled)
        for earlier in measured.values { parts.adopt(earlier) }
        return (settled, parts)
    }
}
