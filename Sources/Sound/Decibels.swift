import CPortableMath

extension Double {
    /// The factor on samples that this number of decibels stands for; the same on every machine.
    var factor: Double { pm_pow(10, self / 20) }
}
