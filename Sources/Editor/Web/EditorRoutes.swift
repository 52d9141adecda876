import Draft
import FlyingFox
import Foundation
import HostCore
import Preview
import Web

/// The handlers of the page's requests: see docs/editor.md. All requests have passed the gate.
struct EditorRoutes: HTTPHandler {
    let editor: Editor
    let hub: LiveHub
    let page: PageFiles
    let departures: Departures

    /// How long a request waits for rendering, in seconds.
    private static let patience = 30.0

    func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
        let webRequest = WebRequest(request)
        do {
            switch webRequest.method {
            case "GET", "HEAD": return try await get(webRequest, request)
            case "POST": return .json(try await post(webRequest, try await request.bodyData))
            default: throw WebError(405, "Only GET and POST are allowed.")
            }
        } catch {
            return .failure(WebError(error))
        }
    }

    private func get(_ webRequest: WebRequest, _ request: HTTPRequest) async throws -> HTTPResponse {
        switch (webRequest.words.first, webRequest.words.count) {
        case (nil, _): return try pageFile("index.html")
        case ("assets", 2...): return try pageFile(webRequest.words.dropFirst().joined(separator: "/"))
        case ("part", 2), ("sound", 2): return try await media(webRequest)
        case ("frame", 3): return try await frame(webRequest)
        case ("thumb", 1): return try await thumbnail(webRequest)
        case ("wave", 1): return try await wave(webRequest)
        case ("api", 2...): return try await api(webRequest, request)
        default: throw WebError(404, "Nothing was found at this address.")
        }
    }

    private func api(_ webRequest: WebRequest, _ request: HTTPRequest) async throws -> HTTPResponse {
        switch webRequest.words.dropFirst().joined(separator: "/") {
        case "state": return .json(await editor.state())
        case "live": return try await live(request)
        case "record": return try await record(webRequest, request)
        case "why": return .json(try await editor.why(try webRequest.integer("frame")))
        case "media": return .json(try await editor.mediaList(webRequest["folder"]))
        case "probe": return .json(try await editor.probe(try webRequest.text("file")))
        case "exports": return .json(["exports": await editor.exports.all])
        case _ where webRequest.words.count == 4 && webRequest.words[1] == "exports" && webRequest.words[3] == "file":
            return try await exported(webRequest)
        case "drafts": return .json(["drafts": await editor.otherDrafts()])
        case "queue":
            return .json(
                try await editor.farm.run { Result { () throws(HostError) in try FarmQueue.json() } }.get())
        case "parameters/words": return .json(["words": await editor.optionWords()])
        default: throw WebError(404, "Nothing was found at this address.")
        }
    }

    private func post(_ webRequest: WebRequest, _ body: Data) async throws -> Data {
        switch webRequest.words.dropFirst().joined(separator: "/") {
        case "parameters":
            try await editor.set(try JSON.read(EditorActs.Values.self, body))
            return JSON.empty
        case "stop":
            editor.stopScript()
            return JSON.empty
        case "parameters/save":
            try await editor.saveValues()
            return JSON.empty
        case "open":
            let place = try JSON.read(EditorActs.Place.self, body)
            try OwnEditor.open(try await editor.source(place.file), line: place.line)
            return JSON.empty
        case "exports": return JSON.data(try await editor.export(try JSON.read(Editor.ExportWish.self, body)))
        case "cover":
            return JSON.data(["output": try await editor.cover(try JSON.read(Editor.CoverWish.self, body))])
        case _ where webRequest.words.count == 4 && webRequest.words[1] == "exports" && webRequest.words[3] == "cancel":
            try await editor.exports.cancel(Int(webRequest.words[2]) ?? 0)
            return JSON.empty
        default: throw WebError(404, "Nothing was found at this address.")
        }
    }

    /// Returns the file of a finished export.
    private func exported(_ webRequest: WebRequest) async throws -> HTTPResponse {
        let entry = try await editor.exports.status(Int(webRequest.words[2]) ?? 0)
        guard entry.state == .done else { throw WebError(409, "The export is not done.") }
        return try .file(entry.output)
    }

    // MARK: The page

    private func pageFile(_ name: String) throws(WebError) -> HTTPResponse {
        guard let file = page[name] else { throw WebError(404, "The editor's page has no such file.") }
        return .data(file.data, file.type)
    }

    /// Serves the WebSocket, which sends events and receives the playhead.
    private func live(_ request: HTTPRequest) async throws -> HTTPResponse {
        let handler = LivePage(editor: editor, hub: hub)
        return try await WebSocketHTTPHandler(handler: MessageFrameWSHandler(handler: handler)).handleRequest(request)
    }

    /// Serves the WebSocket of the Record tab.
    private func record(_ webRequest: WebRequest, _ request: HTTPRequest) async throws -> HTTPResponse {
        let handler = RecordPage(recordings: editor.recordings, isLocal: webRequest.isLocal)
        return try await WebSocketHTTPHandler(handler: MessageFrameWSHandler(handler: handler)).handleRequest(request)
    }

    // MARK: Pictures and sound

    private func media(_ webRequest: WebRequest) async throws -> HTTPResponse {
        guard webRequest.words[1].hasSuffix(".mp4") else { throw WebError(404, "The part was not found.") }
        let (key, driver) = (String(webRequest.words[1].dropLast(4)), editor.driver)
        let found = await waiting(webRequest) { await driver.find(key) }
        switch found {
        case .file(let data)?:
            return .data(data, webRequest.words[0] == "part" ? "video/mp4" : "audio/mp4", isImmutable: true)
        case .failed(let message)?: throw WebError(410, message)
        case .unknown?: throw WebError(404, "Nothing that is shown uses this part.")
        case nil: throw WebError(503, "The part is not rendered yet; try again.")
        }
    }

    private func frame(_ webRequest: WebRequest) async throws -> HTTPResponse {
        guard let revision = Int(webRequest.words[1]), webRequest.words[2].hasSuffix(".png"),
            let frame = Int(webRequest.words[2].dropLast(4))
        else { throw WebError(404, "The picture was not found.") }
        let (editor, width) = (editor, webRequest["width"].flatMap { Int($0) })
        let data = await waiting(webRequest) {
            await Result { try await editor.picture(of: frame, in: revision, width: width) }
        }
        guard let data = try data?.get() ?? nil else { throw WebError(503, "The picture is not ready yet; try again.") }
        return .data(data, "image/png")
    }

    private func thumbnail(_ webRequest: WebRequest) async throws -> HTTPResponse {
        let (file, time) = (try webRequest.text("file"), try webRequest.number("at"))
        let (editor, height) = (editor, webRequest["height"].flatMap { Int($0) } ?? 54)
        let data = await waiting(webRequest) {
            await Result { try await editor.thumbnail(of: file, at: time, height: height) }
        }
        guard let data = try data?.get() ?? nil else { throw WebError(503, "The picture is not ready yet; try again.") }
        return .data(data, "image/jpeg")
    }

    private func wave(_ webRequest: WebRequest) async throws -> HTTPResponse {
        let (file, start, length) = (
            try webRequest.text("file"), try webRequest.number("start"), try webRequest.number("duration")
        )
        let (editor, points) = (editor, try webRequest.integer("points"))
        let data = await waiting(webRequest) {
            await Result { try await editor.wave(of: file, from: start, duration: length, points: points) }
        }
        guard let data = try data?.get() ?? nil else { throw WebError(503, "The sound is not ready yet; try again.") }
        return .json(data)
    }

    /// Waits for a limited time, and no longer than the client is connected; nil: the result is not
    /// ready yet.
    private func waiting<Found: Sendable>(
        _ webRequest: WebRequest, _ work: @escaping @Sendable () async -> Found
    ) async -> Found? {
        await departures.during(webRequest.connection) {
            let task = Task { await work() }
            let alarm = Task {
                try? await Task.sleep(for: .seconds(Self.patience))
                task.cancel()
            }
            defer { alarm.cancel() }
            let found = await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
            return task.isCancelled ? nil : found
        }
    }
}

