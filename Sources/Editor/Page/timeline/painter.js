import { itemsBetween } from "./rows.js";

/** The space for an item's name above its pictures. */
const strip = 16;

/** Draws the visible rows. */
export class Painter {
    constructor(thumbs, waves) {
        Object.assign(this, { thumbs, waves });
    }

    /** @param {{ context, width, height, top, viewport, clock, theme, rows, selected, marks,
     * frames }} view `top`: the vertical scroll offset in pixels */
    paint(view) {
        const { context, width, height, top, viewport, theme, rows } = view;
        context.fillStyle = theme.sheet;
        context.fillRect(0, 0, width, height);
        // The place of the selected object, whose outline is drawn over its neighbours.
        this.outline = null;
        const [from, to] = [viewport.frame(0), viewport.frame(width)];
        for (const row of rows) {
            const y = row.y - top;
            if (y + row.height < 0 || y > height) continue;
            context.fillStyle = theme.row;
            context.fillRect(0, y, width, row.height);
            for (const item of itemsBetween(row, from, to)) this.#item(view, row, item, y);
            for (const mix of row.mixes) this.#mix(view, row, mix, y);
        }
        this.#shade(view);
        if (this.outline) this.#outline(context, theme, ...this.outline);
    }

    #item(view, row, item, y) {
        const { context, width, viewport, theme, selected } = view;
        const x = viewport.x(item.start_frame);
        const length = Math.max(1, item.frames * viewport.scale - 1);
        const [left, right] = [Math.max(-2, x), Math.min(width + 2, x + length)];
        const color = theme.kinds[item.kind] ?? theme.kinds.clip;
        context.fillStyle = color.fill;
        context.fillRect(left, y, Math.max(1, right - left), row.height);
        if (length >= 14 && row.height > 30) this.#content(view, item, color, { x, y, width: length, height: row.height, from: left, to: right });
        if (length >= 26) {
            context.save();
            context.beginPath();
            context.rect(left, y, right - left, row.height);
            context.clip();
            context.fillStyle = color.text;
            context.font = theme.font;
            context.textBaseline = "middle";
            const middle = row.height > 30 ? strip / 2 + 0.5 : row.height / 2;
            context.fillText(item.label, Math.max(left, 0) + 5, y + middle);
            context.restore();
        }
        if (item.id === selected) this.outline = [left, y, right - left, row.height];
    }

    #content({ context, viewport, clock }, item, color, place) {
        const hasPicture = item.file && item.has_picture && ["clip", "layer", "sticker"].includes(item.kind);
        const below = { ...place, y: place.y + strip, height: place.height - strip };
        if (hasPicture) this.thumbs.draw(context, item, below, viewport.scale, clock.rate);
        if (!item.file || !item.has_sound) return;
        if (hasPicture && place.height < 50) return;
        const wave = hasPicture ? { ...place, y: place.y + place.height - 18, height: 18 } : below;
        if (hasPicture) {
            context.fillStyle = color.veil;
            context.fillRect(place.from, wave.y, place.to - place.from, wave.height);
        }
        context.fillStyle = color.wave;
        this.waves.draw(context, item, wave);
    }

    #mix({ context, width, viewport, theme, selected }, row, item, y) {
        const [x, length] = [viewport.x(item.start_frame), Math.max(3, item.frames * viewport.scale)];
        if (x + length < 0 || x > width) return;
        const [top, height] = [y + strip, row.height - strip];
        context.fillStyle = theme.mix;
        context.fillRect(x, top, length, height);
        context.strokeStyle = theme.mixLine;
        context.lineWidth = 1;
        context.beginPath();
        context.rect(x + 0.5, top + 0.5, length - 1, height - 1);
        context.moveTo(x, top + height);
        context.lineTo(x + length, top);
        context.stroke();
        if (item.id === selected) this.outline = [x, top, length, height];
    }

    #outline(context, theme, x, y, width, height) {
        context.strokeStyle = theme.selection;
        context.lineWidth = 2;
        context.strokeRect(x + 1, y + 1, Math.max(1, width - 2), height - 2);
    }

    /** Shades the ranges that are not played. */
    #shade({ context, width, height, viewport, theme, marks, frames }) {
        context.fillStyle = theme.shade;
        const [left, right] = [viewport.x(marks.start), viewport.x(Math.min(marks.end, frames))];
        if (left > 0) context.fillRect(0, 0, Math.min(width, left), height);
        if (right < width) context.fillRect(Math.max(0, right), 0, width - right, height);
    }
}
