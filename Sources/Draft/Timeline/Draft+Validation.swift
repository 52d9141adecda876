extension Draft {
    /// Every broken rule: which object, what was found and what would be right. A draft without problems renders.
    public func validate(_ catalog: Catalog) -> [Problem] {
        var builder = TimelineBuilder(self, catalog)
        _ = builder.build()
        return builder.problems
    }

    /// What renders, but is hardly meant.
    public func warnings(_ catalog: Catalog) -> [Problem] {
        guard let timeline = try? Timeline(self, catalog: catalog) else { return [] }
        var warnings: [Problem] = []
        if let wished = timeRange, wished != timeline.rendered {
            warnings.append(
                Problem(
                    "draft",
                    "its time_range \(wished) reaches past the end at \(timeline.duration.forPeople) s; \(timeline.rendered) is rendered"
                ))
        }
        for placed in timeline.audio where placed.clip.startTime >= timeline.duration {
            let object = "audio \(placed.index + 1)\(placed.clip.id.map { " (\($0))" } ?? "")"
            warnings.append(
                Problem(
                    object,
                    "starts at \(placed.clip.startTime.forPeople) s, after the end at \(timeline.duration.forPeople) s, and is not heard",
                    origin: placed.clip.origin))
        }
        return warnings + cutOffFiles(catalog)
    }

    /// Files whose end is missing, each once.
    private func cutOffFiles(_ catalog: Catalog) -> [Problem] {
        var told = Set<String>()
        return paths.compactMap { path in
            guard told.insert(path).inserted, let info = catalog.info(path), let promised = info.promisedDuration else {
                return nil
            }
            let found = max(info.duration, info.audio?.duration ?? .zero)
            return Problem(
                "‘\(path)’",
                "was cut off: it ends at \(found.forPeople) s, though it says that it is \(promised.forPeople) s long; what is there is used"
            )
        }
    }
}
