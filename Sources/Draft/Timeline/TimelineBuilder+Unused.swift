import Values

/// Warnings about what a script says and a render does not use.
extension TimelineBuilder {
    /// The number of objects outside the rendered part that are named; the others are counted.
    static let mostUnrendered = 5
    /// Speeds that differ by less look the same: a length is often rounded.
    private static let unnoticed = 0.001

    /// Warns of a clip of which all is played faster or slower, because it has a ‘duration’ alone.
    mutating func warnOfStretch(_ clip: Clip, _ source: TimeRange, _ object: String) {
        guard let wished = clip.stretch, (clip.speed.doubleValue - 1).magnitude > Self.unnoticed else { return }
        let other =
            wished < source.duration
            ? "range = { 0, \(wished.forPeople) } plays the first \(wished.forPeople) s at normal speed instead"
            : "without ‘duration’ it plays at normal speed"
        warn(
            object,
            "its ‘duration’ of \(wished.forPeople) s plays all \(source.duration.forPeople) s of its content at speed "
                + "\(Value.text(of: (clip.speed.doubleValue * 1000).rounded() / 1000)); \(other), "
                + "and a ‘range’ beside ‘duration’ says that this speed is meant", clip.origin(of: "duration"))
    }

    /// Warns of an easing at the last key, unless the key before has the same one: then all keys
    /// were given it, and it acts where it can.
    mutating func warnOfUnusedEasings() {
        for use in draft.ownUses {
            // A ‘size’ has two values with the same keys.
            var found: [(easing: Easing, time: Time, properties: [String])] = []
            for (property, value) in use.values + use.speedCurves {
                guard case .keyframes(let keys) = value, let last = keys.last,
                    ![.linear, .hold].contains(last.easing), keys.dropLast().last?.easing != last.easing
                else { continue }
                if let index = found.firstIndex(where: { $0.easing == last.easing && $0.time == last.time }) {
                    found[index].properties.append(property)
                } else {
                    found.append((last.easing, last.time, [property]))
                }
            }
            for (easing, time, properties) in found {
                let names = properties.map { "‘\($0)’" }.joined(separator: " and ")
                warn(
                    draft.name(of: use.place),
                    "the last key of \(names), at \(time.forPeople) s, has the easing ‘\(easing)’, which does nothing: an easing "
                        + "is the way to the next key, so give it to the key before",
                    draft.origin(of: properties[0], at: use.place))
            }
        }
    }

    /// Warns of a last key after the end of its object, so that its value is never reached.
    mutating func warnOfUnreachedKeys(_ use: DraftUse, _ length: Time) {
        // A ‘size’ has two values with the same keys.
        var found: [(time: Time, properties: [String])] = []
        for (property, value) in use.values {
            guard let time = value.unreachedKey(after: length, frame: frame) else { continue }
            if let index = found.firstIndex(where: { $0.time == time }) {
                found[index].properties.append(property)
            } else {
                found.append((time, [property]))
            }
        }
        for (time, properties) in found {
            warn(
                draft.name(of: use.place),
                "the last key of \(properties.map { "‘\($0)’" }.joined(separator: " and ")), at \(time.forPeople) s, is after its end at "
                    + "\(length.forPeople) s, so its value is never reached; their times count from its own start",
                draft.origin(of: properties[0], at: use.place))
        }
    }

    /// The duration of a frame of the draft.
    private var frame: Time { Time(frame: 1, rate: draft.frameRate(catalog)) }

    /// Warns of keys of a speed after the end of the clip's range.
    mutating func warnOfSpeed(_ clip: Clip, _ source: TimeRange, _ object: String) {
        guard let speed = clip.timing.speed, case .keyframes(let keys) = speed, keys.count > 1, let first = keys.first
        else { return }
        let end = source.duration
        let late: String
        if first.time >= end {
            late =
                "the keys of ‘speed’ begin at \(first.time.forPeople) s, after its range's end at \(end.forPeople) s, so it never changes"
        } else if let time = speed.unreachedKey(after: end, frame: frame) {
            late =
                "the last key of ‘speed’, at \(time.forPeople) s, is after its range's end at \(end.forPeople) s, so its value is never "
                + "reached"
        } else {
            return
        }
        warn(object, "\(late); their times count from the range's start", clip.origin(of: "speed", "range"))
    }

    /// Warns of layers, titles, effects and audio clips of which nothing lies in the ‘time_range’.
    /// A draft in another one is shown in parts on purpose.
    mutating func warnOfUnrendered(_ timeline: Timeline) {
        guard !isNested, draft.timeRange != nil, timeline.rendered.duration < timeline.duration else { return }
        let effects = draft.effects.indices.filter {
            timeline.effectRanges[$0] != nil && timeline.local(ofEffect: $0).pieces.isEmpty
        }
        let audio = timeline.audio.indices.filter {
            timeline.audio[$0].clip.startTime < timeline.duration && timeline.local(ofAudio: $0).pieces.isEmpty
        }
        guard !effects.isEmpty || !audio.isEmpty else { return }
        var whole = draft
        whole.timeRange = nil
        var builder = TimelineBuilder(whole, catalog)
        guard let everything = builder.build() else { return }
        let found =
            effects.map { (place: DraftPlace.effect($0), map: everything.local(ofEffect: $0)) }
            + audio.map { (place: DraftPlace.audio($0), map: everything.local(ofAudio: $0)) }
        for (place, map) in found.prefix(Self.mostUnrendered) {
            let ranges = map.stretches
            let times = ranges.prefix(3).map(\.description).joined(separator: ", ") + (ranges.count > 3 ? ", …" : "")
            warn(
                draft.name(of: place),
                "lies at \(times), but only \(timeline.rendered) is rendered, so nothing of it is in the result",
                draft.origin(of: place))
        }
        let more = found.count - Self.mostUnrendered
        guard more > 0 else { return }
        warn(
            "draft",
            "\(more) more \(more == 1 ? "object lies" : "objects lie") outside the rendered \(timeline.rendered)",
            draft.timeRangeOrigin ?? draft.origin)
    }
}

extension Animated {
    /// More keys than a person writes come from data, such as an analysis of the whole file.
    private static let mostWritten = 20

    /// Returns the time of the last key if it is at least a frame after an object's end, and the
    /// value at the end is not the key's; nil if it is not, or if all keys are after the end.
    fileprivate func unreachedKey(after end: Time, frame: Time) -> Time? {
        guard case .keyframes(let keys) = self, (2...Self.mostWritten).contains(keys.count), let first = keys.first,
            let last = keys.last, first.time < end, last.time >= end + frame, value(at: end) != last.value
        else { return nil }
        return last.time
    }
}

extension TimeMap {
    /// The times of its pieces; pieces that follow each other without a gap are one.
    fileprivate var stretches: [TimeRange] {
        pieces.reduce(into: []) { ranges, piece in
            if let last = ranges.last, last.end >= piece.timeline.start {
                ranges[ranges.count - 1] = TimeRange(from: last.start, to: max(last.end, piece.timeline.end))
            } else {
                ranges.append(piece.timeline)
            }
        }
    }
}

extension DraftUse {
    /// The speed that changes over a clip's range, which is no value of its own time.
    fileprivate var speedCurves: [(key: String, value: Animated)] {
        let clip: Clip? =
            switch content {
            case .clip(let clip): clip
            case .layer(let layer): layer.clip
            case .file, .transition, .picture, .sound: nil
            }
        return clip?.timing.speed.map { [("speed", $0)] } ?? []
    }
}
