import Draft
import Values

extension Extents.Extent {
    /// This extent, shortened to a whole number of frames where it exceeds that by rounding only.
    ///
    /// Two kinds of rounding make a picture a little longer than its frames, so that a draft at
    /// their rate would get one frame too many. Times are rounded to the file's ticks: in Matroska,
    /// 1999 frames of 30000/1001 per second end 0.3 ms late. And NTSC rates are written as
    /// decimals: 60 frames at 29.97 per second last 2.002002 s instead of 2.002 s. That is 1/999999
    /// more, as n · 1000/999 is than n · 1001/1000.
    ///
    /// - Parameters:
    ///   - rate: the frame rate that the file states, or that was measured.
    ///   - tick: the unit of the stream's times.
    func onWholeFrames(at rate: Rational, tick: Time) -> Extents.Extent {
        let nominal = rate.nominalFrameRate
        let length = end - start
        // A rate that was measured is as uncertain as the length, and a tick may make 30000/1001 of
        // 30, which is 0.1 % more. Where the two rates differ further, frames are left out or
        // repeated, and the length is not a matter of rounding.
        let difference = abs(rate.doubleValue / nominal.doubleValue - 1)
        guard difference <= 0.001 + tick.seconds / length.seconds else { return self }
        let frames = length.rounded(rate: nominal)
        let whole = Time(frame: frames, rate: nominal)
        let rounding = tick + Time(flicks: Int64(Double(whole.flicks) * max(difference, 1 / 999_999)) + 1)
        let least = Time(frame: 1, rate: nominal).scaled(by: Rational(1, 4))
        guard frames > 0, length > whole, length - whole <= rounding, length - whole < least else { return self }
        return Extents.Extent(start: start, end: start + whole)
    }
}
