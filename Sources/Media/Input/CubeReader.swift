/// Takes a `.cube` file line by line.
struct CubeReader {
    struct Complaint: Error {
        var reason: String
    }

    /// Whether the rows are kept, or only counted.
    private let keepsValues: Bool
    private var shape: CubeFile.Shape?
    private var title = ""
    private var low: [Float] = [0, 0, 0]
    private var high: [Float] = [1, 1, 1]
    private var values: [Float] = []
    private var rows = 0
    /// Lines and bytes that were taken.
    private var lines = 0
    private var size = 0

    init(keepsValues: Bool) { self.keepsValues = keepsValues }

    /// Far more than a title, comments and the rows that the size asks for have.
    private var largestSize: Int { (1 << 20) + 128 * (shape?.rows ?? 0) }
    private static let longestLine = 64 << 10

    /// Takes the whole lines at the front of `bytes`.
    /// - Parameter isEnd: nothing follows.
    /// - Returns: how many bytes were taken; the others begin a line that goes on.
    mutating func take(_ bytes: [UInt8], isEnd: Bool) throws(CubeFile.Defect) -> Int {
        // Hundreds of thousands of rows: bytes, not Characters. Lines end with \n, \r or both.
        // A byte order mark is no part of the first line.
        var start = size == 0 && bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while start < bytes.count {
            let end = bytes[start...].firstIndex { $0 == 10 || $0 == 13 } ?? bytes.count
            // What follows a last \r may be its \n.
            guard isEnd || end + 1 < bytes.count || end + 1 == bytes.count && bytes[end] == 10 else {
                guard end - start <= Self.longestLine else {
                    throw CubeFile.Defect(line: lines + 1, reason: "the line is longer than one of a .cube file can be")
                }
                break
            }
            lines += 1
            do throws(Complaint) {
                try read(bytes[start..<end])
            } catch {
                throw CubeFile.Defect(line: lines, reason: error.reason)
            }
            let isPair = end + 1 < bytes.count && bytes[end] == 13 && bytes[end + 1] == 10
            start = min(end + (isPair ? 2 : 1), bytes.count)
        }
        size += start
        guard size <= largestSize else {
            throw CubeFile.Defect(
                reason: "it is much larger than a table of \(shape?.rows ?? 0) rows of numbers can be")
        }
        return start
    }

    private mutating func read(_ line: ArraySlice<UInt8>) throws(Complaint) {
        if let row = Self.row(line), let shape, rows < shape.rows {
            append(row)
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

    /// Takes `-12.345` and the like off the front. Up to 15 digits are exact in a Double, and so is
    /// their power of ten.
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
        let words = line.split(whereSeparator: \.isWhitespace)
        guard let first = words.first, first.first != "#" else { return }
        guard first.first?.isLetter == true else { return try readRow(words) }
        let arguments = words.dropFirst()
        switch first {
        case "TITLE":
            title =
                line.split(separator: "\"" as Character, omittingEmptySubsequences: false).dropFirst().first.map(
                    String.init)
                ?? arguments.joined(separator: " ")
        case "LUT_3D_SIZE": try setShape(.cube(try size(arguments, in: CubeFile.sizes)))
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

    /// The file, when all of it was taken.
    func finish() throws(CubeFile.Defect) -> CubeFile {
        guard let shape else { throw CubeFile.Defect(reason: "there is no LUT_3D_SIZE or LUT_1D_SIZE in it") }
        guard rows == shape.rows else {
            throw CubeFile.Defect(reason: "it has \(rows) rows of numbers; its size asks for \(shape.rows)")
        }
        guard (0..<3).allSatisfy({ low[$0] < high[$0] }) else {
            throw CubeFile.Defect(reason: "its domain is empty: DOMAIN_MIN must be below DOMAIN_MAX")
        }
        return CubeFile(shape: shape, low: low, high: high, values: values, title: title)
    }

    // MARK: lines

    private mutating func setShape(_ new: CubeFile.Shape) throws(Complaint) {
        guard shape == nil else {
            throw Complaint(reason: "the size is given twice; a file with both kinds of table is not supported")
        }
        shape = new
        if keepsValues { values.reserveCapacity(3 * new.rows) }
    }

    private mutating func readRow(_ words: [Substring]) throws(Complaint) {
        guard let shape else { throw Complaint(reason: "numbers come before LUT_3D_SIZE or LUT_1D_SIZE") }
        guard rows < shape.rows else {
            throw Complaint(reason: "there are more rows of numbers than the \(shape.rows) that its size asks for")
        }
        let numbers = try numbers(words[...], count: 3)
        append((numbers[0], numbers[1], numbers[2]))
    }

    private mutating func append(_ row: (Float, Float, Float)) {
        rows += 1
        guard keepsValues else { return }
        values.append(row.0)
        values.append(row.1)
        values.append(row.2)
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
}
