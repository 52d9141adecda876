import CSourceWatch
import Media

/// Why a source cannot be read, and what to do: the second half of a sentence. Devices say in
/// libav's log what is wrong, if at all, and return that something is.
enum SourceReason {
    /// - Parameter wasOpen: it was read before.
    static func text(_ error: MediaError, _ launch: DeviceLaunch, wasOpen: Bool) -> String {
        guard error.code == .read, error.libavCode != nil else { return error.reason }
        switch launch.input.format {
        case "x11grab": if let reason = screen(launch, wasOpen) { return reason }
        case "pulse": if wasOpen { return "the sound server is gone, or has no source any more" }
        case "nut": return wasOpen ? "what it delivers is damaged" : "it does not deliver NUT"
        default: break
        }
        return logged(error)
    }

    /// What libav's log says, if anything.
    static func logged(_ error: MediaError) -> String {
        guard error.code == .read || error.code == .mux, let line = error.log.last else { return error.reason }
        let text = line.firstRange(of: "] ").map { line[$0.upperBound...] } ?? line[...]
        return text.hasSuffix(".") ? String(text.dropLast()) : String(text)
    }

    /// - Returns: nil where the display and the window are there.
    private static func screen(_ launch: DeviceLaunch, _ wasOpen: Bool) -> String? {
        // A part of the screen is named behind a plus.
        let name = String(launch.input.url.prefix { $0 != "+" })
        guard let display = csourcewatch_display_open(name) else {
            if wasOpen { return WindowWatch.displayIsGone }
            return (name.isEmpty ? "$DISPLAY names no X11 display" : "the X11 display ‘\(name)’ cannot be reached")
                + "; name another source with ‘--video’, such as camera, pipe:PATH or none"
        }
        csourcewatch_display_close(display)
        guard launch.input.options["window_id"] != nil, let state = WindowWatch(launch)?.state else { return nil }
        if state.isGone { return "there is no such window; ‘xwininfo’ shows the ids of windows" }
        return state.isReadable ? nil : WindowWatch.isHidden
    }
}
