/**
 * The part of Markdown that answers are written in, as a tree of plain texts: paragraphs, headings, lists, code fences,
 * `code`, **bold** and the marks `[n]`. Everything else, HTML, links and images among it, stays the text that it is.
 */

export type Inline =
    | { kind: "text" | "code" | "bold"; text: string }
    /** The mark of a citation. */
    | { kind: "mark"; n: number };

export type Block =
    | { kind: "paragraph" | "heading"; inlines: Inline[] }
    | { kind: "list"; ordered: boolean; start: number; items: Inline[][] }
    | { kind: "code"; text: string };

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^#{1,6}\s+(.*)$/;
const ITEM = /^\s*(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/;
// Each alternative is bounded by a character that it cannot contain, so that long texts take linear time.
const INLINE = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\[(\d{1,4})\]/g;

/** Parse a text; `marks` are the numbers that there are citations of, other numbers in brackets are text. */
export function parse(markdown: string, marks: ReadonlySet<number>): Block[] {
    const lines = markdown.split(/\r\n|\n|\r/);
    const blocks: Block[] = [];
    let open: Block | undefined;
    for (let i = 0; i < lines.length; i++) {
        const line = lines[i] ?? "";
        const fence = FENCE.exec(line)?.[1];
        if (fence) {
            const end = closing(lines, i + 1, fence);
            blocks.push({ kind: "code", text: lines.slice(i + 1, end).join("\n") });
            open = undefined;
            i = end;
            continue;
        }
        open = take(line, open, blocks, marks);
    }
    return blocks;
}

/** The index of the line that closes a fence, the number of lines where none does. */
function closing(lines: readonly string[], from: number, fence: string): number {
    for (let i = from; i < lines.length; i++) {
        const text = (lines[i] ?? "").trim();
        if (text.length >= fence.length && text === fence.charAt(0).repeat(text.length)) return i;
    }
    return lines.length;
}

/** Add a line to the open block or to a new one; return the block that the next line may go on with. */
function take(line: string, open: Block | undefined, blocks: Block[], marks: ReadonlySet<number>): Block | undefined {
    if (line.trim() === "") return undefined;
    const heading = HEADING.exec(line)?.[1];
    if (heading !== undefined) {
        blocks.push({ kind: "heading", inlines: inlines(heading, marks) });
        return undefined;
    }
    const item = ITEM.exec(line);
    if (item) {
        const ordered = item[1] !== undefined;
        const content = inlines(item[2] ?? "", marks);
        if (open?.kind === "list" && open.ordered === ordered) {
            open.items.push(content);
            return open;
        }
        const list: Block = { kind: "list", ordered, start: Number(item[1] ?? 1), items: [content] };
        blocks.push(list);
        return list;
    }
    const content = inlines(line.trim(), marks);
    const goesOn = open?.kind === "list" ? open.items.at(-1) : open?.kind === "paragraph" ? open.inlines : undefined;
    if (goesOn) {
        goesOn.push({ kind: "text", text: " " }, ...content);
        return open;
    }
    const paragraph: Block = { kind: "paragraph", inlines: content };
    blocks.push(paragraph);
    return paragraph;
}

/** Parse what stands in one line. */
export function inlines(text: string, marks: ReadonlySet<number>): Inline[] {
    const found: Inline[] = [];
    let from = 0;
    for (const match of text.matchAll(INLINE)) {
        const inline = inlineOf(match, marks);
        if (!inline) continue;
        if (match.index > from) found.push({ kind: "text", text: text.slice(from, match.index) });
        found.push(inline);
        from = match.index + match[0].length;
    }
    if (from < text.length) found.push({ kind: "text", text: text.slice(from) });
    return found;
}

function inlineOf([, code, bold, number]: RegExpExecArray, marks: ReadonlySet<number>): Inline | undefined {
    if (code !== undefined) return { kind: "code", text: code };
    if (bold !== undefined) return { kind: "bold", text: bold };
    const n = Number(number);
    return marks.has(n) ? { kind: "mark", n } : undefined;
}
