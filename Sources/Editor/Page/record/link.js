import { Emitter } from "../core/emitter.js";
import { socketAddress } from "../core/protocol.js";
import { t } from "../core/texts.js";

/** The most bytes of a message that the server accepts, with a margin. */
const slice = 48 << 10;

/** The WebSocket of a recording. A recording ends with its connection; the next one is another
 * recording.
 *
 * Events: `message` (an object of the server), `connected` (whether). */
export class RecordLink extends Emitter {
    #socket = null;
    #pause = 250;

    connect() {
        if (this.#socket) return;
        const socket = new WebSocket(socketAddress("/api/record"));
        this.#socket = socket;
        socket.addEventListener("open", () => {
            this.#pause = 250;
            this.emit("connected", true);
        });
        socket.addEventListener("message", ({ data }) => this.emit("message", JSON.parse(data)));
        socket.addEventListener("close", () => {
            this.#socket = null;
            this.emit("connected", false);
            setTimeout(() => this.connect(), this.#pause);
            this.#pause = Math.min(4000, this.#pause * 2);
        });
    }

    get isOpen() { return this.#socket?.readyState === WebSocket.OPEN; }

    /** Bytes that wait for a slow network. */
    get waiting() { return this.#socket?.bufferedAmount ?? 0; }

    /** Sends a message.
     * @throws {Error} if there is no connection. */
    send(message) {
        if (!this.isOpen) throw new Error(t("connection.lost"));
        this.#socket.send(JSON.stringify(message));
    }

    /** Sends recorded bytes. */
    sendBytes(buffer) {
        if (!this.isOpen) return;
        for (let start = 0; start < buffer.byteLength; start += slice) this.#socket.send(buffer.slice(start, start + slice));
    }
}
