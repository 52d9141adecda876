/// Decides by a request's head alone whether a gate lets the request pass.
package protocol GateAdmission: Sendable {
    func judge(_ head: RequestHead) -> GateVerdict
}

package enum GateVerdict: Hashable, Sendable {
    case pass
    /// The gate answers at once: with this status, these fields and this message.
    case answer(status: Int, fields: [String], message: String)

    package static func refuse(_ status: Int, _ message: String, _ fields: [String] = []) -> GateVerdict {
        .answer(status: status, fields: fields, message: message)
    }
}
