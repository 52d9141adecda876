import Farm
import Foundation
import HostCore
import Recording
import Values

/// Carries out what a ``Recording`` asks for: files, the draft, the recorder's process.
///
/// All its work is done on the thread that calls ``run()``; commands and reports come from others.
package final class RecordingDriver: @unchecked Sendable {
    private var recording: Recording
    private let folder: TakeFolder
    private let draft: RecordedDraft
    private let request: SourceRequest
    private let playback: SoundOutput?
    private let effects: LiveEffectList?
    private let onNotice: (Recording.Notice, Recording) -> Void
    private let onProgress: (PartProgress, Recording) -> Void
    private let launch: TakeRecorderLaunch
    private var recorder: (any TakeRecorder)?
    /// The file that is being joined.
    private var joining = ""
    private var isRunning = true
    /// A file action failed: what is left of all lists that are being carried out is skipped.
    private var hasFailed = false

    private let condition = NSCondition()
    private var messages: [Message] = []
    /// Counts the recorders, so that reports of one that was ended are not taken for the next
    /// one's.
    private var generation = 0

    private enum Message {
        case commands(@Sendable (Recording) -> [Recording.Command])
        case recorder(TakeRecorderEvent, generation: Int)
    }

    /// - Parameters:
    ///   - folder: the takes' folder, which is locked.
    ///   - playback: where the background is heard; nil: nowhere.
    ///   - effects: what is recorded with the picture; nil: nothing.
    ///   - launch: starts a recorder when there is work for one.
    ///   - onNotice: called on the driver's thread, as is `onProgress`.
    /// - Throws: where the journal cannot be read.
    package init(
        folder: TakeFolder, draft: RecordedDraft, request: SourceRequest, playback: SoundOutput? = nil,
        effects: LiveEffectList? = nil, limits: Recording.Limits,
        settings: TakeSettings, replacing replaced: Int? = nil,
        launch: @escaping TakeRecorderLaunch = RecorderProcess.launch,
        onNotice: @escaping (Recording.Notice, Recording) -> Void,
        onProgress: @escaping (PartProgress, Recording) -> Void
    ) throws(HostError) {
        recording = Recording(takes: TakeList(try folder.records(), used: folder.highestNumber), limits: limits)
        recording.settings = settings
        if let replaced {
            guard recording.takes[replaced]?.kept != nil else {
                throw HostError(.usage, "‘\(draft.path)’ has no take \(replaced) that ‘--replace’ could replace.")
            }
            recording.next.replaces = replaced
        }
        (self.folder, self.effects) = (folder, effects)
        (self.draft, self.request, self.playback, self.launch) = (draft, request, playback, launch)
        (self.onNotice, self.onProgress) = (onNotice, onProgress)
    }

    /// Passes a command, from any thread.
    package func post(_ command: Recording.Command) { post { _ in [command] } }

    /// Passes commands that depend on what is going on, from any thread.
    package func post(_ commands: @escaping @Sendable (Recording) -> [Recording.Command]) { post(.commands(commands)) }

    private func post(_ message: Message) {
        condition.lock()
        messages.append(message)
        condition.signal()
        condition.unlock()
    }

    private func next() -> Message {
        condition.lock()
        defer { condition.unlock() }
        while messages.isEmpty { condition.wait() }
        return messages.removeFirst()
    }

    /// Runs until the recording has ended.
    /// - Returns: what the journal says at the end.
    package func run() -> TakeList {
        carryOut(recording.begin())
        while isRunning {
            switch next() {
            case .commands(let commands): for command in commands(recording) { pass(.command(command)) }
            case .recorder(let event, generation): take(event)
            case .recorder: break
            }
        }
        recorder?.end()
        return recording.takes
    }

    private func take(_ event: TakeRecorderEvent) {
        switch event {
        case .ended(let reason):
            recorder = nil
            pass(.recorderEnded(reason))
        case .report(let report):
            if case .warning(let text) = report { onNotice(.warning(text), recording) }
            if case .effectsEnded(let reason) = report, let effects {
                onNotice(.warning(effects.leaveOut(reason)), recording)
                if let launch = effects.launch { recorder?.send(.effects(launch)) }
            }
            if case .container(let container) = report { recording.container = container }
            if case .partEnded = report { folder.useRoom() }
            if let event = report.event(joining: joining) { pass(event) }
            if case .progress(let progress) = report { onProgress(progress, recording) }
        }
    }

    private func pass(_ event: Recording.Event) {
        hasFailed = false
        passNested(event)
    }

    /// Passes the result of an action.
    private func passNested(_ event: Recording.Event) { carryOut(recording.handle(event)) }

    // MARK: Actions

    private func carryOut(_ actions: [Recording.Action]) {
        for action in actions {
            do throws(HostError) {
                try carryOut(action)
            } catch {
                passNested(.failed(error.message))
                hasFailed = true
            }
            if hasFailed { return }
        }
    }

    private func carryOut(_ action: Recording.Action) throws(HostError) {
        switch action {
        case .open:
            recording.container = .mp4
            try open()
        case .journal(let record): try folder.append(record)
        case .startPart(let name, let limit):
            folder.keepRoom()
            try send(.start(path: folder.file(name), limit: limit?.flicks, recording.place))
        case .endPart: try send(.stop)
        case .join(let parts, let file):
            joining = file
            try send(.join(parts.map { folder.file($0) }, output: folder.file(file)))
        case .keepParts(let names): try folder.keep(names)
        case .removeParts(let names): folder.remove(names)
        case .addClip(let take): add(take)
        case .discard(let take, let file):
            do throws(HostError) {
                try draft.remove(
                    file: folder.file(file.name), moving: moves(behind: take, file, goes: true), lengths: lengths)
                try folder.discard(file.name)
            } catch {
                passNested(.discardFailed(take.number, error.message))
            }
        case .reportDiscards(let numbers): passNested(.discardsTried(numbers))
        case .restoreFile(let name): try folder.restore(name)
        case .removeFile(let number, let name):
            folder.removeDiscarded(name)
            passNested(.removed(number))
        case .takePhoto(let path): try send(.photo(path ?? folder.newPhoto))
        case .setBackground(let background):
            do throws(HostError) {
                try draft.set(background)
            } catch {
                return passNested(.backgroundFailed(error.message))
            }
            passNested(.backgroundSet(background))
        case .notify(let notice): onNotice(notice, recording)
        case .end: isRunning = false
        }
    }

    /// Opens the sources, and what plays the background that the draft has now.
    private func open() throws(HostError) {
        var request = request
        request.effects = effects?.launch
        if let playback {
            do throws(HostError) {
                request.background = try draft.background(on: playback)
            } catch {
                onNotice(.warning("The background is not played: \(error.message)"), recording)
            }
        }
        try send(.open(request))
    }

    /// Where later takes of sound alone go when a take comes, or goes. Only takes that are in the
    /// draft count: others may come or go with it.
    private func moves(behind take: Take, _ file: RecordedFile?, goes: Bool) -> [RecordedDraft.Move] {
        let length = take.settings.final(file?.duration ?? .zero)
        let takes = recording.takes
        func isThere(_ other: Take) -> Bool {
            if case .finished = other.state { other.number != take.number } else { false }
        }
        return takes.kept(behind: take.number).filter { isThere($0) && $0.kept?.hasPicture == false }.map { later in
            let others = TakeList.duration(of: takes.kept(before: later.number).filter(isThere))
            return RecordedDraft.Move(
                file: folder.file(later.fileName), from: goes ? others + length : others,
                to: goes ? others : others + length)
        }
    }

    /// The recorded lengths of all takes with a picture, by their files.
    private var lengths: [String: Time] {
        var lengths: [String: Time] = [:]
        for take in recording.takes.takes {
            if let file = take.file, file.hasPicture { lengths[folder.file(file.name)] = file.duration }
        }
        return lengths
    }

    private func add(_ take: Take) {
        guard folder.has(take.fileName) else { return passNested(.fileMissing(take.number)) }
        let takes = recording.takes
        let places = Dictionary(
            takes.takes.map { (folder.file($0.fileName), [takes.place(of: $0.number), $0.number]) },
            uniquingKeysWith: { first, _ in first })
        do throws(HostError) {
            let warning = try draft.add(
                take, file: folder.file(take.fileName), start: takes.start(of: take.number),
                moving: moves(behind: take, take.kept, goes: false), lengths: lengths
            ) { places[$0] }
            if let warning { onNotice(.warning(warning), recording) }
        } catch {
            return passNested(.addingFailed(take.number, error.message))
        }
        passNested(.clipAdded(take.number))
    }

    private func send(_ command: RecorderCommand) throws(HostError) {
        if recorder == nil {
            generation += 1
            let number = generation
            recorder = try launch(folder.path) { [weak self] event in
                self?.post(.recorder(event, generation: number))
            }
        }
        recorder?.send(command)
    }
}
