import { Emitter } from "../core/emitter.js";
import { t } from "../core/texts.js";
import { Level } from "./level.js";

/** The formats to record in, by preference: H.264 is decoded fast everywhere; avc3
 * allows a size that changes, as that of a window. All of them can be
 * read up to where they were cut off. */
const types = {
    picture: ["video/mp4;codecs=avc3.64002A,opus", "video/mp4;codecs=avc3.42E01E,opus", "video/mp4;codecs=avc1.42E01E,opus", "video/mp4;codecs=avc1.42E01E,mp4a.40.2", "video/mp4;codecs=vp9,opus", "video/webm;codecs=vp8,opus"],
    silent: ["video/mp4;codecs=avc3.64002A", "video/mp4;codecs=avc3.42E01E", "video/mp4;codecs=avc1.42E01E", "video/mp4;codecs=vp9", "video/webm;codecs=vp8"],
    sound: ["audio/mp4;codecs=opus", "audio/mp4;codecs=mp4a.40.2", "audio/webm;codecs=opus"],
};
/** Milliseconds of a chunk. */
const chunk = 250;
/** Milliseconds of a fragment, which is what a crash loses at most. */
const fragment = 500;
/** Bytes that wait for the network before it counts as too slow. */
const most = 64 << 20;
/** Bits per pixel. */
const richness = 0.14;
const soundRate = 160_000;

/** Records the browser's camera, screen and microphone for the server, which sends commands:
 * `open`, `start`, `stop`, `close` and `alive`.
 *
 * Events: `stream` (the open one, or null). */
export class BrowserRecorder extends Emitter {
    stream = null;
    level = new Level();
    /** What the next `open` opens: `{ video, audio, camera, microphone }`. */
    wanted = { video: "camera", audio: true };
    #link;
    #prepared = null;
    #recorder = null;
    #started = 0;
    #lost = null;
    #lock = null;
    /** Counts what was opened and closed: devices that come late are closed again. */
    #turn = 0;

