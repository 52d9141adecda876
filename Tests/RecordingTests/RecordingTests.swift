import Recording
import Testing
import Values

@Suite struct RecordingTests {
    private let second = Time(flicks: Time.flicksPerSecond)

    private func opened(_ limits: Recording.Limits = Recording.Limits()) -> Recording {
        var recording = Recording(limits: limits)
        _ = recording.handle(.command(.start))
        _ = recording.handle(.opened)
        return recording
    }

    /// Two takes of a second are clips, and the sources are open.
    private func withTwoTakes() -> Recording {
        var recording = opened()
        for number in 1...2 {
            if number > 1 { _ = recording.handle(.command(.start)) }
            _ = recording.handle(.command(.finish))
            _ = recording.handle(.partEnded(duration: second, size: 1, .stopped))
            _ = recording.handle(.joined(file(number, second), damaged: []))
            _ = recording.handle(.clipAdded(number))
        }
        return recording
    }

    private func file(_ number: Int, _ duration: Time) -> RecordedFile {
        RecordedFile(name: "000\(number).mp4", duration: duration, size: 100)
    }

    @Test func `a take is journalled, recorded, joined and added`() {
        var recording = Recording()
        #expect(recording.begin() == [])
        #expect(recording.handle(.command(.start)) == [.open])
        #expect(
            recording.handle(.opened) == [
                .notify(.ready), .journal(.begun(take: 1, TakeSettings())),
                .journal(.part(take: 1, name: "0001.part1.mp4")), .startPart("0001.part1.mp4", limit: nil),
            ])
        #expect(recording.handle(.started) == [.notify(.started(take: 1))])
        #expect(recording.handle(.progress(duration: second, size: 10, free: nil)) == [])
        #expect(recording.handle(.command(.finish)) == [.endPart])
        #expect(
            recording.handle(.partEnded(duration: second, size: 20, .stopped)) == [
                .join(["0001.part1.mp4"], into: "0001.mp4")
            ])
        let actions = recording.handle(.joined(file(1, second), damaged: []))
        #expect(
            Array(actions.prefix(2)) == [
                .journal(.joined(take: 1, file(1, second))), .removeParts(["0001.part1.mp4"]),
            ])
        #expect(recording.phase == .ready && recording.handle(.clipAdded(1)) == [.journal(.added(take: 1))])
        #expect(recording.takes.kept.map(\.number) == [1] && recording.takes.duration == second)
        #expect(recording.handle(.command(.close)) == [.end])
    }

    @Test func `a paused take goes on in another part`() {
        var recording = opened()
        #expect(recording.handle(.command(.pause)) == [.endPart])
        #expect(recording.handle(.partEnded(duration: second, size: 1, .stopped)) == [.notify(.paused(take: 1))])
        #expect(
            recording.handle(.command(.start)) == [
                .journal(.part(take: 1, name: "0001.part2.mp4")),
                .startPart("0001.part2.mp4", limit: nil),
            ])
        #expect(recording.handle(.started) == [.notify(.resumed(take: 1))])
        _ = recording.handle(.command(.finish))
        #expect(
            recording.handle(.partEnded(duration: second, size: 1, .stopped)) == [
                .join(["0001.part1.mp4", "0001.part2.mp4"], into: "0001.mp4")
            ])
    }

    @Test func `the length that is left counts all takes after their speeds`() {
        var recording = Recording(limits: Recording.Limits(duration: Time(flicks: 10 * second.flicks)))
        recording.settings.speed = Rational(2)
        _ = recording.handle(.command(.start))
        let actions = recording.handle(.opened)
        #expect(
            actions.last
                == .startPart(
                    "0001.part1.mp4", limit: Time(flicks: 20 * second.flicks)))
        _ = recording.handle(.command(.finish))
        _ = recording.handle(.partEnded(duration: Time(flicks: 8 * second.flicks), size: 1, .stopped))
        _ = recording.handle(.joined(file(1, Time(flicks: 8 * second.flicks)), damaged: []))
        recording.settings.speed = Rational(1, 2)
        #expect(
            recording.handle(.command(.start)).last
                == .startPart(
                    "0002.part1.mp4", limit: Time(flicks: 3 * second.flicks)))
        #expect(
            recording.place == PartPlace(time: Time(flicks: 4 * second.flicks), speed: Rational(1, 2)))
    }

    @Test(arguments: [
        (Recording.Limits(duration: Time(flicks: 1000)), Recording.Limit.duration),
        (Recording.Limits(size: 50), .size), (Recording.Limits(free: 950), .free),
    ])
    func `a limit finishes the take`(limits: Recording.Limits, limit: Recording.Limit) {
        var recording = opened(limits)
        #expect(recording.handle(.progress(duration: Time(flicks: 999), size: 49, free: 1000)) == [])
        #expect(
            recording.handle(.progress(duration: Time(flicks: 1000), size: 50, free: 999)) == [
                .notify(.limit(limit)), .endPart,
            ])
    }

    @Test func `nothing is started where a limit is reached`() {
        var recording = opened(Recording.Limits(size: 100))
        _ = recording.handle(.command(.finish))
        _ = recording.handle(.partEnded(duration: second, size: 100, .stopped))
        _ = recording.handle(.joined(file(1, second), damaged: []))
        #expect(recording.handle(.command(.start)) == [.notify(.limit(.size))])
    }

    @Test func `a lost source ends its take and closes the sources`() {
        var recording = opened()
        #expect(
            recording.handle(.partEnded(duration: second, size: 1, .lost("The camera is gone."))) == [
                .notify(.lost("The camera is gone.")), .join(["0001.part1.mp4"], into: "0001.mp4"),
            ])
        _ = recording.handle(.joined(file(1, second), damaged: []))
        #expect(recording.phase == .idle)
    }

    @Test func `a source that is lost between takes closes the sources`() {
        var ready = Recording()
        _ = ready.handle(.command(.start))
        _ = ready.handle(.opened)
        _ = ready.handle(.command(.pause))
        _ = ready.handle(.partEnded(duration: second, size: 1, .stopped))
        #expect(
            ready.handle(.sourcesLost("The camera is gone.")) == [
                .notify(.lost("The camera is gone.")), .join(["0001.part1.mp4"], into: "0001.mp4"),
            ])
        _ = ready.handle(.joined(file(1, second), damaged: []))
        #expect(ready.phase == .idle)
        _ = ready.handle(.command(.start))
        _ = ready.handle(.opened)
        _ = ready.handle(.command(.finish))
        _ = ready.handle(.partEnded(duration: second, size: 1, .stopped))
        _ = ready.handle(.joined(file(2, second), damaged: []))
        #expect(ready.phase == .ready)
        #expect(ready.handle(.sourcesLost("It is gone.")) == [.notify(.lost("It is gone."))] && ready.phase == .idle)
    }

    @Test func `a recorder that crashes twice in joining leaves the parts`() {
        var recording = opened()
        #expect(
            recording.handle(.recorderEnded("It crashed.")) == [
                .notify(.lost("It crashed.")), .join(["0001.part1.mp4"], into: "0001.mp4"),
            ])
        #expect(recording.handle(.recorderEnded("It crashed.")) == [.join(["0001.part1.mp4"], into: "0001.mp4")])
        let actions = recording.handle(.recorderEnded("It crashed."))
        #expect(actions.count == 1 && "\(actions)".contains("--recover") && recording.phase == .idle)
        #expect(recording.takes[1]?.state == .unjoined)
    }

    @Test func `what a crash left is put in order`() {
        let settings = TakeSettings()
        var recording = Recording(
            takes: TakeList([
                .begun(take: 1, settings), .part(take: 1, name: "0001.part1.mp4"), .joined(take: 1, file(1, second)),
                .begun(take: 2, settings), .part(take: 2, name: "0002.part1.mp4"),
            ]))
        let actions = recording.begin()
        #expect(actions.contains(.removeParts(["0001.part1.mp4"])))
        #expect(actions.contains { if case .addClip(let take) = $0 { take.number == 1 } else { false } })
        #expect(actions.last == .join(["0002.part1.mp4"], into: "0002.mp4"))
        #expect(
            recording.handle(.nothingRecorded(damaged: [])).first == .journal(.dropped(take: 2))
                && recording.phase == .idle)
    }

    @Test func `a take starts once an earlier one is recovered`() {
        var recording = Recording(takes: TakeList([.begun(take: 1, TakeSettings()), .part(take: 1, name: "a")]))
        #expect(recording.begin() == [.join(["a"], into: "0001.mp4")])
        #expect(recording.handle(.command(.start)) == [])
        let actions = recording.handle(.joined(file(1, second), damaged: ["a"]))
        // A damaged part has its second name before the journal says that the parts can be removed.
        #expect(actions.first == .keepParts(["a"]) && actions.contains(.removeParts(["a"])) && actions.last == .open)
        #expect(actions.contains { if case .notify(.recovered) = $0 { true } else { false } })
        #expect(
            recording.handle(.opened).last == .startPart("0002.part1.mp4", limit: nil))
    }

    @Test func `a take replaces another one when it is finished`() {
        var recording = withTwoTakes()
        let missing = Recording.StartOptions(replaces: 7)
        #expect(
            recording.handle(.command(.startTake(missing)))
                == [.notify(.refused("There is no take 7; there are 1, 2."))])
        #expect(
            recording.handle(.command(.startTake(Recording.StartOptions(replaces: 1)))).first
                == .journal(.begun(take: 3, TakeSettings(), replaces: 1)))
        _ = recording.handle(.command(.finish))
        _ = recording.handle(.partEnded(duration: second, size: 1, .stopped))
        let actions = recording.handle(.joined(file(3, second), damaged: []))
        let discarded = actions.firstIndex(of: .journal(.discarded(take: 1)))
        let added = actions.firstIndex { if case .addClip(let take) = $0 { take.number == 3 } else { false } }
        #expect(discarded != nil && added != nil && discarded ?? 0 < added ?? 0, "\(actions)")
        #expect(actions.contains(.reportDiscards([1])))
        #expect(recording.handle(.discardsTried([1])) == [.notify(.discarded([1]))])
        #expect(recording.takes.kept.map(\.number) == [2, 3])
        #expect(recording.takes.place(of: 3) == 1 && recording.takes.place(of: 2) == 2)
        #expect(recording.handle(.command(.undo)).contains(.notify(.restored([1]))))
    }

    @Test func `sources that are opened without a take wait for one`() {
        var recording = Recording()
        #expect(recording.handle(.command(.open)) == [.open])
        #expect(recording.handle(.opened) == [.notify(.ready)] && recording.phase == .ready)
        let settings = TakeSettings(speed: Rational(2), volume: 0.5)
        #expect(recording.handle(.command(.open)) == [])
        let options = Recording.StartOptions(speed: Rational(2), volume: 0.5)
        #expect(recording.handle(.command(.startTake(options))).first == .journal(.begun(take: 1, settings)))
        // A take that a crash left is joined first.
        var later = Recording(takes: TakeList([.begun(take: 1, TakeSettings()), .part(take: 1, name: "a")]))
        _ = later.begin()
        #expect(later.handle(.command(.open)) == [] && later.phase == .joining(1, .open(starts: false)))
        _ = later.handle(.joined(file(1, second), damaged: []))
        #expect(later.phase == .opening(starts: false))
    }

    @Test func `options of a start that is refused are not kept`() {
        var recording = opened()
        _ = recording.handle(.command(.finish))
        _ = recording.handle(.partEnded(duration: second, size: 1, .stopped))
        _ = recording.handle(.joined(file(1, second), damaged: []))
        _ = recording.handle(.clipAdded(1))
        _ = recording.handle(.command(.start))
        let options = Recording.StartOptions(speed: Rational(2), replaces: 1)
        #expect(recording.handle(.command(.startTake(options))) == [.notify(.refused("A take is being recorded."))])
        #expect(recording.next == Recording.StartOptions() && recording.settings == TakeSettings())
        _ = recording.handle(.command(.pause))
        _ = recording.handle(.partEnded(duration: second, size: 1, .stopped))
        #expect("\(recording.handle(.command(.startTake(options))))".contains("refused"))
        #expect(recording.next == Recording.StartOptions())
        _ = recording.handle(.command(.startTake(Recording.StartOptions())))
        #expect(recording.current?.parts == 2)
    }

    @Test func `a start that comes while a take is finished follows it`() {
        for isJoining in [false, true] {
            var recording = opened()
            _ = recording.handle(.command(.finish))
            if isJoining { _ = recording.handle(.partEnded(duration: second, size: 1, .stopped)) }
            #expect(recording.handle(.command(.startTake(Recording.StartOptions(volume: 0.5)))) == [])
            if !isJoining { _ = recording.handle(.partEnded(duration: second, size: 1, .stopped)) }
            let actions = recording.handle(.joined(file(1, second), damaged: []))
            #expect(actions.contains(.journal(.begun(take: 2, TakeSettings(volume: 0.5)))), "\(actions)")
            #expect(actions.last == .startPart("0002.part1.mp4", limit: nil))
        }
    }

    @Test func `a take that is replaced does not count for the limits`() {
        var recording = opened(Recording.Limits(duration: Time(flicks: 2 * second.flicks)))
        _ = recording.handle(.partEnded(duration: Time(flicks: 2 * second.flicks), size: 1, .limit))
        _ = recording.handle(.joined(file(1, Time(flicks: 2 * second.flicks)), damaged: []))
        _ = recording.handle(.clipAdded(1))
        #expect(recording.handle(.command(.start)) == [.notify(.limit(.duration))])
        let actions = recording.handle(.command(.startTake(Recording.StartOptions(replaces: 1))))
        let limit = Time(flicks: 2 * second.flicks)
        #expect(actions.last == .startPart("0002.part1.mp4", limit: limit), "\(actions)")
    }

    @Test func `a limit is told once`() {
        let limit = Time(flicks: 2 * second.flicks)
        var recording = opened(Recording.Limits(duration: limit))
        #expect(
            recording.handle(.progress(duration: limit, size: 1, free: nil)) == [.notify(.limit(.duration)), .endPart])
        let actions = recording.handle(.partEnded(duration: limit, size: 1, .limit))
        #expect(!actions.contains(.notify(.limit(.duration))), "\(actions)")
    }

    @Test func `a recording that ends does so although its last records cannot be written`() {
        var recording = opened()
        _ = recording.handle(.command(.close))
        _ = recording.handle(.partEnded(duration: second, size: 1, .stopped))
        #expect(recording.handle(.joined(file(1, second), damaged: [])).last == .end)
        #expect(recording.handle(.failed("full")) == [.notify(.failed("full")), .end])
    }

    @Test func `a discard that could not be carried out is not told`() {
        var recording = withTwoTakes()
        #expect(recording.handle(.command(.discard(.all))).last == .reportDiscards([1, 2]))
        #expect("\(recording.handle(.discardFailed(2, "locked")))".contains("refused"))
        #expect(recording.handle(.discardsTried([1, 2])) == [.notify(.discarded([1]))])
        #expect(recording.handle(.command(.undo)).last == .notify(.restored([1])))
        #expect("\(recording.handle(.command(.undo)))".contains("refused"))
    }

    @Test func `a take that was restored is not replaced again`() {
        let joined = RecordedFile(name: "0002.mp4", duration: second, size: 1)
        let first = RecordedFile(name: "0001.mp4", duration: second, size: 1)
        let records: [JournalRecord] = [
            .begun(take: 1, TakeSettings()), .joined(take: 1, first), .added(take: 1),
            .begun(take: 2, TakeSettings(), replaces: 1), .joined(take: 2, joined), .discarded(take: 1),
            .added(take: 2), .restored(take: 1), .added(take: 1), .discarded(take: 2), .restored(take: 2),
        ]
        var recording = Recording(takes: TakeList(records))
        #expect(!recording.begin().contains(.journal(.discarded(take: 1))))
        #expect(recording.takes.kept.map(\.number) == [1, 2])
        // Where it has not happened yet, it does.
        var earlier = Recording(takes: TakeList(records.prefix(5)))
        #expect(earlier.begin().contains(.journal(.discarded(take: 1))))
    }

    @Test func `other sources are opened in place of open ones, and never within a take`() {
        var recording = Recording()
        #expect(recording.handle(.command(.reopen)) == [.open] && recording.phase == .opening(starts: false))
        guard case .notify(.refused)? = recording.handle(.command(.reopen)).first else {
            return #expect(Bool(false), "twice at once")
        }
        _ = recording.handle(.opened)
        #expect(recording.handle(.command(.reopen)) == [.open] && recording.phase == .opening(starts: false))
        _ = recording.handle(.opened)
        _ = recording.handle(.command(.start))
        for command in [Recording.Command.pause, .finish] {
            let before = recording.phase
            guard case .notify(.refused)? = recording.handle(.command(.reopen)).first else {
                return #expect(Bool(false), "\(before)")
            }
            #expect(recording.phase == before)
            _ = recording.handle(.command(command))
            if command == .pause {
                _ = recording.handle(.partEnded(duration: second, size: 1, .stopped))
                _ = recording.handle(.command(.start))
            }
        }
        _ = recording.handle(.partEnded(duration: second, size: 1, .stopped))
        #expect(recording.handle(.command(.reopen)) == [] && recording.phase == .joining(1, .open(starts: false)))
        #expect(recording.handle(.joined(file(1, second), damaged: [])).last == .open)
    }

    @Test func `a take's file has the container of its parts`() {
        var recording = Recording()
        recording.container = .webm
        _ = recording.handle(.command(.start))
        #expect(recording.handle(.opened).contains(.startPart("0001.part1.webm", limit: nil)))
        _ = recording.handle(.command(.finish))
        let actions = recording.handle(.partEnded(duration: second, size: 1, .stopped))
        #expect(actions == [.join(["0001.part1.webm"], into: "0001.webm")])
        #expect(Take(number: 7, settings: TakeSettings()).fileName == "0007.mp4")
    }

    @Test func `impossible speeds of a journal are not read`() {
        for speed in ["1/9000000000000000000", "0", "101", "-1"] {
            let line = #"{"event":"begun","take":1,"speed":"\#(speed)","volume":1}"#
            #expect(JournalRecord(line: line) == nil)
        }
        var takes: [JournalRecord] = []
        for number in 1...40 {
            takes.append(.begun(take: number, TakeSettings(speed: Rational(1, 100))))
            takes.append(.joined(take: number, RecordedFile(name: "a", duration: .longest, size: 1)))
        }
        #expect(TakeList(takes).duration > .longest)
    }

    @Test func `the free space counts what joining needs`() {
        var recording = opened(Recording.Limits(free: 100))
        #expect(recording.handle(.progress(duration: second, size: 50, free: 150)) == [])
        #expect(
            recording.handle(.progress(duration: second, size: 51, free: 150)) == [.notify(.limit(.free)), .endPart])
    }

    @Test func `sources that are lost while a part ends are not used again`() {
        for command in [Recording.Command.finish, .pause] {
            var recording = opened()
            _ = recording.handle(.command(command))
            #expect(recording.handle(.sourcesLost("gone")) == [.notify(.lost("gone"))])
            let actions = recording.handle(.partEnded(duration: second, size: 1, .stopped))
            #expect(actions == [.join(["0001.part1.mp4"], into: "0001.mp4")], "\(actions)")
            _ = recording.handle(.joined(file(1, second), damaged: []))
            #expect(recording.phase == .idle)
        }
    }

    @Test func `a file that the journal does not know is not replaced`() {
        var recording = Recording(takes: TakeList([], used: 7))
        _ = recording.handle(.command(.start))
        #expect(recording.handle(.opened).last == .startPart("0008.part1.mp4", limit: nil))
    }

    @Test func `the background changes only while there are no takes`() {
        let (first, second) = (Background(path: "/a.mp3"), Background(path: "/b.mp3", loops: true))
        var recording = Recording()
        #expect(recording.handle(.command(.background(first))) == [.setBackground(first)])
        #expect(recording.handle(.backgroundSet(first)) == [.notify(.background(first))])
        #expect(recording.handle(.backgroundFailed("no")) == [.notify(.refused("no"))])
        _ = recording.handle(.command(.start))
        func expectRefused() {
            var changed = recording
            let actions = changed.handle(.command(.background(second)))
            guard case .notify(.refused)? = actions.first, actions.count == 1 else {
                Issue.record("\(recording.phase): \(actions)")
                return
            }
        }
        expectRefused()
        _ = recording.handle(.opened)
        expectRefused()
        _ = recording.handle(.command(.finish))
        expectRefused()
        _ = recording.handle(.partEnded(duration: self.second, size: 1, .stopped))
        expectRefused()
        _ = recording.handle(.joined(file(1, self.second), damaged: []))
        _ = recording.handle(.clipAdded(1))
        expectRefused()
        _ = recording.handle(.command(.discard(.all)))
        #expect(recording.handle(.command(.background(second))) == [.setBackground(second)])
        // The sources that are open play the earlier one.
        #expect(recording.handle(.backgroundSet(second)) == [.notify(.background(second)), .open])
        #expect(recording.phase == .opening(starts: false))
        _ = recording.handle(.opened)
        // The discarded take belongs to the earlier background.
        #expect(recording.handle(.command(.undo)) == [.notify(.refused("No take was discarded."))])
    }

    @Test func `a photo needs sources that are open`() {
        var recording = Recording()
        #expect("\(recording.handle(.command(.photo(nil))))".contains("refused"))
        _ = recording.handle(.command(.start))
        #expect("\(recording.handle(.command(.photo(nil))))".contains("refused"))
        _ = recording.handle(.opened)
        #expect(recording.handle(.command(.photo("/a.png"))) == [.takePhoto("/a.png")])
        #expect(recording.handle(.photoTaken("/a.png")) == [.notify(.photo("/a.png"))])
        #expect(recording.handle(.photoFailed("no")) == [.notify(.refused("no"))])
        _ = recording.handle(.command(.pause))
        _ = recording.handle(.partEnded(duration: second, size: 1, .stopped))
        #expect(recording.handle(.command(.photo(nil))) == [.takePhoto(nil)])
    }

    /// A take that replaces the first one is heard where that one was.
    @Test func `a part is at the place of its clip`() {
        var recording = opened()
        for number in 1...2 {
            if number > 1 { _ = recording.handle(.command(.start)) }
            _ = recording.handle(.command(.finish))
            _ = recording.handle(.partEnded(duration: second, size: 1, .stopped))
            _ = recording.handle(.joined(file(number, second), damaged: []))
            _ = recording.handle(.clipAdded(number))
        }
        _ = recording.handle(.command(.startTake(Recording.StartOptions(speed: Rational(2), replaces: 2))))
        #expect(recording.place == PartPlace(time: second, speed: Rational(2)))
        _ = recording.handle(.command(.pause))
        _ = recording.handle(.partEnded(duration: second, size: 1, .stopped))
        _ = recording.handle(.command(.start))
        let half = Time(flicks: second.flicks / 2)
        #expect(recording.place == PartPlace(time: second + half, speed: Rational(2)))
    }

    @Test func `commands that do not fit are refused and change nothing`() {
        func expectRefused(_ recording: Recording, _ commands: [Recording.Command]) {
            for command in commands {
                var changed = recording
                let actions = changed.handle(.command(command))
                #expect("\(actions)".contains("refused") && changed.phase == recording.phase, "\(command): \(actions)")
            }
        }
        expectRefused(Recording(), [.pause, .finish, .undo, .discard(.last), .discard(.all), .discard(.number(1))])
        expectRefused(opened(), [.start, .undo, .discard(.last), .discard(.all), .discard(.number(1))])
        var closed = Recording()
        _ = closed.handle(.command(.close))
        expectRefused(closed, [.start, .pause, .finish, .undo, .discard(.last)])
        #expect(closed.handle(.command(.close)) == [])
    }

    @Test func `discarded takes come back, the last ones first`() {
        var recording = opened()
        for number in 1...3 {
            if number > 1 { _ = recording.handle(.command(.start)) }
            _ = recording.handle(.command(.finish))
            _ = recording.handle(.partEnded(duration: second, size: 1, .stopped))
            _ = recording.handle(.joined(file(number, second), damaged: []))
            _ = recording.handle(.clipAdded(number))
        }
        _ = recording.handle(.command(.discard(.number(2))))
        _ = recording.handle(.command(.discard(.all)))
        #expect(recording.takes.kept.isEmpty)
        _ = recording.handle(.command(.undo))
        #expect(recording.takes.kept.map(\.number) == [1, 3])
        _ = recording.handle(.command(.undo))
        #expect(recording.takes.kept.map(\.number) == [1, 2, 3])
    }
}
