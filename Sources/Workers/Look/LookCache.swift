import CKernels
import Draft
import Foundation
import Media
import Messaging
import Values

/// A look in the canvas' own terms; owns the kernel's table.
final class BakedLook {
    let lut: OpaquePointer

    /// - Parameter color: the canvas's, whose matrix is baked in.
    init?(_ table: LookTable, intensity: Double, _ color: ColorSystem) {
        let bake = color.isHDR ? ck_lut_bake_2020 : ck_lut_bake
        guard let lut = bake(table.rgb, Int32(table.size), intensity) else { return nil }
        self.lut = lut
    }

    deinit { ck_lut_free(lut) }
}

/// The looks that were baked last: baking takes longer than applying one to many frames.
final class LookCache {
    private struct Key: Hashable {
        var path: String
        var identity: FileIdentity?
        var intensity: Double
        var isHDR: Bool
    }

    private static let limit = 8
    private var tables: [(key: Key, table: BakedLook)] = []

    /// - Throws: where the file cannot be read as a look.
    func table(_ path: String, _ info: MediaInfo?, intensity: Double, _ color: ColorSystem) throws -> BakedLook {
        let key = Key(path: path, identity: info?.identity, intensity: intensity, isHDR: color.isHDR)
        if let index = tables.firstIndex(where: { $0.key == key }) {
            let hit = tables.remove(at: index)
            tables.append(hit)
            return hit.table
        }
        guard let table = BakedLook(try load(path, info), intensity: intensity, color) else {
            throw JobFailure(.resource, "There is no memory left to prepare the look ‘\(path)’.")
        }
        tables.append((key, table))
        if tables.count > Self.limit { tables.removeFirst() }
        return table
    }

    private func load(_ path: String, _ info: MediaInfo?) throws -> LookTable {
        do {
            if info?.kind == .cube { return LookTable(try CubeFile(path: path)) }
            let picture = try ImageFile.rgba(path: path)
            let bytes = UnsafeRawBufferPointer(start: picture.plane(0), count: picture.stride(0) * picture.height)
            return try LookTable(pixels: bytes, width: picture.width, height: picture.height, stride: picture.stride(0))
        } catch let defect as LookTable.Defect {
            throw JobFailure(.input, "The look ‘\(path)’ cannot be used: \(defect).")
        }
    }
}
