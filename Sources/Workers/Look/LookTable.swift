/// A look: a three-dimensional table from RGB to RGB.
struct LookTable: Hashable, Sendable {
    /// Points along each side, 2…256. Point i stands for the input i / (size − 1).
    let size: Int
    /// size³ triples of red, green, blue, nominally 0…1, all finite; the index of red runs fastest,
    /// then green, then blue.
    let rgb: [Float]
    /// From a `.cube` file; empty where there is none.
    var title = ""

    /// Why pixels or a text are no look: one sentence without the file's name.
    struct Defect: Error, Hashable, Sendable, CustomStringConvertible {
        /// The line of a text, from 1; nil where the defect is in no line.
        var line: Int?
        var reason: String

        var description: String { line.map { "line \($0): \(reason)" } ?? reason }
    }

    /// The table that changes nothing.
    static func identity(size: Int) -> LookTable {
        let scale = 1 / Float(size - 1)
        var rgb: [Float] = []
        rgb.reserveCapacity(3 * size * size * size)
        for blue in 0..<size {
            for green in 0..<size {
                for red in 0..<size { rgb += [Float(red) * scale, Float(green) * scale, Float(blue) * scale] }
            }
        }
        return LookTable(size: size, rgb: rgb)
    }
}
