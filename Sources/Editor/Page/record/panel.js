import { announce } from "../core/announce.js";
import { shortTime } from "../core/clock.js";
import { h } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { t } from "../core/texts.js";
import { BrowserRecorder } from "./browser.js";
import { keep, kept } from "./kept.js";
import { RecordLink } from "./link.js";
import { Prompter } from "./prompter.js";
import { Takes } from "./takes.js";

/** Seconds of the countdown. */
const countdown = 3;
const speeds = [0.5, 0.75, 1, 1.5, 2];

/** The Record tab: sources, preview, takes. */
export class Recorder {
    #state = { phase: "idle", takes: [], discarded: [], total: 0, take: null };
    #hello = null;
    #progress = null;
    /** What `start` gets as soon as the sources are ready; null: nothing is to be started. */
    #wish = null;
    /** The seconds that are still to be counted; 0: nothing is counted. */
    #count = 0;
    #timer = 0;
    #metering = 0;

    constructor(root, { session, player, stage }) {
        Object.assign(this, { root, session, player });
        this.link = new RecordLink();
        this.browser = new BrowserRecorder(this.link);
        this.prompter = new Prompter(stage);
        this.takes = new Takes(session, { discard: (take) => this.#send({ command: "discard", take }), again: (take) => this.#begin({ replace: take }) });
        this.#build();
        this.link.on("message", (message) => this.#receive(message));
        this.link.on("connected", (isThere) => { if (!isThere) this.#reset(); });
        this.browser.on("stream", (stream) => this.#preview(stream));
        addEventListener("beforeunload", (event) => { if (this.#isTaking) event.preventDefault(); });
        this.#show();
    }

    /** Connects when the tab is shown for the first time. */
    open() {
        this.link.connect();
        this.#show();
    }

    // MARK: Acts

    /** Starts a take, or finishes it. */
    toggle() {
        if (this.#count) return this.#stopCounting();
        if (this.#isTaking) this.#send({ command: "finish" });
        else if (!this.#wish) this.#begin({});
    }

    /** Pauses the take, or continues it. */
    pause() {
        if (this.#count) return this.#stopCounting();
        if (this.#state.phase === "recording") this.#send({ command: "pause" });
        else if (this.#state.phase === "paused") this.#begin(null);
    }

    discardLast() { this.#send({ command: "discard", take: "last" }); }

    undo() { this.#send({ command: "undo" }); }

    get #isTaking() { return ["recording", "pausing", "paused"].includes(this.#state.phase); }

    /** Starts a take when the sources are ready and the countdown is over.
     * @param options of the take; null: the paused take continues. */
    #begin(options) {
        this.#wish = { command: "start", ...(options && { speed: Number(this.speed.value), ...options }) };
        if (["idle", "closed"].includes(this.#state.phase)) this.#openSources();
        else this.#goOn();
    }

    #openSources() {
        const [place, picture] = this.picture.value.split(":");
        const isSilent = this.sound.value === "off";
        this.#tell("");
        if (place === "machine") {
            const audio = isSilent ? [] : [picture === "test" ? "test" : "default"];
            return this.#send({ command: "open", devices: { video: picture, audio } });
        }
        const id = (select) => select.selectedOptions[0]?.dataset.device;
        this.browser.prepare({ video: picture, audio: !isSilent, camera: id(this.picture), microphone: id(this.sound) });
        this.#send({ command: "open", browser: { video: picture, audio: !isSilent } });
    }

    #send(message) {
        try {
            this.link.send(message);
        } catch (error) {
            this.#wish = null;
            this.#tell(error.message);
        }
    }

    /** Does what was asked for before the sources were ready. */
    #goOn() {
        if (!this.#wish || this.#count || !["ready", "paused"].includes(this.#state.phase)) return this.#show();
        this.player.pause();
        if (!this.counts.checked) return this.#start();
        this.#count = countdown;
        this.#tick();
    }

    #tick() {
        this.#show();
        announce(String(this.#count));
        this.#timer = setTimeout(() => {
            this.#count -= 1;
            if (this.#count) this.#tick();
            else this.#start();
        }, 1000);
    }

    #stopCounting() {
        clearTimeout(this.#timer);
        this.#count = 0;
        this.#wish = null;
        this.#show();
    }

    #start() {
        const wish = this.#wish;
        this.#wish = null;
        this.#tell("");
        if (wish) this.#send(wish);
        this.#show();
    }

    // MARK: Messages

    #receive(message) {
        if (message.recorder) return this.browser.take(message);
        switch (message.event) {
            case "hello":
                this.#hello = message;
                this.#fillPictures();
                break;
            case "state":
                this.#state = message;
                if (message.phase !== "recording") this.#progress = null;
                return this.#goOn();
            case "progress":
                this.#progress = message;
                break;
            case "started":
                announce(t("record.started", { take: message.take }));
                break;
            case "finished":
            case "recovered":
                announce(t(`record.${message.event}`, { take: message.take }));
                break;
            case "paused":
                announce(t("record.paused"));
                break;
            case "limit":
                this.#tell(t(`record.limit.${message.limit}`));
                break;
            case "device-lost":
            case "failed":
            case "refused":
            case "warning":
                if (message.event !== "warning") {
                    this.#stopCounting();
                    this.browser.abandon();
                }
                this.#tell(message.message);
                break;
        }
        this.#show();
    }

    /** The connection is gone, and the recording with it. */
    #reset() {
        this.#stopCounting();
        this.#state = { ...this.#state, phase: "idle", take: null, discarded: [] };
        this.#show();
    }

    #tell(words) {
        this.error.textContent = words;
        this.error.hidden = !words;
    }

    // MARK: The view

    #build() {
        const field = (key, input) => h("div", { class: "field" }, h("label", { for: input.id, textContent: t(key) }), input);
        const reopen = () => {
            keep("picture", this.picture.value);
            keep("sound", this.sound.value);
            if (["ready", "opening"].includes(this.#state.phase)) this.#openSources();
            this.#show();
        };
        this.place = h("p", { class: "quiet" });
        this.insecure = h("p", { class: "help warning", textContent: t("record.insecure", { host: location.hostname, port: location.port }), hidden: BrowserRecorder.isAllowed });
        this.picture = h("select", { id: "record-picture", onchange: reopen });
        this.sound = h("select", { id: "record-sound", onchange: reopen });
        this.video = h("video", { muted: true, playsInline: true, autoplay: true, "aria-label": t("record.preview") });
        this.number = h("p", { class: "count", "aria-hidden": "true", hidden: true });
        this.screen = h("div", { class: "viewfinder" }, this.video, this.number);
        this.meter = h("div", { class: "meter", role: "meter", "aria-label": t("record.level"), "aria-valuemin": -60, "aria-valuemax": 0, "aria-valuenow": -60 }, h("div"));
        this.record = h("button", { type: "button", class: "primary", onclick: () => this.toggle() });
        this.hold = h("button", { type: "button", onclick: () => this.pause(), title: t("record.pause.hint") });
        this.off = h("button", { type: "button", onclick: () => this.#send({ command: "close" }), textContent: t("record.off"), title: t("record.off.hint") });
        this.clock = h("p", { class: "times" });
        this.error = h("p", { class: "error", role: "alert", hidden: true });
        this.counts = h("input", {
            id: "record-counts", type: "checkbox", class: "switch", checked: kept("counts", "true") === "true", onchange: () => keep("counts", this.counts.checked),
        });
        this.speed = h("select", { id: "record-speed" }, speeds.map((rate) => h("option", { value: rate, textContent: t("transport.times", { rate }), selected: rate === 1 })));
        this.restore = h("button", { type: "button", textContent: t("record.undo"), title: t("record.undo.hint"), onclick: () => this.undo() });
        this.root.append(
            this.place, this.insecure,
            h("div", { class: "columns" }, field("record.picture", this.picture), field("record.sound", this.sound)),
            this.screen, this.meter, this.clock,
            h("div", { class: "bar" }, this.record, this.hold, this.off), this.error,
            h("div", { class: "row" },
                h("div", { class: "field check" }, this.counts, h("label", { for: "record-counts", textContent: t("record.counts") })),
                h("div", { class: "field check" }, h("label", { for: "record-speed", textContent: t("record.speed") }), this.speed)),
            this.prompter.element,
            h("div", { class: "row" }, h("h2", { textContent: t("record.takes") }), this.restore),
            this.takes.list, this.takes.empty);
        this.#fillSounds([]);
        this.#fillPictures();
    }

    #fillPictures(cameras = this.cameras ?? []) {
        this.cameras = cameras;
        const option = (value, words, device) => h("option", { value, textContent: words, ...(device ? { dataset: { device } } : {}) });
        const named = cameras.map(({ deviceId, label }) => option(`browser:camera:${deviceId}`, label, deviceId));
        const own = [
            ...(named.length ? named : [option("browser:camera", t("record.camera"))]),
            ...(navigator.mediaDevices?.getDisplayMedia ? [option("browser:screen", t("record.screen"))] : []),
        ];
        const machine = ["screen", "test"].map((name) => option(`machine:${name}`, t(`record.machine.${name}`)));
        const before = this.picture.value || kept("picture", "");
        this.picture.replaceChildren(
            h("optgroup", { label: t("record.browser"), disabled: !BrowserRecorder.isAllowed }, own),
            ...(this.#hello?.devices ? [h("optgroup", { label: t("record.machine") }, machine)] : []));
        choose(this.picture, before);
        this.#show();
    }

    #fillSounds(microphones) {
        const before = this.sound.value || kept("sound", "");
        const named = microphones.map(({ deviceId, label }) => h("option", { value: `on:${deviceId}`, textContent: label, dataset: { device: deviceId } }));
        this.sound.replaceChildren(
            ...(named.length ? named : [h("option", { value: "on", textContent: t("record.microphone") })]),
            h("option", { value: "off", textContent: t("record.noSound") }));
        choose(this.sound, before);
    }

    async #preview(stream) {
        this.video.srcObject = stream;
        // Like a mirror: a camera shows its user.
        this.video.classList.toggle("mirrored", this.browser.wanted.video === "camera");
        clearInterval(this.#metering);
        if (stream) this.#metering = setInterval(() => this.#measure(this.browser.level.measure()), 100);
        this.#show();
        if (!stream) return;
        // Names are told only when devices may be used.
        const devices = (await navigator.mediaDevices.enumerateDevices()).filter(({ deviceId, label }) => deviceId && label);
        this.#fillPictures(devices.filter(({ kind }) => kind === "videoinput"));
        this.#fillSounds(devices.filter(({ kind }) => kind === "audioinput"));
    }

    #measure(level) {
        const value = Math.round(Math.max(-60, Math.min(0, level ?? -60)));
        this.meter.setAttribute("aria-valuenow", String(value));
        this.meter.setAttribute("aria-valuetext", t("record.decibels", { value }));
        this.meter.firstChild.style.transform = `scaleX(${(value + 60) / 60})`;
        this.meter.classList.toggle("loud", value >= -3);
    }

    #show() {
        const { phase, takes, discarded } = this.#state;
        const isOff = ["idle", "closed"].includes(phase);
        const isBusy = ["opening", "pausing", "finishing"].includes(phase) || (this.#wish !== null && !this.#count);
        if (this.#hello) {
            const name = this.#hello.draft.split("/").at(-1);
            this.place.textContent = t(this.#hello.isScript ? "record.beside" : "record.into", { name });
            this.place.title = this.#hello.draft;
        }
        const name = this.#count ? "cancel" : this.#isTaking ? "finish" : "record";
        this.record.replaceChildren(icon(name === "record" ? "record" : "stop"), t(`record.${name}`));
        this.record.title = t(`record.${name}.hint`);
        this.record.disabled = isBusy || !this.picture.value;
        this.hold.textContent = t(phase === "recording" ? "record.pause" : "record.continue");
        this.hold.disabled = isBusy || this.#count > 0;
        this.hold.hidden = !this.#isTaking;
        this.off.hidden = isOff || this.#isTaking;
        this.off.disabled = isBusy || this.#count > 0;
        for (const select of [this.picture, this.sound]) select.disabled = this.#isTaking || isBusy || this.#count > 0;
        this.number.hidden = !this.#count;
        this.number.textContent = String(this.#count || "");
        this.screen.hidden = !this.browser.stream && !this.#count;
        this.screen.dataset.phase = phase;
        this.video.hidden = !this.browser.stream?.getVideoTracks().length;
        const hasMeter = this.browser.stream ? this.browser.stream.getAudioTracks().length > 0 : phase === "recording";
        this.meter.hidden = !hasMeter;
        if (!this.browser.stream && this.#progress) this.#measure(this.#progress.level);
        this.#showTimes();
        this.restore.disabled = !discarded.length || this.#isTaking || isBusy;
        this.takes.show(this.#state, !this.#isTaking && !isBusy && !this.#count);
        this.prompter.take(this.#count ? "paused" : phase, !this.root.hidden && (this.#isTaking || this.#count > 0));
    }

    #showTimes() {
        const { phase, take, total } = this.#state;
        const progress = this.#progress;
        const parts = [];
        if (this.#isTaking) parts.push(t(phase === "recording" ? "record.now.recording" : "record.now.paused", { take, time: shortTime(progress?.duration ?? 0, 1) }));
        else if (phase === "opening" || phase === "finishing") parts.push(t(`record.now.${phase}`));
        parts.push(t("record.total", { time: shortTime(progress?.total ?? total, 1) }));
        if (progress?.free) parts.push(t("record.free", { value: Math.floor(progress.free / 1e9) }));
        this.clock.textContent = parts.join(" · ");
        this.clock.dataset.phase = phase;
    }
}

/** Whether one value names a device of the other. */
const isKin = (one, other) => other !== "" && (one.startsWith(other) || other.startsWith(one));

/** Selects a value, or else the first one that can be selected. */
function choose(select, value) {
    const options = [...select.options].filter((option) => !option.disabled && !option.closest("optgroup")?.disabled);
    const found = options.find((option) => option.value === value) ?? options.find((option) => isKin(option.value, value)) ?? options[0];
    if (found) select.value = found.value;
    else select.selectedIndex = -1;
}
