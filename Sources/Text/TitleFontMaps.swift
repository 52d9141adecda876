import CPango
import Draft
import Glibc

/// The font maps of this process: one of the system's fonts, and one more for each font file that
/// titles bring.
///
/// They are kept because making one takes tens of milliseconds, and because Pango 1.50 never frees
/// all of it.
struct TitleFontMaps: ~Copyable {
    /// A font file as it was when it was loaded; nil: no file.
    private typealias Key = FileIdentity?

    private struct FileIdentity: Hashable {
        var path: String
        var size: Int
        var modified: Int
        var modifiedNanoseconds: Int
    }

    /// Owned.
    private var maps: [Key: OpaquePointer] = [:]

    /// The name under which a title's own font goes before a system font of the same name.
    static let ownFamily = "Cutroom Title Font"

    init() {}

    deinit { for map in maps.values { g_object_unref(UnsafeMutableRawPointer(map)) } }

    /// A fontconfig font map, borrowed; valid until the next call.
    mutating func map(for title: Title) throws(TitleError) -> OpaquePointer {
        let key = try Self.identity(of: title)
        if let map = maps[key] { return map }
        // A script may give every title a font of its own; old ones are given up all at once.
        if maps.count >= 16 {
            for map in maps.values { g_object_unref(UnsafeMutableRawPointer(map)) }
            maps = [:]
        }
        guard let map = pango_cairo_font_map_new_for_font_type(CAIRO_FONT_TYPE_FT) else {
            throw TitleError(.drawing, "choose a font", title, reason: "this Cairo was built without FreeType")
        }
        // Sizes are given in pixels; this is what keeps the screen's dots per inch out of
        // everything else.
        pango_cairo_font_map_set_resolution(OpaquePointer(map), 72)
        if let file = title.fontFile {
            do throws(TitleError) {
                let config = try Self.configuration(with: file, for: title)
                pango_fc_font_map_set_config(cutroom_fc_font_map(map), config)
                FcConfigDestroy(config)
            } catch {
                g_object_unref(map)
                throw error
            }
        }
        maps[key] = OpaquePointer(map)
        return OpaquePointer(map)
    }

    /// The system's fonts and those in the file. The caller owns the result.
    private static func configuration(with file: String, for title: Title) throws(TitleError) -> OpaquePointer {
        guard let config = FcInitLoadConfigAndFonts() else {
            throw TitleError(
                .drawing, "choose a font", title, reason: "fontconfig has no configuration; is it installed")
        }
        guard FcConfigAppFontAddFile(config, file) != 0, let faces = FcConfigGetFonts(config, FcSetApplication),
            faces.pointee.nfont > 0
        else {
            FcConfigDestroy(config)
            throw TitleError(
                .notAFont, "load the font", title, fontFile: file,
                reason: "it is not a font; give a TrueType, OpenType or Type 1 file")
        }
        for face in 0..<Int(faces.pointee.nfont) {
            FcPatternAddString(faces.pointee.fonts[face], FC_FAMILY, ownFamily)
        }
        return config
    }

    private static func identity(of title: Title) throws(TitleError) -> Key {
        guard let file = title.fontFile else { return nil }
        func failure(_ code: TitleError.Code, _ reason: String, errno number: Int32? = nil) -> TitleError {
            let underlying = number.map { TitleError.Underlying(code: $0, text: String(cString: strerror($0))) }
            return TitleError(code, "load the font", title, fontFile: file, reason: reason, underlying: underlying)
        }
        var status = stat()
        guard stat(file, &status) == 0 else {
            let number = errno
            if number == ENOENT || number == ENOTDIR {
                throw failure(.fontNotFound, "there is no such file", errno: number)
            }
            throw failure(.fontUnreadable, String(cString: strerror(number)), errno: number)
        }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            throw failure(.fontNotFound, "it is a folder; name the font file in it")
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw failure(.fontUnreadable, "it is not a regular file") }
        guard access(file, R_OK) == 0 else {
            throw failure(.fontUnreadable, "this user may not read it; change its permissions", errno: errno)
        }
        return FileIdentity(
            path: file, size: Int(status.st_size), modified: status.st_mtim.tv_sec,
            modifiedNanoseconds: status.st_mtim.tv_nsec)
    }
}
