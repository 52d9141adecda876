import Draft

/// The kinds of work that a worker knows. Each has a payload and a reply, both plain values.
public enum JobKind: String, Sendable, Codable, CaseIterable {
    case probe, inspect, trial, segment, sound, assemble, verify, snapshot, analysis
}

/// Looks into files.
public struct ProbeJob: Sendable, Codable {
    public var files: [DraftFile]

    public init(_ files: [DraftFile]) { self.files = files }

    public struct Reply: Sendable, Codable {
        /// In the order of the job's.
        public var files: [File]
        /// The versions of the libraries that decode and encode; part of every cache key.
        public var libraries: String
        /// What they cannot encode (``Catalog/missingCodecs``).
        public var missingCodecs: [String: String]

        public init(files: [File], libraries: String, missingCodecs: [String: String]) {
            self.files = files
            self.libraries = libraries
            self.missingCodecs = missingCodecs
        }
    }

    /// One of the two is set.
    public struct File: Sendable, Codable {
        public var info: MediaInfo?
        public var failure: String?

        public init(info: MediaInfo? = nil, failure: String? = nil) {
            self.info = info
            self.failure = failure
        }
    }
}

/// Reads the descriptors of the plugins on a search path.
public struct InspectJob: Sendable, Codable {
    public var searchPaths: [String]
    /// Libraries on it that are not to be opened.
    public var leftOut: [String] = []

    public init(searchPaths: [String]) { self.searchPaths = searchPaths }

    public struct Reply: Sendable, Codable {
        public var effects: [EffectDescriptor]
        /// Libraries that could not be used, each with its path and the reason.
        public var problems: [String]

        public init(effects: [EffectDescriptor], problems: [String]) {
            self.effects = effects
            self.problems = problems
        }
    }
}

/// Renders a run of frames into one encoded segment.
public struct SegmentJob: Sendable, Codable, Hashable {
    public var slice: Slice
    /// The output frame that is the slice's frame 0: for messages, never for what is rendered.
    public var firstFrame: Int
    public var encoding: VideoEncoding
    /// The file to write, to which the worker adds the run's epoch; the host moves it into place.
    public var output: String

    public init(slice: Slice, firstFrame: Int, encoding: VideoEncoding, output: String) {
        self.slice = slice
        self.firstFrame = firstFrame
        self.encoding = encoding
        self.output = output
    }
}

/// Renders a frame into a picture file.
public struct SnapshotJob: Sendable, Codable, Hashable {
    /// Its frames are rendered in order, and the last one is written; nil: a black picture.
    public var slice: Slice?
    /// The output frame that is the slice's frame 0: for messages.
    public var firstFrame: Int
    public var size: Canvas.Size
    /// See ``Composition/peak``.
    public var peak: Int
    public var format: StillFormat
    /// The file to write, to which the worker adds the run's epoch; the host moves it into place.
    public var output: String

    public init(
        slice: Slice?, firstFrame: Int, size: Canvas.Size, peak: Int, format: StillFormat, output: String
    ) {
        self.slice = slice
        self.firstFrame = firstFrame
        self.size = size
        self.peak = peak
        self.format = format
        self.output = output
    }

    public struct Reply: Sendable, Codable {
        /// Where this run wrote the picture.
        public var path: String

        public init(path: String) { self.path = path }
    }
}

/// Mixes and encodes the whole sound.
public struct SoundJob: Sendable, Codable, Hashable {
    public var spans: [SoundSpan]
    public var processing: SoundProcessing
    public var files: [MediaFile]
    /// The picture's, for plugins to know.
    public var frameRate: Rational
    /// Samples at the encoding's rate.
    public var sampleCount: Int
    public var encoding: AudioEncoding
    public var output: String

    public init(
        spans: [SoundSpan], processing: SoundProcessing, files: [MediaFile], frameRate: Rational, sampleCount: Int,
        encoding: AudioEncoding, output: String
    ) {
        self.spans = spans
        self.processing = processing
        self.files = files
        self.frameRate = frameRate
        self.sampleCount = sampleCount
        self.encoding = encoding
        self.output = output
    }
}

/// The reply of a job that writes a file: where this run wrote it and what it is.
public struct WrittenFile: Sendable, Codable {
    public var path: String
    public var file: RenderedFile

    public init(path: String, file: RenderedFile) {
        self.path = path
        self.file = file
    }
}

/// What a segment or sound job wrote.
public struct RenderedFile: Sendable, Codable, Hashable {
    /// Frames of a segment, samples of sound.
    public var count: Int
    /// Bytes.
    public var size: Int64
    /// SHA-256 of the file.
    public var digest: String
    /// Bytes of a segment's encoded frames, without what the file around them takes; nil where nobody counted.
    public var payload: Int64?

    public init(count: Int, size: Int64, digest: String, payload: Int64? = nil) {
        self.count = count
        self.size = size
        self.digest = digest
        self.payload = payload
    }
}

/// Joins segments and sound into the output file.
public struct AssembleJob: Sendable, Codable {
    public struct Part: Sendable, Codable {
        public var path: String
        public var file: RenderedFile

        public init(path: String, file: RenderedFile) {
            self.path = path
            self.file = file
        }
    }

    /// One of the two says something: the file, or which parts are not what their workers wrote.
    public struct Reply: Sendable, Codable {
        public var written: WrittenFile?
        /// Paths.
        public var damaged: [String]

        public init(written: WrittenFile?, damaged: [String] = []) {
            self.written = written
            self.damaged = damaged
        }
    }

    /// In order: a segment's place is behind those before it. One file may come more than once.
    public var segments: [Part]
    public var sound: Part?
    public var frameRate: Rational
    public var size: Canvas.Size
    public var color: ColorSystem
    public var container: ExportSettings.Container
    public var indexFirst: Bool
    /// A temporary name in the output's folder, to which the worker adds the run's epoch; the host moves it into place. A
    /// picture sequence becomes a folder of `1.png`, `2.png` and so on.
    public var output: String

    public init(
        segments: [Part], sound: Part?, frameRate: Rational, size: Canvas.Size, color: ColorSystem,
        container: ExportSettings.Container, indexFirst: Bool, output: String
    ) {
        self.segments = segments
        self.sound = sound
        self.frameRate = frameRate
        self.size = size
        self.color = color
        self.container = container
        self.indexFirst = indexFirst
        self.output = output
    }
}

/// Reads a finished file back and compares it with what it should be.
public struct VerifyJob: Sendable, Codable {
    public var path: String
    public var container: ExportSettings.Container
    /// nil: the file has no picture.
    public var frames: Int?
    public var frameRate: Rational
    public var size: Canvas.Size
    public var color: ColorSystem
    /// nil: the file has no sound.
    public var samples: Int?
    public var sampleRate: Int

    public init(
        path: String, container: ExportSettings.Container, frames: Int?, frameRate: Rational, size: Canvas.Size,
        color: ColorSystem, samples: Int?, sampleRate: Int
    ) {
        self.path = path
        self.container = container
        self.frames = frames
        self.frameRate = frameRate
        self.size = size
        self.color = color
        self.samples = samples
        self.sampleRate = sampleRate
    }
}
