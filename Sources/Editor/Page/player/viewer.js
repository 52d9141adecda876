import { nextPicture, settled } from "../core/dom.js";
import { Still } from "./still.js";

/** The milliseconds that the playhead must rest before the exact picture is requested, if the
 * preview's is shown meanwhile. */
const rest = 120;

/** The picture on the page: its size, and whether the preview's frame or the exact one is shown.
 *
 * The stage's attributes say what is shown: `data-frame`, `data-picture` (`preview` or `exact`),
 * `data-revision` of the exact one, and an event `picture` with the first two. */
export class Viewer {
    scaling = "fit";
    #isLate = settled(350, () => { this.chip.hidden = !this.#isPoor; });

    constructor(stage, player, session, { failed }) {
        Object.assign(this, { stage, player, session });
        this.box = stage.querySelector(".picture");
        this.chip = stage.querySelector(".chip");
        this.still = new Still(stage.querySelector("canvas"), {
            arrived: ({ frame, revision }) => {
                stage.dataset.revision = revision;
                this.#tell(frame, "exact");
                this.#check();
            },
            failed: (error) => {
                if (error.status === 410 || error.status === 404) session.refresh();
                else failed(error.message);
            },
        });
        this.layOut = nextPicture(() => this.#layOut());
        new ResizeObserver(this.layOut).observe(stage);
        matchMedia("(resolution: 1dppx)").addEventListener("change", this.layOut);
        this.#listen();
    }

    setScaling(scaling) {
        this.scaling = scaling;
        this.stage.dataset.scaling = scaling;
        this.#layOut();
    }

    get draft() { return this.session.state?.draft; }

    #listen() {
        const { player, still } = this;
        player.on("frame", () => {
            if (!player.isPlaying) this.#askForStill(rest);
            this.#check();
        });
        player.on("playing", (isPlaying) => {
            if (isPlaying) still.cancel();
            else this.#askForStill();
            this.#check();
        });
        player.on("shown", (frame) => {
            if (still.isVisible && still.frame !== player.frame && (player.isPlaying || frame === player.frame)) still.hide();
            if (player.isPlaying && still.isVisible) still.hide();
            if (!still.isVisible) this.#tell(frame, "preview");
            this.#check();
        });
        player.on("waiting", () => this.#check());
        player.on("changed", () => this.#check());
        this.session.on("state", () => this.#load());
    }

    #load() {
        this.box.style.backgroundColor = this.draft?.background ?? "";
        this.box.hidden = !this.draft?.has_picture;
        this.#layOut();
        if (!this.draft?.has_picture) this.still.hide();
        if (!this.player.isPlaying) this.#askForStill();
    }

    /** @param {number} delay the milliseconds that the playhead must rest before, if the
     * preview's picture is shown */
    #askForStill(delay = 0) {
        const { session, player, still } = this;
        const { frame } = player;
        if (!this.draft?.has_picture) return;
        const part = session.state.parts.findLast((found) => found.first_frame <= frame);
        still.request({
            frame,
            revision: session.state.good_revision ?? session.state.revision,
            mark: part ? `${part.key}+${frame - part.first_frame}/${this.draft.width}` : `${session.state.revision}`,
            width: this.#width(),
            delay: player.feed.hasPicture(session.clock.middle(frame)) ? delay : 0,
        });
    }

    /** Returns the width in screen pixels if it is less than the picture's own. */
    #width() {
        const width = Math.ceil(this.draft.width * this.#scale * devicePixelRatio);
        return width > 0 && width < this.draft.width ? width : null;
    }

    // MARK: Size

    /** The page's pixels for a pixel of the draft. */
    get #scale() {
        const [across, down] = [this.stage.clientWidth / this.draft.width, this.stage.clientHeight / this.draft.height];
        return { fit: Math.min(across, down), fill: Math.max(across, down), actual: 1 / devicePixelRatio }[this.scaling];
    }

    #layOut() {
        if (!this.draft) return;
        this.box.style.width = `${this.draft.width * this.#scale}px`;
        this.box.style.height = `${this.draft.height * this.#scale}px`;
        if (!this.player.isPlaying && this.still.isVisible) this.#askForStill();
    }

    // MARK: What is seen

    #tell(frame, picture) {
        Object.assign(this.stage.dataset, { frame, picture });
        this.stage.dispatchEvent(new CustomEvent("picture", { detail: { frame, picture } }));
    }

    /** Whether the picture at the playhead is still missing. */
    get #isPoor() {
        const { player, still, session } = this;
        if (!this.draft?.has_picture || player.isPlaying) return player.isWaiting;
        return still.frame !== player.frame && !player.feed.hasPicture(session.clock.middle(player.frame));
    }

    /** Reports a missing picture if that lasts. */
    #check() {
        if (!this.#isPoor) {
            this.#isLate.cancel();
            this.chip.hidden = true;
        } else if (this.chip.hidden) this.#isLate();
    }
}
