/** What the Record tab remembers in this browser. It works without, as in a private window. */
export function kept(name, usual) {
    try {
        return localStorage.getItem(`record-${name}`) ?? usual;
    } catch {
        return usual;
    }
}

export function keep(name, value) {
    try {
        localStorage.setItem(`record-${name}`, value);
    } catch {
        // It is for now.
    }
}
