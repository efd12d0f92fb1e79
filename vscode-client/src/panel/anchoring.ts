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

/** The citations to send for an entry: as they came, then as shown where that differs. */
export function toAnchor(entry: Entry): Citation[] {
    const came = entry.answer?.citations ?? [];
    return [...came, ...entry.shown.filter((shown, i) => shown !== came[i])];
}

/** The entries whose citations fit into one request, the first ones first. */
export function fitting(entries: readonly Entry[]): Entry[] {
    let room = MOST;
    return entries.filter((entry) => {
        const size = toAnchor(entry).length;
        if (size > room) return false;
        room -= size;
        return size > 0;
    });
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
