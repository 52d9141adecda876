extension LookTable {
    /// Reads the text of a `.cube` file (Adobe, *Cube LUT Specification 1.0*, 2013): `LUT_3D_SIZE`, or `LUT_1D_SIZE`, which
    /// is expanded to a table, `DOMAIN_MIN`, `DOMAIN_MAX`, `TITLE` and comments. The older `LUT_3D_INPUT_RANGE` and
    /// `LUT_1D_INPUT_RANGE` of DaVinci Resolve are understood. A table over another domain than 0…1 is sampled anew over
    /// 0…1.
    init(cube text: String) throws(Defect) {
        var reader = CubeReader()
        var number = 0
        // Hundreds of thousands of rows: bytes, not Characters. Lines end with \n, \r or both.
        let bytes = Array(text.utf8)
        var start = 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex { $0 == 10 || $0 == 13 } ?? bytes.count
            number += 1
            do throws(CubeReader.Complaint) {
                try reader.read(bytes[start..<end])
            } catch {
                throw Defect(line: number, reason: error.reason)
            }
            let isPair = end + 1 < bytes.count && bytes[end] == 13 && bytes[end + 1] == 10
            start = end + (isPair ? 2 : 1)
        }
        do throws(CubeReader.Complaint) {
            self = try reader.finish()
        } catch {
            throw Defect(reason: error.reason)
        }
    }
}

/// Takes a `.cube` file line by line.
private struct CubeReader {
    struct Complaint: Error {
        var reason: String
    }

    private enum Shape {
        case curves(Int)
        case cube(Int)
        var rows: Int {
            switch self {
            case .curves(let size): size
            case .cube(let size): size * size * size
            }
        }
    }

    private var shape: Shape?
    private var title = ""
    private var low: [Float] = [0, 0, 0]
    private var high: [Float] = [1, 1, 1]
    private var values: [Float] = []

    mutating func read(_ line: ArraySlice<UInt8>) throws(Complaint) {
        if let row = Self.row(line), let shape, values.count < 3 * shape.rows {
            values.append(row.0)
            values.append(row.1)
            values.append(row.2)
        } else {
            try read(Substring(decoding: line, as: UTF8.self))
        }
    }

    /// Three plain decimals and nothing else; nil where a closer look is needed.
    private static func row(_ line: ArraySlice<UInt8>) -> (Float, Float, Float)? {
        var rest = line
        guard let red = decimal(&rest), let green = decimal(&rest), let blue = decimal(&rest) else { return nil }
        return rest.allSatisfy { $0 == space } ? (red, green, blue) : nil
    }

    /// Takes `-12.345` and the like off the front. Up to 15 digits are exact in a Double, and so is their power of ten.
    private static func decimal(_ text: inout ArraySlice<UInt8>) -> Float? {
        var index = text.startIndex
        while index < text.endIndex, text[index] == space { index += 1 }
        let isNegative = index < text.endIndex && text[index] == UInt8(ascii: "-")
        if isNegative { index += 1 }
        var (value, scale, digits, hasPoint) = (0.0, 1.0, 0, false)
        loop: while index < text.endIndex {
            switch text[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                value = value * 10 + Double(text[index] - UInt8(ascii: "0"))
                if hasPoint { scale *= 10 }
                digits += 1
            case UInt8(ascii: ".") where !hasPoint: hasPoint = true
            case space: break loop
            default: return nil
            }
            index += 1
        }
        guard (1...15).contains(digits) else { return nil }
        text = text[index...]
        return Float(isNegative ? -value / scale : value / scale)
    }

    private static let space = UInt8(ascii: " ")

    private mutating func read(_ line: Substring) throws(Complaint) {
        var words = line.split(whereSeparator: \.isWhitespace)
        if words.first?.first == "\u{FEFF}" { words[0] = words[0].dropFirst() }
        guard let first = words.first, !first.isEmpty, first.first != "#" else { return }
        guard first.first?.isLetter == true else { return try readRow(words) }
        let arguments = words.dropFirst()
        switch first {
        case "TITLE":
            title =
                line.split(separator: "\"" as Character, omittingEmptySubsequences: false).dropFirst().first.map(
                    String.init)
                ?? arguments.joined(separator: " ")
        case "LUT_3D_SIZE": try setShape(.cube(try size(arguments, in: LookTable.sizes)))
        case "LUT_1D_SIZE": try setShape(.curves(try size(arguments, in: 2...65_536)))
        case "DOMAIN_MIN": low = try numbers(arguments, count: 3)
        case "DOMAIN_MAX": high = try numbers(arguments, count: 3)
        case "LUT_3D_INPUT_RANGE", "LUT_1D_INPUT_RANGE":
            let range = try numbers(arguments, count: 2)
            low = Array(repeating: range[0], count: 3)
            high = Array(repeating: range[1], count: 3)
        default:
            // `nan` and `inf` begin like words.
            if words.count == 3, words.allSatisfy({ Float($0) != nil }) { return try readRow(words) }
            throw Complaint(reason: "‘\(first.prefix(40))’ is not a keyword of a .cube file")
        }
    }

