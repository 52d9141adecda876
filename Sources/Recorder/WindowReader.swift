import CSourceWatch
import Glibc
import Media

/// Reads the pictures of an X11 window, also where it is resized, hidden and shown again.
/// libavdevice fails in these cases, and reads a window that has grown in its old size.
final class WindowReader {
    private let launch: DeviceLaunch
    private let form: LiveForm
    private let watch: WindowWatch
    private let warn: (String) -> Void
    private var last: Picture?
    /// When the last picture came, and when one was last passed on.
    private var (delivered, passed) = (Clock.now, Clock.now)
    private var isHidden = false
    private var isOver = false

    /// A window may be hidden for so long, in nanoseconds.
    private static let patience: Int64 = 5_000_000_000
    /// Nanoseconds between looks at a window that is read, and between repeated pictures.
    private static let pace: Int64 = 250_000_000

    /// - Parameters:
    ///   - form: the size of the pictures that are delivered.
    ///   - warn: called with sentences.
    init(_ launch: DeviceLaunch, _ form: LiveForm, warn: @escaping (String) -> Void) throws(RecorderFailure) {
        guard let watch = WindowWatch(launch) else { throw RecorderFailure(WindowWatch.displayIsGone) }
        (self.launch, self.form, self.watch, self.warn) = (launch, form, watch, warn)
    }

    /// Reads until the window is closed, or cannot be read for too long.
    /// - Parameters:
    ///   - input: the window, open.
    ///   - visit: called with each picture, and the time of the source's clock in microseconds; nil
    ///     for the last picture, which is repeated while there is no other. False ends the reading.
    func read(_ input: LiveInput, _ visit: (Picture, Int64?) throws(MediaError) -> Bool) throws {
        var (input, size) = (Optional(input), input.pictureSize)
        while !isOver {
            if let open = input {
                // Why it ends is what the window's state says.
                do throws(MediaError) { try read(open, size, visit) } catch {}
                input = nil
                if isOver { return }
            }
            guard let state = watch.state else { throw RecorderFailure(WindowWatch.displayIsGone) }
            guard !state.isGone else { throw RecorderFailure("it was closed") }
            let now = Clock.now
            guard now - delivered < Self.patience else { throw RecorderFailure("it could not be seen for 5 s") }
            if let last, now - passed > Self.pace {
                passed = now
                guard try visit(last, nil) else { return }
            }
            if state.isReadable {
                if now - delivered > Self.pace { usleep(50_000) }
                input = try? LiveInput(launch.input, .picture, name: launch.name)
                if let new = input?.pictureSize, new != size {
                    warn("‘\(launch.name)’ has a new size, \(new.width)x\(new.height); the take keeps its own.")
                    size = new
                }
                continue
            }
            guard last != nil else { throw RecorderFailure(WindowWatch.isHidden) }
            if !isHidden {
                isHidden = true
                warn(
                    "‘\(launch.name)’ is hidden, or partly off the screen: its last picture is repeated for up to 5 s.")
            }
            usleep(50_000)
        }
    }

    private func read(
        _ input: LiveInput, _ size: WindowWatch.Size?, _ visit: (Picture, Int64?) throws(MediaError) -> Bool
    ) throws(MediaError) {
        var looked = Clock.now
        try input.read(
            width: form.width, height: form.height, degrees: launch.degrees, isMirrored: launch.isMirrored
        ) { picture, time throws(MediaError) in
            if isHidden { warn("‘\(launch.name)’ can be seen again.") }
            (last, isHidden, delivered) = (picture, false, Clock.now)
            passed = delivered
            isOver = try !visit(picture, time)
            guard !isOver, delivered - looked > Self.pace else { return !isOver }
            looked = delivered
            return watch.state?.size == size
        }
    }
}

/// Looks at an X11 window.
final class WindowWatch {
    struct Size: Hashable {
        var width: Int
        var height: Int
    }

    struct State {
        var isGone: Bool
        /// It is shown, and no part of it is off the screen.
        var isReadable: Bool
        var size: Size
    }

    static let displayIsGone = "the X11 display is gone"
    static let isHidden = "it is hidden, or partly off the screen; show it first"

    private let display: OpaquePointer
    private let window: UInt32

    /// - Returns: nil where there is no such display, or the source is no window.
    init?(_ launch: DeviceLaunch) {
        guard let id = launch.input.options["window_id"], let window = UInt32(id),
            let display = csourcewatch_display_open(launch.input.url)
        else { return nil }
        (self.display, self.window) = (display, window)
    }

    deinit { csourcewatch_display_close(display) }

    /// nil: the display is gone.
    var state: State? {
        var found = csourcewatch_window()
        guard csourcewatch_window_state(display, window, &found) else { return nil }
        return State(
            isGone: found.is_gone, isReadable: found.is_visible && found.is_inside,
            size: Size(width: Int(found.width), height: Int(found.height)))
    }
}

extension LiveInput {
    /// nil for sound.
    fileprivate var pictureSize: WindowWatch.Size? {
        guard case .picture(let width, let height, _) = form else { return nil }
        return WindowWatch.Size(width: width, height: height)
    }
}
