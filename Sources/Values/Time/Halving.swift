/// The index of the first element for which `condition` holds, found by halving; the count where
/// there is none.
/// - Precondition: `condition` holds from some element on, and for none before it.
@inlinable
package func firstIndex<T>(in sorted: [T], where condition: (T) -> Bool) -> Int {
    var (low, high) = (0, sorted.count)
    while low < high {
        let middle = (low + high) / 2
        if condition(sorted[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
}
