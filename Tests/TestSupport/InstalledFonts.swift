import CPango

/// Returns the file of an installed font of this family, the one with the shortest name: its
/// regular face; nil where there is none.
public func fontFile(family: String) -> String? {
    guard let wanted = FcPatternCreate(), let properties = FcObjectSetCreate() else { return nil }
    defer {
        FcPatternDestroy(wanted)
        FcObjectSetDestroy(properties)
    }
    FcPatternAddString(wanted, FC_FAMILY, family)
    FcObjectSetAdd(properties, FC_FILE)
    guard let fonts = FcFontList(nil, wanted, properties) else { return nil }
    defer { FcFontSetDestroy(fonts) }
    var files: [String] = []
    for index in 0..<Int(fonts.pointee.nfont) {
        var file: UnsafeMutablePointer<FcChar8>?
        if FcPatternGetString(fonts.pointee.fonts[index], FC_FILE, 0, &file) == FcResultMatch, let file {
            files.append(String(cString: file))
        }
    }
    return files.min { ($0.count, $0) < ($1.count, $1) }
}
