import Recording

/// Messages to a page that only its Record tab needs: see docs/recording-page.md. The others are
/// lines of `RecordingProtocol`.
enum RecordEvent {
    /// The first message.
    struct Hello: Encodable {
        let event = "hello"
        /// The draft that takes are added to.
        var draft: String
        /// The editor shows a script, which takes do not change.
        var isScript: Bool
        /// The page may record devices of the editor's machine.
        var devices: Bool
    }

    struct Refused: Encodable {
        let event = "refused"
        var message: String
    }

    struct Failed: Encodable {
        let event = "failed"
        var message: String
    }

    /// The recording, after each change.
    struct State: Encodable {
        let event = "state"
        var phase: String
        /// The take that is recorded or paused.
        var take: Int?
        var takes: [Entry]
        /// The takes that an undo could restore.
        var discarded: [Int]
        /// Seconds.
        var total: Double

        struct Entry: Encodable {
            var take: Int
            var file: String
            /// Seconds as recorded.
            var duration: Double
            var size: Int64
            var speed: Double
            var volume: Double
        }

        /// - Parameter folder: of the takes.
        init(_ recording: Recording, folder: String) {
            self.init(recording.takes, folder: folder, phase: recording.phase.name, total: recording.total.seconds)
            take = recording.current?.number
        }

        init(_ list: TakeList, folder: String, phase: String = "idle", total: Double? = nil) {
            self.phase = phase
            self.total = total ?? list.duration.seconds
            takes = list.kept.compactMap { take in
                take.kept.map { file in
                    Entry(
                        take: take.number, file: folder + "/" + file.name, duration: file.duration.seconds,
                        size: file.size, speed: take.settings.speed.doubleValue, volume: take.settings.volume)
                }
            }
            discarded = list.takes.compactMap { if case .discarded = $0.state { $0.number } else { nil } }
        }
    }
}

extension Recording.Phase {
    fileprivate var name: String {
        switch self {
        case .idle: "idle"
        case .opening: "opening"
        case .ready: "ready"
        case .recording: "recording"
        case .pausing: "pausing"
        case .paused: "paused"
        case .ending, .joining: "finishing"
        case .closed: "closed"
        }
    }
}
