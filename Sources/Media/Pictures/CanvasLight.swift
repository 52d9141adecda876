import CKernels
import Values

/// What makes sRGB colours those of an HDR canvas, for overlays.
public struct CanvasLight {
    private let table: ColorTable

    /// - Parameter color: HDR.
    /// - Throws: `outOfMemory`.
    public static func of(_ color: ColorSystem) throws(MediaError) -> CanvasLight {
        CanvasLight(table: try .table(.light, from: .bt709, to: .canvas(color)))
    }

    /// - Parameter body: gets the kernels' `ck_light`, which is valid during the call.
    public func withTable<Result>(_ body: (OpaquePointer) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(table) { try body(table.kernel) }
    }
}