    mutating func finish() throws(Complaint) -> LookTable {
        guard let shape else { throw Complaint(reason: "there is no LUT_3D_SIZE or LUT_1D_SIZE in it") }
        guard values.count == 3 * shape.rows else {
            throw Complaint(reason: "it has \(values.count / 3) rows of numbers; its size asks for \(shape.rows)")
        }
        guard (0..<3).allSatisfy({ low[$0] < high[$0] }) else {
            throw Complaint(reason: "its domain is empty: DOMAIN_MIN must be below DOMAIN_MAX")
        }
        switch shape {
        case .curves(let size): return expandedCurves(size)
        case .cube(let size):
            return low == [0, 0, 0] && high == [1, 1, 1]
                ? LookTable(size: size, rgb: values, title: title) : resampledCube(size)
        }
    }

    // MARK: lines

    private mutating func setShape(_ new: Shape) throws(Complaint) {
        guard shape == nil else {
            throw Complaint(reason: "the size is given twice; a file with both kinds of table is not supported")
        }
        guard values.isEmpty else { throw Complaint(reason: "the size must come before the numbers") }
        shape = new
        values.reserveCapacity(3 * new.rows)
    }

    private mutating func readRow(_ words: [Substring]) throws(Complaint) {
        guard let shape else { throw Complaint(reason: "numbers come before LUT_3D_SIZE or LUT_1D_SIZE") }
        guard values.count < 3 * shape.rows else {
            throw Complaint(reason: "there are more rows of numbers than the \(shape.rows) that its size asks for")
        }
        values += try numbers(words[...], count: 3)
    }

    private func size(_ words: ArraySlice<Substring>, in range: ClosedRange<Int>) throws(Complaint) -> Int {
        guard words.count == 1, let word = words.first, let size = Int(word), range.contains(size) else {
            throw Complaint(
                reason: "the size ‘\(words.joined(separator: " ").prefix(40))’ is not a whole number in "
                    + "\(range.lowerBound)…\(range.upperBound)")
        }
        return size
    }

    private func numbers(_ words: ArraySlice<Substring>, count: Int) throws(Complaint) -> [Float] {
        let numbers = words.compactMap { Float($0) }
        guard words.count == count, numbers.count == count else {
            throw Complaint(reason: "‘\(words.joined(separator: " ").prefix(60))’ is not \(count) numbers")
        }
        guard numbers.allSatisfy(\.isFinite) else { throw Complaint(reason: "a number is not finite") }
        return numbers
    }

    // MARK: tables

    /// Three curves as a table: fine enough (65 points) for what a curve does between 8-bit codes.
    private func expandedCurves(_ size: Int) -> LookTable {
        let points = 65
        let curves = (0..<3).map { channel in
            (0..<points).map { point in
                let (index, fraction) = position(Float(point) / Float(points - 1), channel: channel, size: size)
                let (a, b) = (values[3 * index + channel], values[3 * (index + 1) + channel])
                return a + (b - a) * fraction
            }
        }
        var rgb: [Float] = []
        rgb.reserveCapacity(3 * points * points * points)
        for blue in curves[2] {
            for green in curves[1] {
                for red in curves[0] { rgb += [red, green, blue] }
            }
        }
        return LookTable(size: points, rgb: rgb, title: title)
    }

    /// The same look over 0…1, by trilinear interpolation; inputs outside the domain take its edge.
    private func resampledCube(_ size: Int) -> LookTable {
        let points = max(size, 33)
        var rgb: [Float] = []
        rgb.reserveCapacity(3 * points * points * points)
        func axis(_ channel: Int) -> [(index: Int, fraction: Float)] {
            (0..<points).map { position(Float($0) / Float(points - 1), channel: channel, size: size) }
        }
        let (reds, greens, blues) = (axis(0), axis(1), axis(2))
        for blue in blues {
            for green in greens {
                for red in reds {
                    for channel in 0..<3 {
                        var sum: Float = 0
                        for corner in 0..<8 {
                            let (r, g, b) = (corner & 1, corner >> 1 & 1, corner >> 2)
                            let weight =
                                (r == 1 ? red.fraction : 1 - red.fraction)
                                * (g == 1 ? green.fraction : 1 - green.fraction)
                                * (b == 1 ? blue.fraction : 1 - blue.fraction)
                            let entry = red.index + r + size * (green.index + g + size * (blue.index + b))
                            sum += weight * values[3 * entry + channel]
                        }
                        rgb.append(sum)
                    }
                }
            }
        }
        return LookTable(size: points, rgb: rgb, title: title)
    }

    /// Where an input lies in the domain: the entry before it and the way to the next.
    private func position(_ input: Float, channel: Int, size: Int) -> (index: Int, fraction: Float) {
        let scaled = min(max((input - low[channel]) / (high[channel] - low[channel]), 0), 1) * Float(size - 1)
        let index = min(Int(scaled), size - 2)
        return (index, scaled - Float(index))
    }
}
