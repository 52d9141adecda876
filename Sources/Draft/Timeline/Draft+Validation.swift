import Delivery
import Values

extension Draft {
    /// Every broken rule: which object, what was found and what would be right. A draft without
    /// problems renders.
    public func validate(_ catalog: Catalog) -> [Problem] {
        var builder = TimelineBuilder(self, catalog)
        _ = builder.build()
        return builder.reported + exportProblems(in: export.usualContainer, catalog)
    }

    /// What keeps this draft out of a file of this kind: settings that do not go together, a canvas
    /// that it cannot show, a codec that the workers' media libraries lack.
    public func exportProblems(in container: ExportSettings.Container, _ catalog: Catalog) -> [Problem] {
        var problems = export.problems(in: container, color: canvas.color, origin: exportOrigin)
        guard problems.isEmpty else { return problems }
        func report(_ part: String, _ message: String) {
            problems.append(Problem("export, \(part)", message, origin: exportOrigin))
        }
        let (video, audio) = (export.videoCodec(in: container, color: canvas.color), export.audioCodec(in: container))
        if !container.isSoundOnly {
            let (size, rate) = (size(catalog), frameRate(catalog))
            // What no file could show is the canvas' own problem.
            let side = min(size.width, size.height)
            if let video, side < video.smallestSide, Canvas.sizeRange.contains(side) {
                report(
                    "video",
                    "the canvas is \(size), but \(video.rawValue) needs at least \(video.smallestSide)×\(video.smallestSide)"
                )
            }
            if rate > container.fastestFrameRate, Canvas.frameRateRange.contains(rate) {
                report(
                    "video",
                    "the draft has \(rate.rateForPeople) frames per second, but a \(container.rawValue) shows at most "
                        + "\(container.fastestFrameRate); set ‘fps’")
            }
            if let video, let reason = catalog.missingCodecs[video.rawValue] { report("video", reason) }
        }
        problems += subtitleProblems(in: container)
        if let audio, let reason = catalog.missingCodecs[audio.rawValue] { report("audio", reason) }
        return problems
    }

    /// Warnings: valid, but probably mistakes. For a draft with problems, as far as they can be
    /// found.
    /// - Parameter container: the kind of the output; nil if no file is written.
    public func warnings(_ catalog: Catalog, in container: ExportSettings.Container? = nil) -> [Problem] {
        var builder = TimelineBuilder(self, catalog)
        if let timeline = builder.build() { builder.warn(of: timeline) }
        let languages = container.map(languageWarnings) ?? []
        return builder.warnings + languages.map { $0.naming(catalog.names) } + cutOffFiles(catalog)
            + joinedFiles(catalog) + brokenFiles(catalog) + filesWithTails(catalog)
            + unreadableStreams(catalog) + soundsWithoutLayout(catalog)
    }

    /// Files whose end is missing, each once.
    private func cutOffFiles(_ catalog: Catalog) -> [Problem] {
        files.compactMap { file in
            guard file.content == .media, let how = catalog.info(file.path)?.cutOff else { return nil }
            return Problem("‘\(file.path)’", "was cut off: \(how); what is there is used").naming(catalog.names)
        }
    }

    /// Files that do not continue as they should where they were joined, each once.
    private func joinedFiles(_ catalog: Catalog) -> [Problem] {
        files.compactMap { file in
            guard file.content == .media, let how = catalog.info(file.path)?.joints?.warning else { return nil }
            return Problem("‘\(file.path)’", "was joined from parts or edited: \(how)").naming(catalog.names)
        }
    }

    /// Files in which data are missing or damaged, each once.
    private func brokenFiles(_ catalog: Catalog) -> [Problem] {
        files.compactMap { file in
            guard file.content == .media, let breaks = catalog.info(file.path)?.breaks else { return nil }
            let message = "data are missing or damaged \(breaks.forPeople); what is left is used"
            return Problem("‘\(file.path)’", message).naming(catalog.names)
        }
    }

    /// Files with bytes behind their content that do not belong to it, each once.
    private func filesWithTails(_ catalog: Catalog) -> [Problem] {
        files.compactMap { file in
            guard file.content == .media, let tail = catalog.info(file.path)?.tail else { return nil }
            let message = "the bytes from \(tail) on lie behind its end and are not read"
            return Problem("‘\(file.path)’", message).naming(catalog.names)
        }
    }

    /// Streams that cannot be decoded, one sentence for each file.
    private func unreadableStreams(_ catalog: Catalog) -> [Problem] {
        files.compactMap { file in
            guard file.content == .media, let streams = catalog.info(file.path)?.unreadableStreams,
                let first = streams.first
            else { return nil }
            let others = streams.count - 1
            let more = others == 0 ? "" : ", and \(others) more \(others == 1 ? "stream" : "streams")"
            return Problem("‘\(file.path)’", "\(first.forPeople)\(more)").naming(catalog.names)
        }
    }

    /// Files of which not all channels are played, each once.
    private func soundsWithoutLayout(_ catalog: Catalog) -> [Problem] {
        files.compactMap { file in
            guard file.content == .media, let info = catalog.info(file.path),
                let track = info.audioTracks.first(where: { $0.hasNoLayout == true })
            else { return nil }
            let message =
                "its sound has \(track.channels) channels without a layout, so its first ones are played as left, right, "
                + "centre, LFE, left surround and right surround; mix it down first if that is wrong"
            return Problem("‘\(file.path)’", message).naming(catalog.names)
        }
    }
}
