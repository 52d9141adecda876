import Foundation
import Glibc
import Testing

/// Machines of a network in this one: network namespaces, each with an address of its own, joined
/// by a bridge in another one. This machine is on the network, too. All of it is gone with this
/// value.
public final class TestNetwork {
    private static let address = "10.77.0."
    /// The last byte of this machine's own address.
    private static let own = 254

    /// Why none can be made here; nil where one can.
    public static let absence: Comment? = {
        guard geteuid() == 0 else { return "a network can be made by root alone" }
        let missing = ["ip", "tc"].filter {
            !Command.isInstalled($0) && !FileManager.default.isExecutableFile(atPath: "/usr/sbin/" + $0)
        }
        guard missing.isEmpty else { return "not installed: \(missing)" }
        return (try? TestNetwork(["a"])) == nil ? "the system gives no network namespaces, bridges or veth pairs" : nil
    }()

    public struct Failure: Error, CustomStringConvertible { public let description: String }

    /// The machines' names; a machine's address ends with its number, from 1.
    public let machines: [String]
    private let mark = String(UInt16.random(in: .min ... .max), radix: 36)

    public init(_ machines: [String]) throws {
        self.machines = machines
        do { try make() } catch {
            remove()
            throw error
        }
    }

    deinit { remove() }

    private var hub: String { "ct\(mark)-hub" }
    private func space(_ machine: String) -> String { "ct\(mark)-\(machine)" }
    private var ownDevice: String { "ct\(mark)" }

    private func make() throws {
        try ip("netns", "add", hub)
        try ip("-n", hub, "link", "add", "br0", "type", "bridge")
        try ip("-n", hub, "link", "set", "br0", "up")
        for (number, machine) in machines.enumerated() {
            try ip("netns", "add", space(machine))
            try ip(
                "-n", hub, "link", "add", "p\(number)", "type", "veth", "peer", "name", "eth0", "netns", space(machine))
            try ip("-n", hub, "link", "set", "p\(number)", "master", "br0", "up")
            try ip("-n", space(machine), "addr", "add", "\(Self.address)\(number + 1)/24", "dev", "eth0")
            for device in ["lo", "eth0"] { try ip("-n", space(machine), "link", "set", device, "up") }
        }
        try ip("-n", hub, "link", "add", "own", "type", "veth", "peer", "name", ownDevice, "netns", "1")
        try ip("-n", hub, "link", "set", "own", "master", "br0", "up")
        try ip("addr", "add", "\(Self.address)\(Self.own)/24", "dev", ownDevice)
        try ip("link", "set", ownDevice, "up")
    }

    private func remove() {
        _ = try? Command.run(["ip", "link", "del", ownDevice])
        for space in [hub] + machines.map(space) { _ = try? Command.run(["ip", "netns", "del", space]) }
    }

    private func ip(_ words: String...) throws {
        let done = try Command.run(["ip"] + words)
        guard done.succeeded else { throw Failure(description: "ip \(words): \(done)") }
    }

    // MARK: For tests

    public func address(of machine: String) -> String {
        Self.address + String((machines.firstIndex(of: machine) ?? 0) + 1)
    }

    /// The command prefix that runs a program on a machine; it forwards signals.
    public func on(_ machine: String) -> [String] { ["ip", "netns", "exec", space(machine)] }

    /// Unplugs a machine's cable without notice, or plugs it in again.
    public func cut(_ machine: String, _ isCut: Bool = true) throws {
        let number = machines.firstIndex(of: machine) ?? 0
        try ip("-n", hub, "link", "set", "p\(number)", isCut ? "down" : "up")
    }

    /// Lets so much through to a machine and from it, in kbit/s, and no more.
    public func slow(_ machine: String, kilobits: Int) throws {
        let number = machines.firstIndex(of: machine) ?? 0
        for (space, device) in [(hub, "p\(number)"), (space(machine), "eth0")] {
            let done = try Command.run([
                "ip", "netns", "exec", space, "tc", "qdisc", "add", "dev", device, "root", "tbf", "rate",
                "\(kilobits)kbit",
                "burst", "16kb", "latency", "800ms",
            ])
            guard done.succeeded else { throw Failure(description: "tc: \(done)") }
        }
    }
}
