import Files
import Foundation
import Glibc

/// Moves files that workers have assembled elsewhere.
extension OutputFile {
    /// Moves a finished file, or a folder of pictures, to a name beside the output's, from any file
    /// system. The final rename then gets a complete and synced file.
    package func bring(_ from: String, to beside: String) throws(HostError) {
        if Glibc.rename(from, beside) == 0 { return }
        guard errno == EXDEV else {
            throw HostError(.cannotCreate, "The output's folder cannot be written to: \(systemText(errno)).")
        }
        do {
            try FileManager.default.copyItem(atPath: from, toPath: beside)
            for name in [""] + ((try? FileManager.default.contentsOfDirectory(atPath: beside)) ?? []).map({ "/" + $0 })
            {
                try OpenFile(beside + name, .readOnly).sync()
            }
        } catch {
            let reason = error as? Errno ?? Errno(rawValue: errno)
            throw HostError(.inputOutput, "The output's folder cannot be written to: \(reason).")
        }
        try? FileManager.default.removeItem(atPath: from)
    }
}
