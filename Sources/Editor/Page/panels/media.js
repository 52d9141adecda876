import { copy, h, settled } from "../core/dom.js";
import { shortTime } from "../core/clock.js";
import { notify } from "../core/announce.js";
import { address, getJSON } from "../core/protocol.js";
import { language, t } from "../core/texts.js";

const kinds = ["all", "video", "image", "sound"];
/** The number of files listed at first; the rest is shown on demand. */
const page = 60;

/** The media folders, newest files first, with thumbnails that are fetched when they become
 * visible. The files themselves are not fetched. A click copies the line that adds a file. */
export class Media {
    #files = [];
    #shown = page;
    #isLoaded = false;
    #kind = "all";

    constructor(root, { session }) {
        Object.assign(this, { root, session });
        this.search = h("input", {
            type: "search", placeholder: t("media.search"), "aria-label": t("media.search"), oninput: settled(100, () => this.#show()),
        });
        this.folder = h("select", { "aria-label": t("media.folder"), onchange: () => this.load() });
        this.filter = h("div", { class: "segments", role: "group", "aria-label": t("media.kind") }, kinds.map((kind) => h("button", {
            type: "button", textContent: t(`media.${kind}`), "aria-pressed": String(kind === "all"), dataset: { kind },
            onclick: () => this.#choose(kind),
        })));
        this.list = h("ul", { class: "media" });
        this.more = h("button", { type: "button", textContent: t("media.more"), onclick: () => { this.#shown += page; this.#show(); } });
        this.empty = h("p", { class: "quiet" });
        this.paths = h("datalist", { id: "media-paths" });
        root.append(h("div", { class: "bar" }, this.search, this.folder), this.filter, this.list, this.more, this.empty, this.paths);
        session.on("state", () => {
            if (this.#isLoaded && !root.hidden) this.load();
        });
    }

    /** Fetches the list if the panel is visible. */
    async load() {
        try {
            const { folders, files } = await getJSON(address("/api/media", { folder: this.folder.value || null }));
            this.#isLoaded = true;
            this.#files = files;
            this.paths.replaceChildren(...files.map(({ path }) => h("option", { value: path })));
            if (folders.length !== this.folder.options.length - 1) {
                const all = h("option", { value: "", textContent: t("media.allFolders") });
                const each = folders.map((value) => h("option", { value, textContent: value.split("/").at(-1), title: value }));
                this.folder.replaceChildren(all, ...each);
            }
            this.folder.hidden = folders.length < 2;
            this.#show();
        } catch (error) {
            this.empty.textContent = error.message;
        }
    }

    #choose(kind) {
        this.#kind = kind;
        for (const button of this.filter.children) button.setAttribute("aria-pressed", String(button.dataset.kind === kind));
        this.#show();
    }

    #show() {
        const words = this.search.value.trim().toLowerCase();
        const found = this.#files.filter(({ kind, name }) => (this.#kind === "all" || kind === this.#kind) && name.toLowerCase().includes(words));
        const old = new Map([...this.list.children].map((entry) => [entry.dataset.key, entry]));
        this.list.replaceChildren(...found.slice(0, this.#shown).map((file) => old.get(`${file.path} ${file.modified}`) ?? this.#entry(file)));
        this.more.hidden = found.length <= this.#shown;
        this.empty.textContent = found.length ? "" : t("media.empty");
    }

    #entry(file) {
        const picture = file.kind === "sound"
            ? h("span", { class: "thumb sound" })
            : h("img", {
                class: "thumb", loading: "lazy", alt: "", width: 80, height: 45, src: address("/thumb", { file: file.path, at: 0, height: 54 }),
                onerror: () => picture.removeAttribute("src"),
            });
        const about = h("span", { class: "about", textContent: `${t(`media.${file.kind}`)} · ${size(file.size)} · ${date(file.modified)}` });
        const facts = h("span", { class: "about" });
        const button = h("button", {
            type: "button", class: "file", title: t("media.hint"), onclick: () => this.#use(file),
            onfocus: () => this.#probe(file, facts), onpointerenter: () => this.#probe(file, facts),
        }, picture, h("span", { class: "text" }, h("span", { class: "name", textContent: file.name }), about, facts));
        return h("li", { dataset: { key: `${file.path} ${file.modified}` } }, button);
    }

    async #use(file) {
        const line = file.add ?? addingLine(file, this.session.state);
        notify((await copy(line)) ? t("said.copied", { text: line }) : line);
    }

    /** Shows the properties of a file when the pointer is over it. */
    async #probe(file, facts) {
        if (facts.dataset.asked) return;
        facts.dataset.asked = "true";
        try {
            facts.textContent = description(await getJSON(address("/api/probe", { file: file.path })));
        } catch (error) {
            facts.textContent = error.message;
        }
    }
}

/** Returns the script line that adds a file, with a path relative to the script's folder if the
 * file is below it. */
function addingLine(file, state) {
    const folder = state.path.slice(0, state.path.lastIndexOf("/") + 1);
    const path = file.path.startsWith(folder) ? file.path.slice(folder.length) : file.path;
    const call = { image: "add_image", sound: "add_audio" }[file.kind] ?? "add_clip";
    return `draft:${call}(${JSON.stringify(path)}${file.kind === "image" ? ", { duration = 3 }" : ""})`;
}

/** Formats the result of `probe` as a line. */
function description(probe) {
    if (probe.failure) return probe.failure;
    const seconds = number(probe.duration);
    const rate = number(probe.frame_rate ?? probe.fps);
    return [
        probe.width && `${probe.width}×${probe.height}`,
        rate && t("media.rate", { rate: Number(rate.toFixed(3)) }),
        seconds && shortTime(seconds, 1),
        probe.codec ?? probe.video_codec,
        probe.sample_rate && t("media.sound.rate", { rate: probe.sample_rate / 1000 }),
    ].filter(Boolean).join(" · ");
}

/** Parses a JSON number, or an exact fraction in a text: `30000/1001`, `5/2s`. */
function number(value) {
    if (typeof value === "number") return value;
    const [above, below = "1"] = String(value ?? "").replace("s", "").split("/");
    const found = Number(above) / Number(below);
    return Number.isFinite(found) ? found : 0;
}

const sizes = { notation: "compact", style: "unit", unit: "byte", unitDisplay: "narrow", maximumFractionDigits: 1 };
const size = (bytes) => new Intl.NumberFormat(language, sizes).format(bytes);
const date = (seconds) => new Date(seconds * 1000).toLocaleDateString(language, { dateStyle: "medium" });