    constructor(link) {
        super();
        this.#link = link;
        link.on("connected", (isThere) => { if (!isThere) this.#close(); });
    }

    /** Whether this page may use the browser's devices: see “secure contexts”. */
    static get isAllowed() { return isSecureContext && Boolean(navigator.mediaDevices) && "MediaRecorder" in window; }

    /** Asks the user for the devices. Call it in the handler of a click: browsers allow a screen
     * only there. */
    prepare(wanted) {
        this.wanted = wanted;
        this.#close();
        this.abandon();
        this.#prepared = acquire(wanted);
        // What went wrong is told when the server asks for the devices.
        this.#prepared.catch(() => {});
    }

    /** Takes back what was prepared, if the server does not ask for it. */
    abandon() {
        this.#prepared?.then(stop, () => {});
        this.#prepared = null;
    }

    /** Carries out a command of the server. */
    async take({ recorder }) {
        switch (recorder) {
            case "open":
                await this.#open();
                break;
            case "start":
                this.#start();
                break;
            case "stop":
                if (this.#recorder?.state === "recording") this.#recorder.stop();
                break;
            case "close":
                this.#close();
                break;
            case "alive":
                this.#tell({ recorder: "alive" });
                break;
        }
    }

    #tell(message) { if (this.#link.isOpen) this.#link.send(message); }

    async #open() {
        const prepared = this.#prepared ?? acquire(this.wanted);
        this.#prepared = null;
        this.#turn += 1;
        const turn = this.#turn;
        try {
            const stream = await prepared;
            if (turn !== this.#turn) return stop(stream);
            this.stream = stream;
        } catch (error) {
            if (turn === this.#turn) this.#tell({ recorder: "open-failed", message: words(error, this.wanted) });
            return;
        }
        const type = formatOf(this.stream);
        if (!type) {
            this.#close();
            this.#tell({ recorder: "open-failed", message: t("record.noFormat") });
            return;
        }
        for (const track of this.stream.getTracks()) track.addEventListener("ended", () => this.#ended(track));
        this.level.listen(this.stream);
        this.emit("stream", this.stream);
        this.#tell({ recorder: "opened", container: type.includes("webm") ? "webm" : "mp4" });
    }

    #close() {
        if (this.#recorder?.state === "recording") this.#recorder.stop();
        const { stream } = this;
        this.stream = null;
        this.#turn += 1;
        this.level.close();
        if (stream) stop(stream);
        if (stream) this.emit("stream", null);
    }

    /** A device was unplugged, or the user has stopped to share. */
    #ended(track) {
        if (!this.stream?.getTracks().includes(track)) return;
        this.#lost = t(track.kind === "audio" ? "record.lost.sound" : `record.lost.${this.wanted.video}`);
        if (this.#recorder?.state === "recording") this.#recorder.stop();
        else if (!this.#recorder) this.#tell({ recorder: "lost", message: this.#takeLost() });
    }

    #takeLost() {
        const lost = this.#lost;
        this.#lost = null;
        return lost ?? undefined;
    }

    #start() {
        let recorder;
        try {
            recorder = makeRecorder(this.stream);
        } catch (error) {
            this.#tell({ recorder: "ended", duration: 0, message: t("record.failed", { message: error.message }) });
            return;
        }
        this.#recorder = recorder;
        this.#lost = null;
        this.#started = performance.now();
        let sending = Promise.resolve();
        const progress = () => ({ duration: (performance.now() - this.#started) / 1000, level: this.level.takePeak() });
        recorder.addEventListener("start", () => { this.#started = performance.now(); });
        recorder.addEventListener("dataavailable", ({ data }) => {
            sending = sending.then(async () => {
                if (data.size) this.#link.sendBytes(await data.arrayBuffer());
                if (recorder.state === "recording") this.#tell({ recorder: "progress", ...progress() });
                if (this.#link.waiting > most && recorder.state === "recording") {
                    this.#lost = t("record.slow");
                    recorder.stop();
                }
            });
        });
        recorder.addEventListener("error", ({ error }) => { this.#lost = t("record.failed", { message: error?.message ?? "" }); });
        recorder.addEventListener("stop", () => {
            const last = progress();
            sending.then(() => {
                if (this.#recorder !== recorder) return;
                this.#recorder = null;
                this.#tell({ recorder: "ended", ...last, message: this.#takeLost() });
                this.#release();
            });
        });
        recorder.start(chunk);
        this.#keepAwake();
    }

    /** A phone's screen stays on, because a page that cannot be seen is stopped. */
    async #keepAwake() {
        try {
            this.#lock = await navigator.wakeLock?.request("screen");
        } catch {
            // The user sees to it.
        }
    }

    #release() {
        this.#lock?.release();
        this.#lock = null;
    }
}

function stop(stream) { for (const track of stream.getTracks()) track.stop(); }

/** Opens the devices.
 * @throws {DOMException} */
async function acquire({ video, audio, camera, microphone }) {
    const sound = audio && {
        echoCancellation: false, noiseSuppression: false, autoGainControl: false, ...(microphone ? { deviceId: { exact: microphone } } : {}),
    };
    if (video !== "screen") {
        const picture = video === "camera" && {
            width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 30 },
            ...(camera ? { deviceId: { exact: camera } } : { facingMode: "user" }),
        };
        return navigator.mediaDevices.getUserMedia({ video: picture, audio: sound });
    }
    const screen = await navigator.mediaDevices.getDisplayMedia({ video: { frameRate: { ideal: 30 } }, audio: false });
    if (!sound) return screen;
    try {
        const voice = await navigator.mediaDevices.getUserMedia({ audio: sound });
        return new MediaStream([...screen.getTracks(), ...voice.getTracks()]);
    } catch (error) {
        stop(screen);
        throw error;
    }
}

/** The best format that the browser can record a stream in. */
function formatOf(stream) {
    const hasSound = stream.getAudioTracks().length > 0;
    const kind = !stream.getVideoTracks().length ? "sound" : hasSound ? "picture" : "silent";
    return types[kind].find((type) => MediaRecorder.isTypeSupported(type));
}

function makeRecorder(stream) {
    const [picture] = stream.getVideoTracks();
    const { width = 1280, height = 720, frameRate = 30 } = picture?.getSettings() ?? {};
    const rate = Math.round(Math.min(20e6, Math.max(1e6, width * height * frameRate * richness)));
    return new MediaRecorder(stream, {
        mimeType: formatOf(stream), audioBitsPerSecond: soundRate, videoBitsPerSecond: rate, videoKeyFrameIntervalDuration: fragment,
    });
}

/** Says what is wrong with a device, and what to do. */
function words(error, { video }) {
    const known = ["NotAllowedError", "NotFoundError", "NotReadableError", "OverconstrainedError"];
    const name = known.includes(error.name) ? error.name : null;
    if (!name) return t("record.failed", { message: error.message });
    return t(`record.${name}${video === "screen" && name === "NotAllowedError" ? ".screen" : ""}`);
}