/// A request in the form that the handlers use.
struct WebRequest: Sendable {
    let method: String
    /// The components of the path, decoded.
    let words: [String]
    /// The number of its connection at the gate.
    let connection: UInt64?
    /// It comes from this machine.
    let isLocal: Bool
    private let query: [String: String]

    init(_ request: HTTPRequest) {
        method = request.method.rawValue
        let components = URLComponents(string: request.target.rawValue)
        words = (components?.path ?? "").split(separator: "/").map(String.init)
        query = (components?.queryItems ?? []).reduce(into: [:]) { $0[$1.name] = $1.value }
        isLocal = request.headers[HTTPHeader(RequestHead.localField)] != nil
        connection = request.headers[HTTPHeader(RequestHead.connectionField)].flatMap { UInt64($0) }
    }

    package subscript(name: String) -> String? { query[name] }

    func text(_ name: String) throws(WebError) -> String {
        guard let text = query[name], !text.isEmpty else { throw WebError(400, "The request needs ‘\(name)’.") }
        return text
    }

    func integer(_ name: String) throws(WebError) -> Int {
        guard let number = Int(try text(name)) else { throw WebError(400, "‘\(name)’ must be a whole number.") }
        return number
    }

    func number(_ name: String) throws(WebError) -> Double {
        guard let number = Double(try text(name)), number.isFinite else {
            throw WebError(400, "‘\(name)’ must be a number.")
        }
        return number
    }
}

