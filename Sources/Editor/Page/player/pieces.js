/** Decides which pieces of a track are needed around the playhead, and which are not. Pure. */

/** Returns pieces of a track with their places: `{ id, key, start, end }`, in seconds. The id
 * includes content and place, so a piece that has moved is another one. */
export function videoPieces(state, clock) {
    if (!state.draft?.has_picture || !state.video) return [];
    return state.parts.map((part) => place(part.key, clock.seconds(part.first_frame), clock.seconds(part.first_frame + part.frames)));
}

export function soundPieces(state) {
    if (!state.draft?.has_sound || !state.sound) return [];
    const rate = state.sound.sample_rate;
    return state.sound.pieces.map(({ key, first_sample: first, samples }) => place(key, first / rate, (first + samples) / rate));
}

function place(key, start, end) {
    return { id: `${key}@${start.toFixed(6)}`, key, start, end };
}

/** Returns the index of the piece at a time; that of the last one after the end, -1 if there are
 * none. */
export function indexAt(pieces, time) {
    let low = 0;
    let high = pieces.length - 1;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (pieces[middle].end > time) high = middle;
        else low = middle + 1;
    }
    return high;
}

/** Returns pieces in the order of need: from the playhead on, then from the start of a loop, then
 * what is before.
 * @param {{ time: number, ahead: number, behind: number, loop: [number, number] | null }} wish
 * in seconds */
export function wanted(pieces, { time, ahead, behind, loop }) {
    const chosen = new Set();
    const take = (from, to) => {
        for (let index = indexAt(pieces, from); index >= 0 && index < pieces.length; index += 1) {
            if (pieces[index].start >= to) break;
            chosen.add(pieces[index]);
        }
    };
    const end = loop && time < loop[1] ? Math.min(time + ahead, loop[1]) : time + ahead;
    take(time, end);
    if (loop && end === loop[1]) take(loop[0], Math.min(loop[1], loop[0] + ahead - (end - time)));
    for (let index = indexAt(pieces, time) - 1; index >= 0 && pieces[index].end > time - behind; index -= 1) {
        chosen.add(pieces[index]);
    }
    return [...chosen];
}

/** Returns whether ranges of a SourceBuffer contain a piece, except for its edges, where times
 * are rounded. */
export function holds(ranges, { start, end }) {
    const margin = (end - start) / 4;
    for (let index = 0; index < ranges.length; index += 1) {
        if (ranges.start(index) <= start + margin && ranges.end(index) >= end - margin) return true;
    }
    return false;
}
