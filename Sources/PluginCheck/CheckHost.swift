import Composition
import Glibc
import PluginABI
import Synchronization
import PluginHosting

/// The host's side of the interface as the check plays it: with threads behind `parallel`, and an
/// account of what the plugin took.
final class CheckHost: Sendable {
    /// The object behind the handle of a setup or call: what the plugin said and emitted during it.
    final class Context: Sendable {
        let message = Mutex<String?>(nil)
        /// Nil where no analyser is looking at a frame.
        let emission: Mutex<PluginEmission?>

        init(takesNumbers: Bool = false) { emission = Mutex(takesNumbers ? PluginEmission() : nil) }

        var handle: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
    }

    /// Said in init, where there is no call.
    let initialization = Context()
    /// How many threads `parallel` uses.
    let threads = Mutex(1)
    /// What alloc gave and was not released, by address.
    private let allocated = Mutex<[UInt: GuardedPlane]>([:])
    /// What was done wrong with such a block.
    private let harm = Mutex<Harm?>(nil)

    struct Harm: Sendable {
        var what: String
        var advice: String
    }

    /// What calls have changed of their threads, each once.
    private let changes = Mutex<[ThreadChange]>([])

    struct ThreadChange: Hashable, Sendable {
        /// The subject of a sentence.
        var call: String
        var change: ThreadState.Change
    }

    /// Calls into the plugin as a render does: what the call changes of its thread is noted, and
    /// given back.
    func call<R>(_ name: String, _ body: () -> R) -> R {
        let state = ThreadState()
        let result = body()
        note(state.restore(), by: name)
        return result
    }

    func note(_ new: [ThreadState.Change], by call: String) {
        guard !new.isEmpty else { return }
        changes.withLock { changes in
            for change in new.map({ ThreadChange(call: call, change: $0) }) where !changes.contains(change) {
                changes.append(change)
            }
        }
    }

    /// What calls have changed since the last time.
    func takeChanges() -> [ThreadChange] {
        changes.withLock { changes in
            defer { changes = [] }
            return changes
        }
    }

    /// How many blocks of alloc were not released.
    var blocks: Int { allocated.withLock { $0.count } }

    /// What was done wrong with memory of alloc since the last time; seen when it is released.
    func takeHarm() -> Harm? { harm.withLock { $0.take() } }

    /// Notes a text that is not UTF-8.
    private func expectText(_ text: UnsafePointer<CChar>?, _ function: String) {
        guard let text, String(validatingCString: text) == nil else { return }
        harm.withLock {
            $0 = Harm(
                what: "it gives cutroom_host.\(function) a text that is not UTF-8",
                advice: "convert what comes from elsewhere, such as names of files, to UTF-8")
        }
    }

    /// Fresh memory holds the byte of the C library's (mallopt(3), M_PERTURB), where it has one.
    private static let fill = getenv("MALLOC_PERTURB_").flatMap { UInt8(String(cString: $0)) } ?? 0xa5