/// The reason for rejecting a request: an HTTP status and a sentence.
package struct WebError: Error, Sendable {
    var status: Int
    var message: String

    init(_ status: Int, _ message: String) { (self.status, self.message) = (status, message) }

    init(_ error: any Error) {
        if let error = error as? WebError {
            self = error
            return
        }
        let error = HostError(error)
        let status =
            switch error.code {
            case .usage: 400
            case .noInput: 404
            case .cannotCreate: 409
            case .data: 422
            default: 500
            }
        self.init(status, error.message)
    }
}

extension HTTPResponse {
    static func data(_ data: Data, _ type: String, isImmutable: Bool = false) -> HTTPResponse {
        make(.ok, data, type, isImmutable ? "private, max-age=31536000, immutable" : "no-store")
    }

    /// Returns a download that is streamed from disk.
    static func file(_ path: String) throws(WebError) -> HTTPResponse {
        guard let body = try? HTTPBodySequence(file: URL(fileURLWithPath: path), suggestedBufferSize: 256 << 10) else {
            throw WebError(404, "‘\(path)’ is not a single file, or no longer exists.")
        }
        let name =
            (path as NSString).lastPathComponent.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        var response = make(.ok, Data(), "application/octet-stream", "no-store")
        response.headers[HTTPHeader("Content-Disposition")] = "attachment; filename*=UTF-8''\(name)"
        response.payload = .httpBody(body)
        return response
    }

    static func json(_ value: some Encodable) -> HTTPResponse { json(JSON.data(value)) }

    static func json(_ data: Data) -> HTTPResponse { make(.ok, data, "application/json", "no-store") }

    static func failure(_ error: WebError) -> HTTPResponse {
        let body = JSON.data(["message": error.message])
        return make(HTTPStatusCode(error.status, phrase: "Refused"), body, "application/json", "no-store")
    }

    private static func make(_ status: HTTPStatusCode, _ data: Data, _ type: String, _ caching: String) -> HTTPResponse
    {
        var headers: HTTPHeaders = [.contentType: type, HTTPHeader("Cache-Control"): caching]
        for (name, value) in WebHeaders.all { headers[HTTPHeader(name)] = value }
        return HTTPResponse(statusCode: status, headers: headers, body: data)
    }
}

extension Result where Failure == any Error {
    /// Creates a response from the result of asynchronous work.
    package init(_ work: @Sendable () async throws -> Success) async {
        do { self = .success(try await work()) } catch { self = .failure(error) }
    }
}
