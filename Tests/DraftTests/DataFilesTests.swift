import Draft
import Foundation
import TestSupport
import Testing

/// What a worker or a node says of a plugin is read and sent to others by the host.
@Suite struct DataFilesTests {
    @Test(arguments: [
        "", ".", "..", "/", "/etc/passwd", "../x", "a/../b", "a//b", "a/", ".ssh/id", "a/.hidden", "a\0b",
        String(repeating: "x", count: 1025),
    ])
    func `a name leaves the library's folder in no way`(name: String) throws {
        #expect(!DataFiles.isName(name))
        var descriptor = try JSONSerialization.jsonObject(with: Self.encoded()) as! [String: Any]
        descriptor["files"] = ["lut.png", name]
        let data = try JSONSerialization.data(withJSONObject: descriptor)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(EffectDescriptor.self, from: data) }
    }

    @Test(arguments: ["lut.png", "models/face.onnx", "a..b", "…/ü", String(repeating: "x", count: 1024)])
    func `names below the folder are kept`(name: String) throws {
        #expect(DataFiles.isName(name))
        let descriptor = try JSONDecoder().decode(EffectDescriptor.self, from: try Self.encoded(files: [name]))
        #expect(descriptor.files == [name] && descriptor.warmUp == 3)
    }

    @Test(arguments: ["warmUp", "reachBefore", "reachAfter"], [Int.max, Int.min, -1, 1 << 32])
    func `numbers that would overflow are refused`(field: String, number: Int) throws {
        var descriptor = try JSONSerialization.jsonObject(with: Self.encoded()) as! [String: Any]
        descriptor[field] = number
        let data = try JSONSerialization.data(withJSONObject: descriptor)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(EffectDescriptor.self, from: data) }
    }

    private static func encoded(files: [String] = []) throws -> Data {
        try JSONEncoder().encode(
            EffectDescriptor(
                id: "com.acme.glow", kind: .filter, name: "Glow", version: "1", vendor: "", license: "", help: "",
                state: .warmUp, warmUp: 3, parameters: [], path: "/plugins/glow.so", digest: "00", files: files))
    }
}
