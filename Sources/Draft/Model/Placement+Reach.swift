import Values

extension Easing {
    /// The shares of the way between two keys that it may be at.
    var reach: ClosedRange<Double> {
        switch self {
        case .bezier(_, let y1, _, let y2): min(0, y1, y2)...max(1, y1, y2)
        case .curve(.back, _), .curve(.elastic, _): -0.5...1.5
        case .linear, .hold, .steps, .curve: 0...1
        }
    }
}

extension Animated {
    /// Bounds of each number that something makes of the value, where it makes them evenly; nil
    /// where they are not known.
    fileprivate func bounds(_ numbers: ([Double]) -> [Double]) -> [ClosedRange<Double>]? {
        let keys: [Keyframe]
        switch self {
        case .function: return nil
        case .constant(let value): keys = [Keyframe(time: .zero, value: value)]
        case .keyframes(let all): keys = all
        }
        let values = keys.map { numbers($0.value) }
        guard var (low, high) = values.first.map({ ($0, $0) }),
            values.allSatisfy({ $0.count == low.count })
        else {
            return nil
        }
        func take(_ reached: [Double]) {
            for (index, number) in reached.enumerated() {
                (low[index], high[index]) = (min(low[index], number), max(high[index], number))
            }
        }
        for value in values { take(value) }
        for (index, key) in keys.dropLast().enumerated() {
            let (a, b) = (values[index], values[index + 1])
            for share in [key.easing.reach.lowerBound, key.easing.reach.upperBound] {
                take(zip(a, b).map { $0 + ($1 - $0) * share })
            }
        }
        guard (low + high).allSatisfy(\.isFinite) else { return nil }
        return zip(low, high).map { $0...$1 }
    }

    /// Its largest length; nil where it is not known.
    fileprivate func longest(of whole: Int) -> Double? {
        bounds { $0.count == 2 ? [$0[0] + $0[1] * Double(whole)] : $0 }?.first?.upperBound
    }
}

extension Placement {
    /// Whether some of the canvas may be covered at any time: false only where it is sure that the
    /// picture always lies outside.
    /// - Parameters:
    ///   - picture: its size in square pixels; nil: the canvas'.
    ///   - margin: how far beyond its edges there is something to see.
    func mayMeet(
        _ canvas: Canvas.Size, picture: Canvas.Size?, margin: Double = 0
    ) -> Bool {
        let places = position.bounds { value in
            value.count == 4
                ? [value[0] + value[1] * Double(canvas.width), value[2] + value[3] * Double(canvas.height)]
                : value
        }
        guard let places, places.count == 2, let (width, height) = largest(on: canvas, picture) else {
            return true
        }
        var reach = (
            left: anchor.x * width, right: (1 - anchor.x) * width, top: anchor.y * height,
            bottom: (1 - anchor.y) * height
        )
        if rotation != .constant([0]) {
            let (x, y) = (max(abs(reach.left), abs(reach.right)), max(abs(reach.top), abs(reach.bottom)))
            let radius = (x * x + y * y).squareRoot()
            reach = (radius, radius, radius, radius)
        }
        return places[0].upperBound + reach.right + margin > 0
            && places[0].lowerBound - reach.left - margin < Double(canvas.width)
            && places[1].upperBound + reach.bottom + margin > 0
            && places[1].lowerBound - reach.top - margin < Double(canvas.height)
    }

    /// Sides that the picture never exceeds; nil where they are not known.
    private func largest(
        on canvas: Canvas.Size, _ picture: Canvas.Size?
    ) -> (width: Double, height: Double)? {
        guard let factor = scale.bounds({ $0 })?.first?.upperBound else { return nil }
        func sides(_ width: Double, _ height: Double) -> (Double, Double) {
            (width * factor, height * factor)
        }
        switch (width, height) {
        case (nil, nil): return sides(Double(canvas.width), Double(canvas.height))
        case (let width?, let height?):
            guard let w = width.longest(of: canvas.width), let h = height.longest(of: canvas.height)
            else { return nil }
            return sides(w, h)
        case (let width?, nil):
            guard let w = width.longest(of: canvas.width), let shape = shapes(canvas, picture) else {
                return nil
            }
            return sides(w, w / shape.lowerBound)
        case (nil, let height?):
            guard let h = height.longest(of: canvas.height), let shape = shapes(canvas, picture) else {
                return nil
            }
            return sides(h * shape.upperBound, h)
        }
    }

    /// Bounds of the width of what is shown for a height of 1.
    private func shapes(
        _ canvas: Canvas.Size, _ picture: Canvas.Size?
    ) -> ClosedRange<Double>? {
        let size = picture ?? canvas
        var shape = Double(size.width) / Double(size.height)
        if quarterTurns % 2 == 1 { shape = 1 / shape }
        guard let sides = crop.bounds({ $0.count == 4 ? [$0[2], $0[3]] : [] }), sides.count == 2,
            sides[0].lowerBound > 0, sides[1].lowerBound > 0, shape > 0, shape.isFinite
        else { return nil }
        // Half a pixel more, because crops are whole pixels at least.
        let slack = 1 + 2 / Double(max(1, min(size.width, size.height)))
        return shape * sides[0].lowerBound / sides[1].upperBound / slack...shape * sides[0].upperBound
            / sides[1].lowerBound * slack
    }
}
