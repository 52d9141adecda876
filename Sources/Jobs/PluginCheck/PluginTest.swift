/// The conformance tests of `cutroom plugin check`, in the order in which they are reported. Each
/// runs in a process of its own.
public enum PluginTest: String, Sendable, Codable, CaseIterable {
    // Tests of a library.
    case load, symbols, entry, descriptor
    // Tests of an effect.
    case basic, repeatable, structs, sizes, bounds, inputs, layout, floats, misuse, parameters
    case parameterHistory = "parameter-history"
    case processes, files, instances, pure
    case warmUp = "warm-up"
    case rowSlices = "row-slices"
    case inPlace = "in-place"
    case threads, concurrency
    case sharedInstance = "shared-instance"
    case timeline, reset, leaks
    case floatingPoint = "floating-point"
    case processState = "process-state"
    case strayThreads = "stray-threads"
    case standardOutput = "standard-output"

    /// The tests of the library as a whole, not of each effect.
    public var isOfLibrary: Bool { Self.ofLibrary.contains(self) }

    private static let ofLibrary: Set<PluginTest> = [.load, .symbols, .entry, .descriptor]

    /// What it finds out, as the rest of a sentence that begins with “whether”.
    public var question: String {
        switch self {
        case .load: "the library can be loaded and describes itself within a tenth of a second of processor time"
        case .symbols: "it exports cutroom_plugin_entry and nothing else"
        case .entry: "init can be called twice, and what does not exist is answered with null"
        case .descriptor: "ids, ranges, defaults and declarations are valid, and the same when asked again"
        case .basic: "an instance with default values makes three frames in each format"
        case .structs: "a host whose structures are one field longer or shorter gets the same frame"
        case .sizes:
            "1×1, 8×8, 37×23, 321×241 and 3840×2160 (sound: 1 to 4096 samples) work or are refused with a status"
        case .bounds: "nothing outside the rows is touched: guard pages, canaries"
        case .inputs: "the inputs, which are write-protected, are left alone"
        case .layout: "strides, alignment and what lies between rows change nothing"
        case .floats: "not-a-number, infinities and huge values, in some or in all samples, do no harm"
        case .misuse: "a format that is not listed is refused, and too long a block of sound does no harm"
        case .parameters: "defaults, minima, maxima and random values work"
        case .parameterHistory: "a frame does not depend on earlier values of the parameters"
        case .repeatable: "the same frames are the same in another instance"
        case .processes: "the same frames are the same in another process, whose fresh memory holds other bytes"
        case .files:
            "the same frames are the same where nothing lies beside the library but the data files that it declares"
        case .instances: "two instances in turns do not disturb each other"
        case .pure: "frame 39 alone is frame 39 after frames 0 to 38"
        case .warmUp: "frame 39 after the declared warm-up is frame 39 after frames 0 to 38"
        case .rowSlices: "slices of rows, in any order, make the whole frame"
        case .inPlace: "the frame is the same when the output is the input's memory"
        case .threads: "one thread and many make the same frame"
        case .concurrency:
            "calls from several threads, as many at once as declared, each with values of its own, make the same frames"
        case .sharedInstance: "one instance for several ranges makes the same frames as one for each"
        case .timeline: "an effect that ignores the timeline makes the same frames elsewhere on it"
        case .reset: "frames after a reset are those of a new instance"
        case .leaks: "sixty instances, and sixty frames, leave no memory and no open files behind"
        case .floatingPoint: "no call changes rounding, denormals or traps"
        case .processState: "no call changes the locale, the signal mask or the current folder"
        case .strayThreads: "nothing touches lent memory after the call, and no thread outlives the instances"
        case .standardOutput: "nothing is written to standard output"
        }
    }
}
