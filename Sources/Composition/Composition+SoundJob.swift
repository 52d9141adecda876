import Draft

extension Composition {
    /// The job that mixes the composition's sound, with what it needs of the files and the drafts.
    func soundJob(sampleCount: Int, _ encoding: AudioEncoding, output: String) -> SoundJob {
        var numbers: [Int: Int] = [:]
        var files: [MediaFile] = []
        var inner: [SoundJob] = []
        func number(_ old: Int) -> Int {
            if let new = numbers[old] { return new }
            var file = self.files[old]
            if let number = file.draft, let draft = drafts?[number] {
                let count = draft.duration.rounded(rate: Rational(Int64(encoding.sampleRate)))
                inner.append(draft.soundJob(sampleCount: count, encoding, output: ""))
                file.draft = inner.count - 1
                // Its job carries the part that is heard.
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
        var job = SoundJob(
            spans: spans, processing: processing, files: files, frameRate: frameRate, sampleCount: sampleCount,
            loudness: loudness, encoding: encoding, output: output)
        job.drafts = inner.isEmpty ? nil : inner
        return job
    }
}

extension SoundJob {
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
