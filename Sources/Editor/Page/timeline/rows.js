/** The timeline's rows: one for each lane of a track, from top to bottom as in editing programs.
 * Pure. */

const order = ["effects", "layers", "main", "audio"];
const heights = { effects: 22, layers: 36, main: 60, audio: 36 };
const gap = 3;

/** Returns a state's rows: `{ id, kind, name, lane, y, height, items, mixes, ends }`. Items are
 * in the order of time; `ends` has for each item the latest end so far, so that the first
 * visible one is found by binary search. Transitions are drawn over the clips that they mix. */
export function rows(tracks) {
    const found = [];
    const sorted = [...(tracks ?? [])].sort((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind));
    for (const track of sorted) {
        const lanes = new Map();
        for (const item of track.items) {
            const lane = lanes.get(item.lane ?? 0) ?? [];
            lanes.set(item.lane ?? 0, lane);
            lane.push(item);
        }
        const names = [...lanes.keys()].sort((one, other) => (track.kind === "audio" ? one - other : other - one));
        for (const lane of names) found.push(row(track, lane, lanes.get(lane), names.length));
    }
    let y = gap;
    for (const each of found) {
        each.y = y;
        y += each.height + gap;
    }
    return { rows: found, height: y };
}

function row(track, lane, all, count) {
    const items = all.filter((item) => item.kind !== "transition").sort((one, other) => one.start_frame - other.start_frame);
    let latest = 0;
    return {
        id: `${track.id}/${lane}`, kind: track.kind, lane, items, y: 0,
        name: count > 1 ? `${track.name} ${lane + 1}` : track.name,
        height: heights[track.kind] ?? 40,
        mixes: all.filter((item) => item.kind === "transition"),
        ends: items.map((item) => (latest = Math.max(latest, item.start_frame + item.frames))),
    };
}

/** Returns the items of a row between two frames. */
export function itemsBetween({ items, ends }, from, to) {
    let low = 0;
    let high = items.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (ends[middle] > from) high = middle;
        else low = middle + 1;
    }
    const found = [];
    for (let index = low; index < items.length && items[index].start_frame < to; index += 1) {
        if (items[index].start_frame + items[index].frames > from) found.push(items[index]);
    }
    return found;
}

/** Returns the item at a place of a row; transitions come before the clips below them. */
export function itemAt(row, frame, slack) {
    const mix = row.mixes.find((item) => frame >= item.start_frame && frame < item.start_frame + item.frames);
    return mix ?? itemsBetween(row, frame - slack, frame + slack).at(-1) ?? null;
}

/** Returns the frames at which an item begins or ends, in order. */
export function edits(rows, frames) {
    const places = new Set([0, Math.max(0, frames - 1)]);
    for (const { items } of rows) {
        for (const item of items) {
            places.add(item.start_frame);
            places.add(item.start_frame + item.frames);
        }
    }
    return [...places].filter((place) => place >= 0 && place < frames).sort((one, other) => one - other);
}

/** Returns the source time at a frame of an item, in seconds. */
export function sourceTime(item, frame) {
    const share = (frame - item.start_frame) / item.frames;
    const length = item.source_duration ?? 0;
    return (item.source_start ?? 0) + (item.speed < 0 ? 1 - share : share) * length;
}
