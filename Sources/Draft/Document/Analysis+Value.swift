import Values

extension Analysis {
    /// The options besides the analyser's parameters, as scripts give them.
    public static let optionNames = ["range", "fps", "size", "max", "params"]

    /// - Parameters:
    ///   - path: absolute.
    ///   - effect: the analyser's id.
    ///   - form: knows the analyser.
    ///   - value: its parameters and ``optionNames``, in the short form.
    ///   - folder: where relative paths start.
    public init(
        path: String, effect: String, _ form: ShortForm, reading value: Value, object: String, origin: Origin? = nil,
        folder: String
    ) throws(Problem) {
        let full = try form.full(analysis: value, of: effect, object, origin)
        var fields = try FieldReader(full, object: object, origin: origin, folder: folder)
        let range = try fields.range("range")
        let rate = try fields.rational("fps")
        let form = "{ width, height } in pixels"
        let sides = try fields.integers("size", count: 2, form: form)
        let longerSide = try fields.int("max")
        let filter = try PluginEffect(effect, reading: &fields)
        try fields.finish()
        if let problem = rate.flatMap(Canvas.problem(ofFrameRate:)) { throw fields.problem(problem) }
        if sides != nil, longerSide != nil { throw fields.problem("‘size’ and ‘max’ exclude each other") }
        if let sides, !sides.allSatisfy({ Canvas.sizeRange.contains($0) && $0 % 2 == 0 }) {
            throw fields.problem(
                "the size is \(sides[0])×\(sides[1]), but each side must be even and lie between 16 and 8192 pixels")
        }
        if let longerSide, !Canvas.sizeRange.contains(longerSide) {
            throw fields.problem("‘max’ is \(longerSide), but must lie between 16 and 8192 pixels")
        }
        for (key, value) in filter.parameters.sorted(by: { $0.key < $1.key }) {
            guard case .numbers(.function) = value else { continue }
            throw fields.problem("‘\(key)’ is a function of time; an analysis takes values and keyframes")
        }
        self.init(
            path: path, effect: filter, range: range, frameRate: rate,
            size: sides.map { Canvas.Size(width: $0[0], height: $0[1]) },
            longerSide: longerSide ?? Analysis.usualLongerSide)
    }
}

extension AnalysisTrack {
    /// The track as a script sees it: times in seconds, the numbers of a frame by their names.
    public var value: Value {
        let frames = frames.enumerated().map { index, numbers -> Value in
            var fields = numbers.mapValues { Value.array($0.map(Value.number)) }
            fields["time"] = .number(grid.time(of: index).seconds)
            return .object(fields)
        }
        return .object([
            "width": .number(Double(grid.size.width)), "height": .number(Double(grid.size.height)),
            "fps": .number(grid.frameRate.doubleValue), "start": .number(grid.start.seconds),
            "duration": .number(Time(frame: self.frames.count, rate: grid.frameRate).seconds), "frames": .array(frames),
        ])
    }
}
