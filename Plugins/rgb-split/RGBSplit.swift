import CPortableMath
import PluginABI

/// A move of one channel: whole pixels and, in 1/256, the rest towards the next pixel.
private struct Offset {
    var x, y: Int
    var fractionX, fractionY: Int

    init(_ dx: Double, _ dy: Double) {
        let (fixedX, fixedY) = (Int((dx * 256).rounded()), Int((dy * 256).rounded()))
        (x, fractionX) = (fixedX >> 8, fixedX & 255)
        (y, fractionY) = (fixedY >> 8, fixedY & 255)
    }
}

/// One frame. Red is sampled at −offset (so that it moves along the offset), blue at +offset,
/// bilinearly; what lies outside the picture is its nearest edge. Green and alpha stay.
func process(_ call: UnsafePointer<cutroom_call>) -> cutroom_status {
    guard let values = call.pointee.values, let out = call.pointee.output?.pointee,
        let input = cutroom_current(call, 0)?.pointee,
        let from = input.plane.0, let to = out.plane.0
    else { return CUTROOM_ERROR_FATAL }
    guard out.format == CUTROOM_FORMAT_RGBA8 else { return CUTROOM_ERROR_FORMAT }
    let amount = values[Parameter.amount.rawValue].n.0
    let angle = values[Parameter.angle.rawValue].n.0 * .pi / 180
    if amount == 0 { return CUTROOM_PASS }
    let (dx, dy) = (amount * pm_cos(angle), amount * pm_sin(angle))
    let (red, blue) = (Offset(-dx, -dy), Offset(dx, dy))
    let (width, height) = (Int(out.width), Int(out.height))
    for y in Int(call.pointee.row_begin)..<Int(call.pointee.row_end) {
        let row = to + y * out.stride.0
        row.update(from: from + y * input.stride.0, count: width * 4)
        sample(red, channel: 0, of: from, stride: input.stride.0, width: width, height: height, y: y, into: row)
        sample(blue, channel: 2, of: from, stride: input.stride.0, width: width, height: height, y: y, into: row)
    }
    return CUTROOM_OK
}

/// Wrapping operators: all products fit easily, and checked ones keep the loop from being
/// vectorised.
private func sample(
    _ offset: Offset, channel: Int, of plane: UnsafePointer<UInt8>, stride: Int, width: Int, height: Int, y: Int,
    into row: UnsafeMutablePointer<UInt8>
) {
    let top = plane + min(max(y + offset.y, 0), height - 1) * stride + channel
    let bottom = plane + min(max(y + offset.y + 1, 0), height - 1) * stride + channel
    let (fx, fy) = (Int32(truncatingIfNeeded: offset.fractionX), Int32(truncatingIfNeeded: offset.fractionY))
    let (topLeft, topRight) = ((256 &- fx) &* (256 &- fy), fx &* (256 &- fy))
    let (bottomLeft, bottomRight) = ((256 &- fx) &* fy, fx &* fy)
    func pixel(_ x: Int, _ left: Int, _ right: Int) {
        let sum =
            Int32(top[left]) &* topLeft &+ Int32(top[right]) &* topRight &+ Int32(bottom[left]) &* bottomLeft
            &+ Int32(bottom[right]) &* bottomRight
        row[4 &* x &+ channel] = UInt8(truncatingIfNeeded: (sum &+ 32768) >> 16)
    }
    // Only the middle, where both neighbours are inside, needs no clamping.
    let middle = min(max(-offset.x, 0), width)..<min(max(width - 1 - offset.x, 0), width)
    for x in 0..<width where !middle.contains(x) {
        pixel(x, 4 * min(max(x + offset.x, 0), width - 1), 4 * min(max(x + offset.x + 1, 0), width - 1))
    }
    guard middle.lowerBound < middle.upperBound else { return }
    for x in middle {
        let left = 4 &* (x &+ offset.x)
        pixel(x, left, left &+ 4)
    }
}
