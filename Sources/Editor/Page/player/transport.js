import { find, h } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { t } from "../core/texts.js";
import { announce, notify } from "../core/announce.js";
import { rates } from "./player.js";

/** The controls below the picture. */
export class Transport {
    constructor(root, { player, viewer, session }) {
        Object.assign(this, { root, player, viewer, session });
        this.#build();
        this.#listen();
    }

    #build() {
        const { player } = this;
        const button = (name, act, more = {}) => h("button", {
            type: "button", class: "tool", title: t(`transport.${name}.hint`), "aria-label": t(`transport.${name}`), onclick: act, ...more,
        }, icon(more.dataset?.icon ?? name));
        this.playButton = button("play", () => player.toggle(), { class: "tool main" });
        this.repeatButton = button("loop", () => this.toggleRepeat(), { "aria-pressed": "false" });
        this.muteButton = button("sound", () => player.toggleMute());
        this.time = h("input", {
            class: "time", type: "text", inputMode: "numeric", autocomplete: "off", spellcheck: false, value: "00:00:00:00",
            "aria-label": t("transport.time"), title: t("transport.time.hint"),
            onchange: () => this.#go(), onkeydown: (event) => this.#typed(event), onfocus: () => this.time.select(),
        });
        this.length = h("span", { class: "length" });
        const named = (name) => ({ "aria-label": t(name), title: t(name) });
        this.rate = h("select", { ...named("transport.rate"), onchange: () => player.setRate(Number(this.rate.value)) },
            rates.map((rate) => h("option", { value: rate, textContent: t("transport.times", { rate }), selected: rate === 1 })));
        this.volume = h("input", {
            type: "range", min: 0, max: 1, step: 0.05, value: 1, class: "volume", "aria-label": t("transport.volume"),
            oninput: () => player.setVolume(Number(this.volume.value)),
        });
        this.scaling = h("select", { ...named("transport.scaling"), onchange: () => this.viewer.setScaling(this.scaling.value) },
            ["fit", "actual", "fill"].map((value) => h("option", { value, textContent: t(`transport.scaling.${value}`) })));
        this.root.append(
            h("div", { class: "group" },
                button("first", () => player.seek(player.marks.start)),
                button("previous", () => player.step(-1)),
                this.playButton,
                button("next", () => player.step(1)),
                button("last", () => player.seek(player.marks.end - 1))),
            h("div", { class: "group clock" }, this.time, h("span", { class: "slash", "aria-hidden": "true", textContent: "/" }), this.length),
            h("div", { class: "group" },
                button("markIn", () => this.mark("in")),
                button("markOut", () => this.mark("out")),
                this.repeatButton),
            h("div", { class: "group end" },
                this.rate, this.muteButton, this.volume, this.scaling,
                button("full", () => this.toggleFullScreen())));
    }

    #listen() {
        const { player, session } = this;
        player.on("frame", (frame) => {
            this.time.dataset.frame = frame;
            if (document.activeElement !== this.time || player.isPlaying) this.time.value = session.clock.timecode(frame);
        });
        player.on("playing", (isPlaying) => {
            const name = isPlaying ? "pause" : "play";
            this.playButton.replaceChildren(icon(name));
            this.playButton.setAttribute("aria-label", t(`transport.${name}`));
            this.playButton.title = t(`transport.${name}.hint`);
            announce(isPlaying ? t("said.playing") : t("said.paused", { time: session.clock.timecode(player.frame) }));
        });
        player.on("rate", (rate) => { this.rate.value = String(rate); });
        player.on("marks", () => this.repeatButton.setAttribute("aria-pressed", String(player.marks.repeats)));
        player.on("volume", () => {
            const isMute = player.video.muted;
            this.volume.value = String(isMute ? 0 : player.video.volume);
            this.muteButton.replaceChildren(icon(isMute ? "mute" : "sound"));
            this.muteButton.setAttribute("aria-label", t(isMute ? "transport.unmute" : "transport.sound"));
        });
        session.on("state", ({ draft }) => {
            this.length.textContent = session.clock.timecode(draft?.frames ?? 0);
            this.time.value = session.clock.timecode(player.frame);
        });
    }

    mark(kind) {
        const { player, session } = this;
        player.setMark(kind);
        if (kind === "clear") return notify(t("said.cleared"));
        announce(t(`said.${kind}`, { time: session.clock.timecode(player.frame) }));
    }

    toggleRepeat() {
        this.player.toggleRepeat();
        announce(t(this.player.marks.repeats ? "said.repeats" : "said.repeatsNot"));
    }

    async toggleFullScreen() {
        if (document.fullscreenElement) return document.exitFullscreen();
        try {
            await find("#player").requestFullscreen();
        } catch {
            notify(t("said.noFullScreen"));
        }
    }

    #go() {
        const frame = this.session.clock.parse(this.time.value);
        if (frame === null) notify(t("said.noTime", { text: this.time.value }));
        else this.player.seek(frame);
        this.time.value = this.session.clock.timecode(this.player.frame);
    }

    #typed(event) {
        if (event.key === "Enter") this.time.blur();
        if (event.key !== "Escape") return;
        this.time.value = this.session.clock.timecode(this.player.frame);
        this.time.blur();
        event.stopPropagation();
    }
}
