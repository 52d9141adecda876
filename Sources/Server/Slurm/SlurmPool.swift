import Farm
import Files
import Foundation
import Glibc
import HostCore
import Messaging
import ServerClient
import Slurm

/// The files of a farm's nodes on a cluster: the name of the farm there, the highest number so far,
/// and for each node its key, script and log. They are on storage that the nodes share with the
/// server, like everything in its folder.
package final class SlurmPool {
    private struct Record: Codable {
        var name: String
        var last: Int
    }

    package let folder: String
    private var record: Record
    private let keys = FarmKeys()
    private let lock: FileLock

    /// The highest valid number in the file.
    private static let mostNodes = 1 << 40
    /// The number of logs to keep.
    private static let mostLogs = 50

    /// Opens the pool.
    /// - Throws: if another process uses it, or its files cannot be written.
    package init(_ place: ServerPlace) throws(HostError) {
        folder = place.folder + "/slurm"
        let code = place.makeOwn()
        guard code == 0, mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw HostError(.cannotCreate, "Cannot create the folder ‘\(folder)’: \(systemText(errno)).")
        }
        do throws(FileLock.Failure) {
            lock = try FileLock(folder + "/lock", permissions: .ownerReadWrite, patience: .brief)
        } catch {
            switch error {
            case .held:
                throw HostError(
                    .unavailable, "Another ‘cutroom farm slurm’ looks after the nodes of ‘\(place.folder)’.")
            case .cannotOpen(let reason), .cannotLock(let reason):
                throw HostError(.cannotCreate, "The lock ‘\(folder)/lock’ cannot be taken: \(reason).")
            }
        }
        let path = folder + "/pool.json"
        if let data = FileManager.default.contents(atPath: path) {
            guard let known = try? JSONDecoder().decode(Record.self, from: data),
                KeyFile.problem(withName: known.name) == nil, (0...Self.mostNodes).contains(known.last)
            else { throw HostError(.data, "‘\(path)’ cannot be read; remove it after all of its nodes have ended.") }
            record = known
        } else {
            let letters = "abcdefghijkmnpqrstuvwxyz23456789"
            record = Record(name: "cutroom-" + String((0..<6).map { _ in letters.randomElement() ?? "a" }), last: 0)
            try save()
        }
    }

    /// What the names of the nodes begin with.
    package var prefix: String { record.name + "-" }
    package var last: Int { record.last }
    package func name(_ number: Int) -> String { "\(prefix)\(number)" }
    private func path(_ number: Int, _ suffix: String) -> String { "\(folder)/\(name(number)).\(suffix)" }
    func keyPath(_ number: Int) -> String { path(number, "key") }
    func logPath(_ number: Int) -> String { path(number, "log") }
    func scriptPath(_ number: Int) -> String { path(number, "sh") }
    func spoolPath(_ number: Int) -> String { path(number, "spool") }
    var serverKey: String { folder + "/server.pub" }

    /// Returns the number of a node of this farm; nil for other names.
    package func number(of node: String) -> Int? { node.hasPrefix(prefix) ? Int(node.dropFirst(prefix.count)) : nil }

    private func save() throws(HostError) {
        let path = folder + "/pool.json"
        do {
            try JSONEncoder().encode(record).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw HostError(.inputOutput, "Cannot write ‘\(path)’: \(systemText(errno)).")
        }
    }

    /// Writes the server's public key to where nodes find it.
    package func shareServerKey() throws(HostError) {
        do throws(KeyFile.Problem) {
            _ = try keys.server()
            try KeyFile(path: keys.serverPath).withoutSecret.write(to: serverKey, overwrites: true)
        } catch {
            throw HostError(error.isMissing ? .noInput : .data, error.description)
        }
    }

    /// Creates a node's key, and allows it. The number is written first, so that no other node gets
    /// it.
    func prepare(_ number: Int, _ script: BatchScript) throws(HostError) {
        record.last = max(record.last, number)
        try save()
        do throws(KeyFile.Problem) {
            let (_, open) = try keys.create(name(number), role: .node, in: folder)
            _ = try keys.allow(open)
        } catch {
            throw HostError(.inputOutput, error.description)
        }
        let path = scriptPath(number)
        do {
            try Data(script.text.utf8).write(to: URL(fileURLWithPath: path))
        } catch {
            throw HostError(.inputOutput, "Cannot write ‘\(path)’: \(systemText(errno)).")
        }
    }

    /// Revokes a node's key, and removes its files except its log.
    package func forget(_ number: Int) {
        do throws(KeyFile.Problem) { try keys.revoke(name(number)) } catch {}
        for suffix in ["key", "pub", "sh", "spool"] {
            try? FileManager.default.removeItem(atPath: path(number, suffix))
        }
    }

    /// Forgets nodes that the cluster does not list, because this process or a previous one may
    /// have been interrupted.
    func forgetAll(but listed: Set<Int>) {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let known = files.filter { $0.hasSuffix(".key") || $0.hasSuffix(".sh") }
            .compactMap { number(of: ($0 as NSString).deletingPathExtension) }
        let allowed = keys.allowed().keys.compactMap { number(of: $0.name) }
        for number in Set(known + allowed).subtracting(listed).sorted() { forget(number) }
        let logs = files.filter { $0.hasSuffix(".log") }.compactMap {
            number(of: ($0 as NSString).deletingPathExtension)
        }
        for number in logs.sorted().dropLast(Self.mostLogs) where !listed.contains(number) {
            try? FileManager.default.removeItem(atPath: logPath(number))
        }
    }
}
