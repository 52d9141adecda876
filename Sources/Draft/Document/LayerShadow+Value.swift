extension LayerShadow {
    static let optionNames = ["shadow_color", "shadow_offset", "shadow_blur"]

    /// - Returns: nil where no option of a shadow is given.
    init?(reading fields: inout FieldReader) throws(Problem) {
        let color = try fields.color("shadow_color")
        let offset = try fields.animated("shadow_offset")
        let blur = try fields.animated("shadow_blur")
        guard color != nil || offset != nil || blur != nil else { return nil }
        self.init(color ?? Self.usualColor)
        self.offset = offset ?? self.offset
        self.blur = blur ?? self.blur
    }

    func write(to writer: inout FieldWriter) {
        writer.put("shadow_color", color.description)
        writer.put("shadow_offset", offset.value)
        writer.put("shadow_blur", blur.value)
    }
}
