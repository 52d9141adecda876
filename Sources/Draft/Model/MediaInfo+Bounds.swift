import Values

extension MediaInfo {
    /// What no file has, as half a sentence; nil where all numbers are within their bounds.
    ///
    /// Workers find out what is in a file, and notes keep it. Whatever either says, sums of a few
    /// of these numbers do not overflow once this is nil.
    public var excess: String? {
        var numbers: [(name: String, value: Int64, bounds: ClosedRange<Int64>)] = [
            ("bytes", identity.size, 0...Self.mostBytes)
        ]
        if let video {
            numbers += [
                ("columns", Int64(video.width), 0...Self.longestSide),
                ("rows", Int64(video.height), 0...Self.longestSide),
                ("degrees of rotation", Int64(video.rotation), -360...360),
                ("bits per second", Int64(video.bitRate ?? 0), 0...Self.mostBytes),
                ("nits", Int64(video.peak ?? 0), 0...100_000),
                ("flicks before its picture", video.start.flicks, Self.times),
                ("flicks of picture", video.duration.flicks, Self.times),
                ("as its frame rate's numerator", video.frameRate.numerator, 0...Self.mostBytes),
            ]
        }
        for audio in [audio].compactMap(\.self) + audioTracks {
            numbers += [
                ("samples per second", Int64(audio.sampleRate), 0...1 << 31),
                ("channels", Int64(audio.channels), 0...1 << 16),
                ("bits per second", Int64(audio.bitRate ?? 0), 0...Self.mostBytes),
                ("flicks before its sound", audio.start.flicks, Self.times),
                ("flicks of sound", audio.duration.flicks, Self.times),
            ]
        }
        numbers += joints?.numbers ?? []
        numbers.append(("streams that cannot be decoded", Int64(unreadable?.count ?? 0), 0...Self.mostStreams))
        if let promisedDuration { numbers.append(("flicks of promised length", promisedDuration.flicks, Self.times)) }
        return numbers.first { !$0.bounds.contains($0.value) }.map { number in
            let unit = "flicks "
            guard number.name.hasPrefix(unit) else { return "has \(number.value) \(number.name)" }
            let seconds = number.value / Time.flicksPerSecond
            return "has a damaged clock, with \(seconds) s \(number.name.dropFirst(unit.count))"
        }
    }

    private static let mostStreams: Int64 = 1 << 16
    private static let longestSide: Int64 = 1 << 20
    fileprivate static let mostBytes: Int64 = 1 << 48
    /// 51 years.
    fileprivate static let times: ClosedRange<Int64> = -(1 << 60)...1 << 60
}

extension FileJoints {
    fileprivate var numbers: [(name: String, value: Int64, bounds: ClosedRange<Int64>)] {
        let (times, bytes) = (MediaInfo.times, 0...MediaInfo.mostBytes)
        var numbers: [(name: String, value: Int64, bounds: ClosedRange<Int64>)] = []
        switch self {
        case .clock(let jumps):
            let count = Int64(max(jumps.shifts.count, jumps.jumps.count))
            numbers.append(("jumps of its clock", count, 0...2 * Int64(ClockJumps.limit)))
            for shift in jumps.shifts {
                numbers.append(("as a stream's number", Int64(shift.stream), 0...1 << 20))
                numbers.append(("bytes before a jump of its clock", shift.position, bytes))
                numbers.append(("flicks of a jump of its clock", shift.shift.flicks, times))
            }
            for jump in jumps.jumps {
                numbers.append(("flicks before a jump of its clock", jump.time.flicks, times))
                numbers.append(("flicks of a jump of its clock", jump.distance.flicks, times))
            }
        case .links(let parts):
            numbers.append(("chained parts", Int64(parts.count), 0...2 * Int64(FileLink.limit)))
            for part in parts {
                numbers.append(("bytes before a chained part", part.start, bytes))
                numbers.append(("bytes of chained parts", part.end, bytes))
                numbers.append(("flicks before a chained part", part.time.flicks, times))
            }
        }
        return numbers
    }
}
