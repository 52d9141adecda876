/// Decides from the header of a request alone whether a gate admits the request.
package protocol GateAdmission: Sendable {
    func judge(_ head: RequestHead) -> GateVerdict
}

package enum GateVerdict: Hashable, Sendable {
    case pass
    /// The gate answers immediately, with this status, these fields and this message.
    case answer(status: Int, fields: [String], message: String)

    package static func refuse(_ status: Int, _ message: String, _ fields: [String] = []) -> GateVerdict {
        .answer(status: status, fields: fields, message: message)
    }
}
