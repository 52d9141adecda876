import Values

extension Canvas {
    /// `size = { 1280, 720 }`, or `aspect = { 9, 16 }` or `"9:16"` and `max` (the longer side), or
    /// one of the two; `fps`; `background`; `color`. Without `aspect` the shape is the first
    /// clip's.
    public init(reading fields: inout FieldReader) throws(Problem) {
        self.init()
        try Self.options.read(&self, from: &fields)
        if let size { try check(size, fields) }
        if let reason = frameRate.flatMap(Canvas.problem(ofFrameRate:)) { throw fields.problem(reason) }
    }

    /// Reads `size`, or `aspect` and `max` in its place.
    mutating func readSize(_ fields: inout FieldReader) throws(Problem) {
        if let wished = try fields.integers("size", count: 2, form: "{ width, height } in pixels") {
            size = Size(width: wished[0], height: wished[1])
        }
        let (aspect, maximum) = (try fields.aspect("aspect"), try fields.int("max"))
        if let maximum, !Canvas.sizeRange.contains(maximum) {
            throw fields.problem("‘max’ is \(maximum), but must lie between 16 and 8192 pixels")
        }
        for (key, isGiven) in [("aspect", aspect != nil), ("max", maximum != nil)] where isGiven && size != nil {
            throw fields.problem("give ‘size’ or ‘\(key)’, not both")
        }
        if let aspect {
            size = Canvas.size(aspectWidth: aspect.width, aspectHeight: aspect.height, maximum: maximum ?? 1280)
        } else {
            longerSide = maximum
        }
    }

    private func check(_ size: Size, _ fields: FieldReader) throws(Problem) {
        guard Canvas.sizeRange.contains(size.width), Canvas.sizeRange.contains(size.height) else {
            throw fields.problem("the size is \(size), but each side must lie between 16 and 8192 pixels")
        }
        guard size.width % 2 == 0, size.height % 2 == 0 else {
            let even = Size(width: size.width & ~1, height: size.height & ~1)
            throw fields.problem("the size is \(size), but both numbers must be even; \(even) would do")
        }
    }

    func write(to writer: inout FieldWriter) { Self.options.write(self, to: &writer) }
}

extension FieldReader {
    /// `{ 9, 16 }`, `"9:16"`, `"9/16"` or the quotient.
    fileprivate mutating func aspect(_ key: String) throws(Problem) -> (width: Double, height: Double)? {
        guard let value = value(key) else { return nil }
        var sides: [Double?] = []
        switch value {
        case .number(let quotient): sides = [quotient, 1]
        case .string(let text): sides = text.split { ":/".contains($0) }.map { Double($0) }
        case .array(let items): sides = items.map { if case .number(let side) = $0 { side } else { nil } }
        default: break
        }
        guard sides.count == 2, let width = sides[0], let height = sides[1], width > 0, height > 0,
            width / height < 100, height / width < 100
        else { throw wrong(key, "{ width, height } such as { 9, 16 }, or \"9:16\"", value) }
        return (width, height)
    }
}
