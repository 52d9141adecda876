/** Measures the level of a stream's sound. */
export class Level {
    #context = null;
    #analyser = null;
    #samples = null;
    #peak = 0;

    listen(stream) {
        this.close();
        if (!stream.getAudioTracks().length) return;
        this.#context = new AudioContext();
        this.#context.resume();
        this.#analyser = new AnalyserNode(this.#context, { fftSize: 4096 });
        this.#samples = new Float32Array(this.#analyser.fftSize);
        new MediaStreamAudioSourceNode(this.#context, { mediaStream: stream }).connect(this.#analyser);
    }

    close() {
        this.#context?.close();
        this.#context = this.#analyser = null;
        this.#peak = 0;
    }

    /** Returns the current level in dBFS; null without sound. */
    measure() {
        if (!this.#analyser) return null;
        this.#analyser.getFloatTimeDomainData(this.#samples);
        let peak = 0;
        for (const sample of this.#samples) peak = Math.max(peak, Math.abs(sample));
        this.#peak = Math.max(this.#peak, peak);
        return decibels(peak);
    }

    /** Returns the highest level since the last call. */
    takePeak() {
        if (this.measure() === null) return undefined;
        const peak = this.#peak;
        this.#peak = 0;
        return decibels(peak);
    }
}

const decibels = (peak) => Math.max(-120, 20 * Math.log10(Math.max(peak, 1e-6)));
