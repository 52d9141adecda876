import { address, getJSON } from "../core/protocol.js";
import { Lazy } from "./lazy.js";

/** The points of a piece of a waveform. */
const points = 1024;

/** The width of a waveform's bar, in pixels. */
const bar = 2;

/** Waveforms of the sources. A waveform is fetched in pieces, with the resolution that the zoom
 * level needs. */
export class Waves {
    constructor(arrived) {
        this.pieces = new Lazy({
            most: 200, atOnce: 1, arrived,
            fetch: (_, { file, index, density }) => getJSON(address("/wave", {
                file, start: (index * points) / density, duration: points / density, points,
            })),
        });
    }

    /** Draws an item's waveform into a rectangle, of which the part between `from` and `to` is
     * visible. */
    draw(context, item, { x, y, width, height: room, from, to }) {
        const length = item.source_duration ?? 0;
        if (!(length > 0) || width < 4) return;
        const perPixel = (length / width) * bar;
        const density = 2 ** Math.min(9, Math.max(-3, Math.ceil(Math.log2(1 / perPixel))));
        const middle = y + room / 2;
        const [first, last] = [Math.max(Math.floor(from), Math.floor(x)), Math.min(to, x + width) - 1];
        for (let column = first; column < last; column += bar) {
            const share = Math.max(0, (column - x) / width);
            const time = (item.source_start ?? 0) + (item.speed < 0 ? 1 - share : share) * length;
            const [low, high] = this.#extent(item.file, Math.max(0, time), perPixel, density);
            if (high < low) continue;
            const top = Math.round(middle - high * (room / 2));
            context.fillRect(column, top, bar, Math.max(1, Math.round(middle - low * (room / 2)) - top));
        }
    }

    /** Returns the lowest and the highest sample around a time; at a coarser resolution while the
     * right piece is being fetched. */
    #extent(file, time, perPixel, density) {
        for (const [level, isWished] of [[density, true], [density / 2, false], [density * 2, false], [density / 4, false]]) {
            const place = Math.floor(time * level);
            const index = Math.floor(place / points);
            const piece = this.pieces.get(`${file}\n${level}\n${index}`, isWished ? { file, index, density: level } : null);
            if (!piece) continue;
            const start = place - index * points;
            const end = Math.min(piece.maximum.length, start + Math.max(1, Math.round(perPixel * level)));
            let [low, high] = [0, 0];
            for (let point = start; point < end; point += 1) {
                if (piece.minimum[point] < low) low = piece.minimum[point];
                if (piece.maximum[point] > high) high = piece.maximum[point];
            }
            return [-height(-low), height(high)];
        }
        return [0, -1];
    }
}

/** Returns the drawn height of a sample; quiet samples are visible, too. */
function height(sample) {
    return Math.min(1, Math.max(0, sample)) ** 0.6;
}