    /// Makes the table; it and this object live until the process ends.
    /// - Parameter size: how long the host's structures are.
    func makeTable(_ size: LentStructures.Size) -> UnsafePointer<cutroom_host> {
        var host = cutroom_host()
        host.struct_size = UInt32(MemoryLayout<cutroom_host>.size)
        host.abi_major = CUTROOM_ABI_MAJOR
        host.abi_minor = CUTROOM_ABI_MINOR
        host.context = Unmanaged.passRetained(self).toOpaque()
        host.name = UnsafePointer(strdup("cutroom"))
        host.version = UnsafePointer(strdup(Engine.version))
        host.log = { context, _, message in
            CheckHost.from(context)?.expectText(message, "log")
            if let text = pluginText(message) { CheckReport.log(text) }
        }
        host.error = { context, handle, message in
            CheckHost.from(context)?.expectText(message, "error")
            guard let text = pluginText(message) else { return }
            let call = handle.map { Unmanaged<Context>.fromOpaque($0).takeUnretainedValue() }
            (call ?? CheckHost.from(context)?.initialization)?.message.withLock { $0 = text }
        }
        host.cancelled = { _, _ in 0 }
        host.emit = { _, handle, key, numbers, count in
            guard let handle, let key = pluginText(key), count == 0 || numbers != nil else {
                return CUTROOM_ERROR_PARAM
            }
            return Unmanaged<Context>.fromOpaque(handle).takeUnretainedValue().emission.withLock { emission in
                guard emission != nil else { return CUTROOM_ERROR_UNSUPPORTED }
                // By the rules of a render.
                let isTaken = emission?.take(key, UnsafeBufferPointer(start: numbers, count: Int(count))) == true
                return isTaken ? CUTROOM_OK : CUTROOM_ERROR_PARAM
            }
        }
        host.alloc = { context, size, alignment in
            guard alignment.nonzeroBitCount == 1, alignment <= 4096, size <= Int.max / 2 else { return nil }
            // It ends at a page that cannot be touched.
            let length = (max(size, 1) + alignment - 1) / alignment * alignment
            guard let host = CheckHost.from(context),
                let block = try? GuardedPlane(
                    rowBytes: length, rows: 1, sample: 1, layout: .atEnd, fill: CheckHost.fill,
                    name: "memory of cutroom_host.alloc")
            else { return nil }
            host.allocated.withLock { $0[UInt(bitPattern: block.data)] = block }
            return UnsafeMutableRawPointer(block.data)
        }
        host.release = { context, memory in
            guard let memory, let host = CheckHost.from(context) else { return }
            let block = host.allocated.withLock { $0.removeValue(forKey: UInt(bitPattern: memory)) }
            let harm: Harm? =
                if let block {
                    block.brokenCanary.map {
                        Harm(
                            what: "it writes outside of memory that cutroom_host.alloc gave: \($0)",
                            advice: "write as many bytes as were asked for")
                    }
                } else {
                    Harm(
                        what: "it releases memory that cutroom_host.alloc did not give, or a second time",
                        advice: "give each block back once, and other memory to whom it came from")
                }
            if let harm { host.harm.withLock { $0 = harm } }
        }
        host.parallel = { context, task, data, count in
            guard let task, let host = CheckHost.from(context) else { return CUTROOM_ERROR_PARAM }
            let work = UncheckedWork(task: task, data: data)
            let threads = host.threads.withLock { $0 }
            if threads == 1 {
                for index in 0..<count { task(data, index) }
            } else {
                CheckThreads.run(threads) { thread in
                    host.call("a task of cutroom_host.parallel") {
                        for index in stride(from: UInt32(thread), to: count, by: threads) {
                            work.task(work.data, index)
                        }
                    }
                }
            }
            return CUTROOM_OK
        }
        host.extension = { _, _, _ in nil }
        return LentStructures.immortal(host, size: size, lastField: MemoryLayout<UInt>.size)
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> CheckHost? {
        context.map { Unmanaged<CheckHost>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The plugin's own function and data: it asked for them to be used from several threads.
    private struct UncheckedWork: @unchecked Sendable {
        var task: @convention(c) (UnsafeMutableRawPointer?, UInt32) -> Void
        var data: UnsafeMutableRawPointer?
    }
}

/// Threads that are gone when the work is done.
enum CheckThreads {
    private final class Job: Sendable {
        let index: Int
        let body: @Sendable (Int) -> Void
        init(_ index: Int, _ body: @escaping @Sendable (Int) -> Void) { (self.index, self.body) = (index, body) }
    }

    /// Calls `body` with 0 ..< count, each in a new thread, and waits for all of them.
    static func run(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        let threads: [pthread_t] = (0..<count).compactMap { index in
            let job = Unmanaged.passRetained(Job(index, body))
            var thread = pthread_t()
            let error = pthread_create(
                &thread, nil,
                { argument in
                    guard let argument else { return nil }
                    let job = Unmanaged<Job>.fromOpaque(argument).takeRetainedValue()
                    job.body(job.index)
                    return nil
                }, job.toOpaque())
            if error == 0 { return thread }
            // No thread to be had: the work is done all the same.
            job.takeRetainedValue().body(index)
            return nil
        }
        for thread in threads { pthread_join(thread, nil) }
    }
}
