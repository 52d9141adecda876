import { address, getPicture } from "../core/protocol.js";
import { Lazy } from "./lazy.js";
import { sourceTime } from "./rows.js";

/** Thumbnails of the sources, side by side in their clips. */
export class Thumbs {
    /** Aspect ratios by file. */
    #shapes = new Map();
    #last = new Map();

    constructor(arrived) {
        this.height = devicePixelRatio > 1 ? 108 : 54;
        this.pictures = new Lazy({
            most: 400, atOnce: 1, arrived, drop: (picture) => picture.close(),
            fetch: async (key, { file, at }) => {
                const picture = await getPicture(address("/thumb", { file, at, height: this.height }));
                this.#shapes.set(file, picture.width / picture.height);
                this.#last.set(file, key);
                return picture;
            },
        });
    }

    /** Draws an item's thumbnails into a rectangle, of which the part between `from` and `to` is
     * visible.
     * @param {number} scale pixels per frame
     * @param {number} rate frames per second */
    draw(context, item, { x, y, width, height, from, to }, scale, rate) {
        const step = Math.max(24, height * (this.#shapes.get(item.file) ?? 16 / 9));
        const first = Math.max(0, Math.floor((from - x) / step));
        const speed = item.source_duration ? (item.source_duration * rate) / item.frames : 0;
        // Times in the source are on a coarse grid, which is the same at similar zoom levels.
        const grid = 2 ** Math.floor(Math.log2(Math.max(0.05, (step / scale / rate) * Math.max(speed, 0.01))));
        for (let index = first; x + index * step < Math.min(to, x + width); index += 1) {
            const left = x + index * step;
            const time = speed ? sourceTime(item, item.start_frame + (left - x) / scale) : 0;
            const at = Math.max(0, Math.floor(time / grid) * grid);
            const key = `${item.file}\n${at}`;
            const picture = this.pictures.get(key, { file: item.file, at }) ?? this.pictures.get(this.#last.get(item.file));
            const shown = Math.min(step, x + width - left);
            if (picture) context.drawImage(picture, 0, 0, (picture.width * shown) / step, picture.height, left, y, shown, height);
        }
    }
}
