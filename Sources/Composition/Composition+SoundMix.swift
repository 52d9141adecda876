import Values

extension Composition {
    /// Returns the whole mix of the composition's sound, with what it needs of the files and the
    /// drafts.
    func soundMix(sampleCount: Int, channels: Int, sampleRate: Int) -> SoundMix {
        var numbers: [Int: Int] = [:]
        var files: [MediaFile] = []
        var inner: [SoundMix] = []
        func number(_ old: Int) -> Int {
            if let new = numbers[old] { return new }
            var file = self.files[old]
            if let number = file.draft, let draft = drafts?[number] {
                let count = draft.duration.rounded(rate: Rational(Int64(sampleRate)))
                inner.append(draft.soundMix(sampleCount: count, channels: channels, sampleRate: sampleRate))
                file.draft = inner.count - 1
                // Its mix carries the part that is heard.
                file.info.video = nil
            }
            files.append(file)
            numbers[old] = files.count - 1
            return files.count - 1
        }
        let spans = sound.map { span in
            var span = span
            span.file = number(span.file)
            return span
        }
        var processing = processing
        for index in processing.filters.indices {
            processing.filters[index].files = processing.filters[index].files.map(number)
        }
        return SoundMix(
            spans: spans, processing: processing, files: files, drafts: inner.isEmpty ? nil : inner,
            frameRate: frameRate, channels: channels, sampleRate: sampleRate, sampleCount: sampleCount)
    }
}

extension SoundMix {
    /// A filter may make another sound each time.
    var isUncertain: Bool {
        processing.filters.contains { $0.plugin.isUncertain == true } || drafts?.contains(where: \.isUncertain) == true
    }

    /// The files that its filters read, and those of the drafts in it.
    public var filterFiles: [MediaFile] {
        processing.filters.flatMap(\.files).map { files[$0] } + (drafts ?? []).flatMap(\.filterFiles)
    }

    /// The files of its own and of the drafts in it, without what stands for a draft.
    public var allFiles: [MediaFile] { files.filter { $0.draft == nil } + (drafts ?? []).flatMap(\.allFiles) }
}
