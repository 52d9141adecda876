import CPango
import Draft

/// What a laid-out title takes up, and nothing that is drawn.
struct TitleExtent {
    /// The extent of its lines on the canvas.
    var text: TitleArea
    var lines: Int
    /// The height of a line of the title's own font, in pixels.
    var lineHeight: Double
}

extension TitleRasterizer {
    /// Returns what of a text's letters lies outside its canvas; nil where it is less than an
    /// eighth of the font's size, by which letters such as ‘j’ reach over their own edges, and
    /// where the title cannot be laid out, which drawing says.
    package static func overhang(of placed: PlacedTitle) -> PlacedTitle.Overhang? {
        let (canvas, title) = (placed.canvas, placed.title)
        guard let laid = try? LaidTitle(title, canvas: canvas), !laid.areas.isEmpty else { return nil }
        let matrix = title.placing(laid.box, on: canvas, at: .zero)
        let pose = TitlePose(.rest, of: laid.box, edges: laid.box, in: laid.box, canvas, matrix)
        var letters = TitleArea.nothing
        for piece in laid.areas {
            // Areas have two pixels around the ink, and bounds one.
            let ink = piece.area.grown(by: .around(-2))
            if !ink.isEmpty { letters = letters.union(pose.bounds(of: ink).grown(by: .around(-1))) }
        }
        guard !letters.isEmpty else { return nil }
        let slack = max(1, Int((laid.title.size * matrix.scale / 8).rounded(.up)))
        func beyond(_ pixels: Int) -> Int { pixels > slack ? pixels : 0 }
        let overhang = PlacedTitle.Overhang(
            left: beyond(-letters.left), top: beyond(-letters.top), right: beyond(letters.right - canvas.width),
            bottom: beyond(letters.bottom - canvas.height),
            isAll: letters.right <= 0 || letters.bottom <= 0 || letters.left >= canvas.width
                || letters.top >= canvas.height)
        let isInside = [overhang.left, overhang.top, overhang.right, overhang.bottom].allSatisfy { $0 == 0 }
        return isInside && !overhang.isAll ? nil : overhang
    }
}
