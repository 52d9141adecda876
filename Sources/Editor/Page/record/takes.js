import { h } from "../core/dom.js";
import { icon } from "../core/icons.js";
import { address, getJSON } from "../core/protocol.js";
import { shortTime } from "../core/clock.js";
import { t } from "../core/texts.js";

/** The list of takes, each with buttons to discard it and to record it again. */
export class Takes {
    /** @param session the server's: it makes thumbnails when the draft is good.
     * @param {{ discard: (take: number) => void, again: (take: number) => void }} acts */
    constructor(session, acts) {
        Object.assign(this, { session, acts });
        this.list = h("ul", { class: "takes" });
        this.empty = h("p", { class: "quiet", textContent: t("record.none") });
        session.on("state", () => this.#fill());
    }

    show({ takes }, mayChange) {
        const old = new Map([...this.list.children].map((entry) => [entry.dataset.key, entry]));
        this.list.replaceChildren(...takes.map((take) => old.get(JSON.stringify(take)) ?? this.#entry(take)));
        for (const button of this.list.querySelectorAll("button")) button.disabled = !mayChange;
        this.empty.hidden = takes.length > 0;
        this.#fill();
    }

    /** Requests the thumbnails that are missing. */
    #fill() {
        if (!this.session.state?.good_revision) return;
        for (const picture of this.list.querySelectorAll("img:not([data-asked])")) {
            picture.dataset.asked = "true";
            this.#load(picture, picture.closest("li").dataset.file);
        }
    }

    async #load(picture, file) {
        try {
            // A take of sound alone has no picture.
            const { video } = await getJSON(address("/api/probe", { file }));
            if (video) picture.src = address("/thumb", { file, at: 0.1, height: 54 });
            else picture.classList.add("sound");
        } catch {
            delete picture.dataset.asked;
        }
    }

    #entry(take) {
        const name = t("record.take", { take: take.take });
        const picture = h("img", { class: "thumb", alt: "", width: 80, height: 45, onerror: () => picture.removeAttribute("src") });
        const button = (act, symbol) => h("button", {
            type: "button", class: "tool", title: t(`record.${act}.hint`), "aria-label": t(`record.${act}Of`, { name }), onclick: () => this.acts[act](take.take),
        }, icon(symbol));
        const about = [shortTime(take.duration, 1), take.speed !== 1 && t("transport.times", { rate: take.speed })].filter(Boolean).join(" · ");
        return h("li", { class: "row", dataset: { key: JSON.stringify(take), take: take.take, file: take.file } }, picture,
            h("span", { class: "text" }, h("span", { class: "name", textContent: name }), h("span", { class: "about", textContent: about })),
            button("again", "record"), button("discard", "close"));
    }
}
