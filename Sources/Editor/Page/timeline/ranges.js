/** Joins adjacent ranges of frames, which are in order. Pure. */
export function join(ranges) {
    const joined = [];
    for (const [from, to] of ranges) {
        const last = joined.at(-1);
        if (last && from <= last[1]) last[1] = Math.max(last[1], to);
        else joined.push([from, to]);
    }
    return joined;
}

/** Returns the frames of a state's parts, or pieces of sound if there is no picture, whose key
 * fulfils `is`. */
export function framesWhere(state, clock, is) {
    if (state.draft?.has_picture) {
        return join(state.parts.filter(({ key }) => is(key)).map((part) => [part.first_frame, part.first_frame + part.frames]));
    }
    const frame = (sample) => (sample / state.sound.sample_rate) * clock.rate;
    const pieces = state.sound?.pieces ?? [];
    return join(pieces.filter(({ key }) => is(key)).map((piece) => [frame(piece.first_sample), frame(piece.first_sample + piece.samples)]));
}
