import Foundation

extension Double {
    /// The factor on samples that so many decibels are.
    var factor: Double { pow(10, self / 20) }
}
