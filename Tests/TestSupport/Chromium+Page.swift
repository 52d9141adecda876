import Foundation

/// What a reader does with a page, and what is seen of it.
extension Chromium {
    /// Loads an address, and waits until its document is there.
    public func open(_ address: String) throws {
        lacksParts = false
        // Like parts, the document is dropped if the machine's network changes.
        for _ in 0..<10 {
            let answer = try call("Page.navigate", ["url": address])
            guard answer["errorText"] as? String == "net::ERR_NETWORK_CHANGED" else { break }
        }
        try wait("document.readyState != 'loading' && location.href != 'about:blank'")
    }

    /// The value of an expression; a promise's when it is kept.
    @discardableResult
    public func evaluate(_ expression: String, timeout: Double = 60) throws -> Any? {
        let answer = try call(
            "Runtime.evaluate", ["expression": expression, "awaitPromise": true, "returnByValue": true],
            timeout: timeout)
        if let details = answer["exceptionDetails"] as? [String: Any] {
            let exception = details["exception"] as? [String: Any]
            throw Failure(description: "\(exception?["description"] ?? details["text"] ?? "")\nin \(expression)")
        }
        return (answer["result"] as? [String: Any])?["value"]
    }

    public func text(_ expression: String) throws -> String { try evaluate(expression) as? String ?? "" }

    public func number(_ expression: String) throws -> Double {
        (try evaluate(expression) as? NSNumber)?.doubleValue ?? .nan
    }

    public func holds(_ expression: String) throws -> Bool { try evaluate("Boolean(\(expression))") as? Bool ?? false }

    /// Waits until an expression holds.
    public func wait(_ expression: String, timeout: Double = 30) throws {
        TestThreads.expectWaitingIsAllowed(for: "a page")
        let end = ContinuousClock.now + .seconds(timeout)
        // While a page is loaded there is nothing that could be asked.
        while !((try? holds(expression)) ?? false) {
            guard ContinuousClock.now < end else {
                throw Failure(description: "never: \(expression); complaints: \(complaints)")
            }
            if lacksParts {
                lacksParts = false
                try call("Page.reload")
            }
            usleep(10_000)
        }
    }

    // MARK: Keys and mouse

    /// Modifiers as the protocol counts them.
    public static let (alt, control, shift) = (1, 2, 8)

    /// Presses a key and lets it go: a letter, or a name such as `ArrowLeft`.
    public func press(_ key: String, modifiers: Int = 0) throws {
        try keyDown(key, modifiers: modifiers)
        try keyUp(key, modifiers: modifiers)
    }

    public func keyDown(_ key: String, modifiers: Int = 0) throws {
        var event = Self.event(key, modifiers)
        event["type"] = "keyDown"
        if key.count == 1 { event["text"] = key }
        if key == "Enter" { event["text"] = "\r" }
        try call("Input.dispatchKeyEvent", event)
    }

    public func keyUp(_ key: String, modifiers: Int = 0) throws {
        var event = Self.event(key, modifiers)
        event["type"] = "keyUp"
        try call("Input.dispatchKeyEvent", event)
    }

    private static func event(_ key: String, _ modifiers: Int) -> [String: Any] {
        let codes = [
            "Tab": 9, "Enter": 13, "Escape": 27, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38,
            "ArrowRight": 39,
            "ArrowDown": 40,
        ]
        let code = codes[key] ?? key.uppercased().utf8.first.map(Int.init) ?? 0
        return ["key": key, "modifiers": modifiers, "windowsVirtualKeyCode": code]
    }

    /// Types into what has the keys.
    public func type(_ text: String) throws { try call("Input.insertText", ["text": text]) }

    public func click(_ x: Double, _ y: Double, count: Int = 1) throws {
        for type in ["mousePressed", "mouseReleased"] {
            try mouse(type, x, y, ["button": "left", "clickCount": count])
        }
    }

    /// Clicks into the middle of an element.
    public func click(_ selector: String) throws {
        let place = try place(of: selector)
        try click(place.x + place.width / 2, place.y + place.height / 2)
    }

    /// Presses the mouse at the first place, moves it over the others and lets it go at the last.
    public func drag(_ places: [(x: Double, y: Double)]) throws {
        guard let first = places.first, let last = places.last else { return }
        try mouse("mousePressed", first.x, first.y, ["button": "left", "clickCount": 1])
        for place in places { try mouse("mouseMoved", place.x, place.y, ["button": "left", "buttons": 1]) }
        try mouse("mouseReleased", last.x, last.y, ["button": "left", "clickCount": 1])
    }

    public func wheel(_ x: Double, _ y: Double, across: Double = 0, down: Double = 0, modifiers: Int = 0) throws {
        try mouse("mouseWheel", x, y, ["deltaX": across, "deltaY": down, "modifiers": modifiers])
    }

    private func mouse(_ type: String, _ x: Double, _ y: Double, _ more: [String: Any]) throws {
        try call("Input.dispatchMouseEvent", ["type": type, "x": x, "y": y].merging(more) { $1 })
    }

    /// Where an element lies.
    public func place(of selector: String) throws -> (x: Double, y: Double, width: Double, height: Double) {
        let values =
            try evaluate(
                "(() => { const { x, y, width, height } = document.querySelector('\(selector)').getBoundingClientRect(); return [x, y, width, height] })()"
            ) as? [Any] ?? []
        let numbers = values.compactMap { ($0 as? NSNumber)?.doubleValue }
        guard numbers.count == 4 else { throw Failure(description: "there is no \(selector)") }
        return (numbers[0], numbers[1], numbers[2], numbers[3])
    }

    // MARK: The screen

    public func resize(width: Int, height: Int, isPhone: Bool = false) throws {
        try call(
            "Emulation.setDeviceMetricsOverride",
            ["width": width, "height": height, "deviceScaleFactor": 1, "mobile": isPhone])
        try call("Emulation.setTouchEmulationEnabled", ["enabled": isPhone])
    }

    /// Sets what a style sheet can ask of the reader's wishes, as `["prefers-color-scheme":
    /// "dark"]`.
    public func prefer(_ wishes: [String: String]) throws {
        try call(
            "Emulation.setEmulatedMedia", ["features": wishes.map { ["name": $0.key, "value": $0.value] }])
    }

    /// A picture of the page, as PNG.
    public func screenshot() throws -> Data {
        let answer = try call("Page.captureScreenshot", ["format": "png"])
        return Data(base64Encoded: answer["data"] as? String ?? "") ?? Data()
    }
}
