import { find } from "./core/dom.js";
import { alarm, announce, notify } from "./core/announce.js";
import { post } from "./core/protocol.js";
import { t } from "./core/texts.js";

/** The line at the top: the script, its activity, and how much is rendered. */
export class Status {
    #progress = null;
    #isLost = false;
    #said = "";

    constructor({ session, player }) {
        Object.assign(this, { session, player });
        this.line = find("#status");
        this.banner = find("#lost");
        this.stop = find("#stop");
        this.stop.addEventListener("click", () => this.#stopScript());
        session.on("state", (state, old) => this.#take(state, old));
        session.on("loading", () => this.#show());
        session.on("progress", (message) => {
            this.#progress = message;
            this.#show();
        });
        session.on("ready", () => this.#show());
        session.on("connected", (isThere) => this.#connected(isThere));
        session.on("refused", () => { this.banner.textContent = t("connection.refused"); });
        player.feed.on("unsupported", () => notify(t("said.unsupported")));
        player.on("waiting", (isWaiting) => { if (isWaiting) announce(t("said.waiting")); });
    }

    /** Reports a picture that cannot be rendered, once for each reason. */
    tellOfPicture(message) {
        if (message !== this.#said) notify(message);
        this.#said = message;
    }

    #take(state, old) {
        this.#said = "";
        const { draft } = state;
        find("#script").textContent = state.script;
        find("#script").title = state.path ?? state.script;
        document.title = `${state.script} – Cutroom`;
        find("#facts").textContent = draft
            ? t("status.facts", { width: draft.width, height: draft.height, rate: Number(this.session.clock.rate.toFixed(3)) }) : "";
        if (old && state.status === "ready" && state.revision !== old.revision) announce(t("status.changed"));
        this.#show();
    }

    #show() {
        const { session } = this;
        const { state } = session;
        if (!state) return;
        const kind = session.isLoading ? "loading" : state.status;
        document.body.dataset.status = kind;
        this.stop.hidden = kind !== "loading";
        this.line.textContent = kind === "ready" ? this.#rendered() : t(`status.${kind}`);
    }

    async #stopScript() {
        try {
            await post("/api/stop");
        } catch (error) {
            notify(error.message);
        }
    }

    #rendered() {
        const { state, ready } = this.session;
        const pieces = [...(state.parts ?? []), ...(state.sound?.pieces ?? [])];
        const missing = pieces.filter(({ key }) => !ready.has(key)).length;
        if (!missing) return t("status.rendered");
        const share = Math.floor((1 - missing / pieces.length) * 100);
        const rate = this.#progress?.rate;
        return rate ? t("status.renderingAt", { value: share, rate: Math.round(rate) }) : t("status.rendering", { value: share });
    }

    #connected(isThere) {
        this.banner.hidden = isThere;
        if (!isThere && !this.#isLost) alarm(t("connection.ended"));
        if (isThere && this.#isLost) announce(t("connection.back"));
        this.#isLost = !isThere;
    }
}
