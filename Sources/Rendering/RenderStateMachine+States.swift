import Jobs

extension RenderStateMachine {
    /// Where a render is. What a state has to remember lies in its case and goes with it.
    enum State {
        case ready
        case lookingUp(LookingUp)
        case rendering(Rendering)
        case assembling(Assembling)
        case verifying(WorkOrder.Number, path: String)
        case committing
        /// Something went wrong, or the render was stopped; its jobs have been cancelled.
        case ending(Ending)
        case ended
        /// A method has taken the state out to change it: what is large is not copied.
        case changing
    }

    /// What parts are wanted for.
    enum Goal: Hashable {
        /// The sizes of some segments at a quality tell the search for a bit rate how to go on.
        case measurement(quality: Double, segments: [Int])
        case file
        /// The file once more, after some of its parts were found damaged for the nth time.
        case repair(Int)

        var stage: String {
            switch self {
            case .measurement: "measuring"
            case .file, .repair: "rendering"
            }
        }
    }

    /// The cache is asked which parts it has.
    struct LookingUp {
        var goal: Goal
        var unanswered: Set<PartVersion>
        var hits: Set<PartVersion> = []
    }

    /// Workers make the parts that are missing.
    struct Rendering {
        struct Run {
            var version: PartVersion
            /// Frames or samples that the part counts as; nil where progress does not count it.
            var amount: Int?
            /// Frames or samples that its job makes.
            var size: Int
            /// How many times the output shows the part.
            var copies: Int
            var done = 0

            /// What `made` frames or samples count as. Workers may say anything.
            func share(of made: Int) -> Int {
                guard let amount, size > 0 else { return 0 }
                let made = min(max(0, made), size)
                return size == amount ? made : Int(Double(amount) * Double(made) / Double(size))
            }
        }

        var goal: Goal
        private(set) var running: [WorkOrder.Number: Run] = [:]
        /// Frames (samples of an output without picture) that the goal needs, and those in parts
        /// that are there.
        var total = 0
        var finished = 0
        /// Frames or samples that the runs have made so far.
        private var underway = 0
        /// How many times damaged runs have been mixed again already.
        var repairs = 0

        init(goal: Goal) { self.goal = goal }

        var done: Int { finished + underway }
        var versions: [WorkOrder.Number: PartVersion?] { running.mapValues(\.version) }

        func version(_ number: WorkOrder.Number) -> PartVersion? { running[number]?.version }

        mutating func begin(
            _ number: WorkOrder.Number, _ version: PartVersion, amount: Int?, size: Int, copies: Int = 1
        ) {
            running[number] = Run(version: version, amount: amount, size: size, copies: copies)
        }

        /// - Returns: whether the job runs.
        mutating func advance(_ number: WorkOrder.Number, to done: Int) -> Bool {
            guard let run = running[number] else { return false }
            let done = run.share(of: done)
            running[number]?.done = done
            underway += (done - run.done) * run.copies
            return true
        }

        /// - Parameter made: frames or samples of the part that is there now.
        mutating func end(_ number: WorkOrder.Number, made: Int) {
            guard let run = running.removeValue(forKey: number) else { return }
            underway -= run.done * run.copies
            finished += run.share(of: made) * run.copies
        }

        /// A part that was there is damaged.
        mutating func lose(_ amount: Int, copies: Int) { finished = max(0, finished - amount * copies) }
    }

    /// A worker puts the parts together.
    struct Assembling {
        var number: WorkOrder.Number
        /// How many times damaged parts have been rendered again already.
        var repairs: Int
    }

    /// Jobs that run to their end although their results are not needed any more.
    struct Ending {
        var failure: RenderFailure
        /// nil: the job makes no part.
        var running: [WorkOrder.Number: PartVersion?]
    }
}
