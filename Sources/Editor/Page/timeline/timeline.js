import { find, h, nextPicture } from "../core/dom.js";
import { Emitter } from "../core/emitter.js";
import { t } from "../core/texts.js";
import { Objects } from "./objects.js";
import { Painter } from "./painter.js";
import { Pointers } from "./pointers.js";
import { framesWhere } from "./ranges.js";
import { edits, itemAt, rows } from "./rows.js";
import { paintRuler } from "./ruler.js";
import { onThemeChange, theme } from "./theme.js";
import { Thumbs } from "./thumbs.js";
import { Viewport } from "./viewport.js";
import { Waves } from "./waves.js";

/** The timeline: rows of objects below a ruler. Only the visible part is drawn.
 *
 * Events: `selected` (the item or null), `opened` (an item to open in the script). */
export class Timeline extends Emitter {
    selected = null;
    #rows = [];
    #edits = [];
    #ready = [];
    #failed = [];
    #theme = theme();
    /** The last drawn position of the playhead, in visible pixels. */
    #headX = 0;

    constructor(root, { player, session }) {
        super();
        Object.assign(this, { root, player, session });
        this.scroller = find(".scroller", root);
        this.canvas = find(".sheet canvas", root);
        this.rulerCanvas = find(".ruler canvas", root);
        this.head = find(".playhead", root);
        this.heads = find(".heads div", root);
        this.slider = find(".ruler", root);
        this.draw = nextPicture(() => this.#draw());
        this.viewport = new Viewport(this.scroller, find(".sheet", root), () => {
            this.draw();
            this.#moveHead();
        });
        this.painter = new Painter(new Thumbs(this.draw), new Waves(this.draw));
        this.objects = new Objects(find(".objects", root), {
            chosen: (item) => this.select(item, true),
            opened: (item) => this.emit("opened", item),
            describe: (item) => this.describe(item),
        });
        this.pointers = new Pointers(this, player);
        this.#listen();
    }

    get clock() { return this.session.clock; }
    get rows() { return this.#rows; }

    // MARK: What it shows

    #load(state) {
        const { rows: found, height } = rows(state.tracks);
        this.#rows = found;
        const frames = state.draft?.frames ?? 0;
        this.#edits = edits(found, frames);
        find(".sheet", this.root).style.height = `${height}px`;
        this.heads.replaceChildren(...found.map((row) => {
            const head = h("div", { class: "head", textContent: row.name, title: row.name });
            head.style.top = `${row.y}px`;
            head.style.height = `${row.height}px`;
            return head;
        }));
        this.objects.load(found);
        this.viewport.setFrames(frames);
        this.slider.setAttribute("aria-valuemax", String(Math.max(0, frames - 1)));
        const again = this.selected && found.flatMap((row) => [...row.items, ...row.mixes]).find(({ id }) => id === this.selected.id);
        this.select(again ?? null);
        this.#readiness();
    }

    #readiness() {
        const { session, clock } = this;
        if (!session.state) return;
        this.#ready = framesWhere(session.state, clock, (key) => session.ready.has(key));
        this.#failed = framesWhere(session.state, clock, (key) => session.failed.has(key));
        this.draw();
    }

    describe(item) {
        const { clock } = this;
        return t("timeline.object", {
            kind: t(`kind.${item.kind}`), label: item.label, start: clock.timecode(item.start_frame),
            end: clock.timecode(item.start_frame + item.frames),
        });
    }

    select(item, isRevealed = false) {
        this.selected = item;
        if (item && isRevealed) this.viewport.reveal(item.start_frame + Math.min(item.frames / 2, this.viewport.width / this.viewport.scale / 2));
        this.objects.select(item?.id);
        this.emit("selected", item);
        this.draw();
    }

    /** Returns the object at a position in the scroller, in pixels. */
    hit(x, y) {
        const top = y + this.scroller.scrollTop;
        const row = this.#rows.find((each) => top >= each.y && top < each.y + each.height);
        return row ? itemAt(row, this.viewport.frame(x), 2 / this.viewport.scale) : null;
    }

