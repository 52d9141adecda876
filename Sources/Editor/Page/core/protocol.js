import { t } from "./texts.js";

/** An error response of the server: a sentence for users, and the HTTP status. */
export class Refusal extends Error {
    constructor(message, status) {
        super(message);
        this.status = status;
    }
}

async function answer(path, options) {
    let response;
    try {
        response = await fetch(path, options);
    } catch (error) {
        if (error.name === "AbortError") throw error;
        throw new Refusal(t("connection.lost"), 0);
    }
    if (response.ok) return response;
    const body = await response.json().catch(() => null);
    throw new Refusal(body?.message ?? t("connection.status", { status: response.status }), response.status);
}

export const getJSON = async (path, signal) => (await answer(path, { signal })).json();

export const getBytes = async (path, { signal, priority = "auto" } = {}) =>
    (await answer(path, { signal, priority })).arrayBuffer();

/** Fetches a picture without color conversion. */
export async function getPicture(path, signal) {
    const blob = await (await answer(path, { signal })).blob();
    try {
        return await createImageBitmap(blob, { colorSpaceConversion: "none", premultiplyAlpha: "none" });
    } catch {
        throw new Refusal(t("connection.picture"), 422);
    }
}

export async function post(path, body = {}) {
    const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
    const text = await (await answer(path, options)).text();
    return text ? JSON.parse(text) : {};
}

/** Returns a path with a query; null values are left out. */
export function address(path, query) {
    const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
    return `${path}?${new URLSearchParams(given)}`;
}

/** Returns the address of a WebSocket of the server. */
export const socketAddress = (path) => `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`;

/** The WebSocket to the server, which reconnects automatically. */
export class Line {
    #socket = null;
    #pause = 250;
    #last = null;

    /** @param {{
     *   message: (message: object) => void,
     *   connected: (isThere: boolean) => void,
     * }} listener */
    constructor(listener) {
        this.listener = listener;
        this.#connect();
    }

    /** Sends a message now or after reconnecting; only the last one is kept. */
    send(message) {
        this.#last = message;
        if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
    }

    #connect() {
        const socket = new WebSocket(socketAddress("/api/live"));
        this.#socket = socket;
        socket.addEventListener("open", () => {
            this.#pause = 250;
            this.listener.connected(true);
            if (this.#last) this.send(this.#last);
        });
        socket.addEventListener("message", (event) => this.listener.message(JSON.parse(event.data)));
        socket.addEventListener("close", () => {
            this.listener.connected(false);
            setTimeout(() => this.#connect(), this.#pause);
            this.#pause = Math.min(4000, this.#pause * 2);
        });
    }
}
