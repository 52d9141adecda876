import Composition
import Draft

/// Says which fonts are drawn where titles ask for others, and which titles leave their canvases.
public struct FontJob: WorkerJob {
    public static let kind = "fonts"

    public var fonts: [TitleFont]
    public var titles: [PlacedTitle]

    public init(fonts: [TitleFont], titles: [PlacedTitle] = []) {
        self.fonts = fonts
        self.titles = titles
    }

    public struct Reply: Sendable, Codable {
        /// For each of the job's fonts the family that is drawn in its place; nil where it is
        /// there.
        public var substitutes: [String?]
        /// For each of the job's titles what of it lies outside; nil where nothing does, and where
        /// it cannot be laid out.
        public var overhangs: [PlacedTitle.Overhang?]

        public init(substitutes: [String?], overhangs: [PlacedTitle.Overhang?]) {
            self.substitutes = substitutes
            self.overhangs = overhangs
        }
    }
}

extension FontJob {
    public mutating func mapPaths(_ change: PathChange) {
        fonts = fonts.map { font in TitleFont(font.name, file: font.file.map { change($0, .hands(nil)) }) }
        for index in titles.indices {
            titles[index].title.fontFile = titles[index].title.fontFile.map { change($0, .hands(nil)) }
        }
    }
}