    editBefore(frame) { return this.#edits.findLast((place) => place < frame) ?? 0; }
    editAfter(frame) { return this.#edits.find((place) => place > frame) ?? frame; }

    /** Zooms around the playhead if it is visible, else around the middle. */
    zoom(factor) {
        const x = this.viewport.x(this.player.frame);
        this.viewport.zoom(factor, x >= 0 && x <= this.viewport.width ? x : this.viewport.width / 2);
    }

    fit() { this.viewport.fit(); }

    // MARK: What happens

    #listen() {
        const { player, session } = this;
        session.on("state", (state) => this.#load(state));
        const readiness = nextPicture(() => this.#readiness());
        for (const name of ["ready", "failed"]) session.on(name, readiness);
        player.on("changed", this.draw);
        player.on("marks", this.draw);
        player.on("frame", (frame) => {
            this.#follow(frame);
            this.#moveHead();
            this.slider.setAttribute("aria-valuenow", String(frame));
            this.slider.setAttribute("aria-valuetext", this.clock.timecode(frame));
        });
        this.scroller.addEventListener("scroll", () => {
            this.heads.style.transform = `translateY(${-this.scroller.scrollTop}px)`;
            this.viewport.follow();
        });
        new ResizeObserver(() => this.viewport.resize()).observe(this.scroller);
        onThemeChange(() => {
            this.#theme = theme();
            this.draw();
        });
        find("[data-act=zoom-in]", this.root).addEventListener("click", () => this.zoom(1.5));
        find("[data-act=zoom-out]", this.root).addEventListener("click", () => this.zoom(1 / 1.5));
        find("[data-act=fit]", this.root).addEventListener("click", () => this.fit());
    }

    /** Scrolls by a page when the playhead leaves the visible part. */
    #follow(frame) {
        const x = this.viewport.x(frame);
        if (this.pointers.isDragging) return;
        const isPlaying = this.player.isPlaying;
        if (x >= 0 && x <= this.viewport.width - 4) return;
        // Don't auto-scroll if the user has scrolled away.
        const wasSeen = this.#headX >= 0 && this.#headX <= this.viewport.width;
        if (!isPlaying || wasSeen) this.viewport.reveal(frame, isPlaying && !this.player.isBackward);
    }

    #moveHead() {
        const { frame } = this.player;
        const x = this.viewport.x(frame);
        this.#headX = x;
        this.head.hidden = x < -1 || x > this.viewport.width;
        this.head.style.transform = `translateX(${Math.round(x)}px)`;
    }

    // MARK: Drawing

    #draw() {
        const { viewport, player, clock } = this;
        const frames = this.session.state?.draft?.frames ?? 0;
        const shared = { viewport, clock, theme: this.#theme, marks: player.marks, frames };
        const sheet = this.#prepared(this.canvas, this.scroller);
        this.painter.paint({ ...shared, ...sheet, top: this.scroller.scrollTop, rows: this.#rows, selected: this.selected?.id });
        const ruler = this.#prepared(this.rulerCanvas, this.slider);
        const buffered = player.feed.ranges.map(([from, to]) => [from * clock.rate, to * clock.rate]);
        paintRuler({ ...shared, ...ruler, ready: this.#ready, failed: this.#failed, buffered });
    }

    /** Resizes a canvas to its element, in screen pixels. */
    #prepared(canvas, element) {
        const [width, height] = [element.clientWidth, element.clientHeight];
        const ratio = devicePixelRatio;
        const [across, down] = [Math.round(width * ratio), Math.round(height * ratio)];
        if (canvas.width !== across || canvas.height !== down) {
            canvas.width = across;
            canvas.height = down;
            canvas.style.width = `${width}px`;
            canvas.style.height = `${height}px`;
        }
        const context = canvas.getContext("2d", { alpha: false });
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        return { context, width, height };
    }
}
