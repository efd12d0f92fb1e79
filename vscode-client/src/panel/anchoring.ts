/**
 * Which citations are held against the text again, and what is made of the result. Pure.
 *
 * Each is sent as it came with the answer, and, where it stood elsewhere since, also as it was shown last: the first
 * notices an edit that was taken back, the second keeps up with code that moved and was then changed as well.
 */

import type { Citation, CitationState } from "../protocol";
import type { Entry } from "./conversation";

/** The most citations that a server takes in one request. */
export const MOST = 100;

const WORSE: readonly CitationState[] = ["fresh", "moved", "changed", "gone"];

/** The citations to send for an entry: as they came, then as shown where that differs and there is room for it. */
export function toAnchor(entry: Entry): Citation[] {
    const came = entry.answer?.citations ?? [];
    return [...came, ...entry.shown.filter((shown, i) => shown !== came[i])].slice(0, MOST);
}

/** Divide entries into those whose citations fit into one request each, in order; those without any are left out. */
export function batches(entries: readonly Entry[]): Entry[][] {
    const all: Entry[][] = [];
    let room = 0;
    for (const entry of entries) {
        const size = toAnchor(entry).length;
        if (size === 0) continue;
        if (size > room) {
            all.push([]);
            room = MOST;
        }
        all.at(-1)?.push(entry);
        room -= size;
    }
    return all;
}

/** Join what the server gave for `toAnchor(entry)`, in that order, into the citations to show. */
export function joined(entry: Entry, anchored: readonly Citation[]): Citation[] {
    const came = entry.answer?.citations ?? [];
    let next = came.length;
    return came.map((original, i) => {
        const again = entry.shown[i] === original ? undefined : anchored[next++];
        const now = anchored[i] ?? original;
        const shown = again && !isBetter(now, again) ? again : now;
        return sameJson(shown, original) ? original : shown;
    });
}

/** Say whether two things that came over the wire are the same. */
export function sameJson(one: unknown, other: unknown): boolean {
    return JSON.stringify(one) === JSON.stringify(other);
}

function isBetter(one: Citation, other: Citation): boolean {
    return WORSE.indexOf(one.state) < WORSE.indexOf(other.state);
}
