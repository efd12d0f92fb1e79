/** Small helpers to build the document; texts go in as text, never as HTML. */

type Attributes = Record<string, string | number | boolean | undefined>;

/** Make an element. An attribute that is false or undefined is left out, true is an empty one. */
export function el<Name extends keyof HTMLElementTagNameMap>(
    name: Name,
    attributes: Attributes = {},
    ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
    const element = document.createElement(name);
    set(element, attributes);
    element.append(...children);
    return element;
}

/** Set the attributes that differ. */
export function set(element: Element, attributes: Attributes): void {
    for (const [name, value] of Object.entries(attributes)) {
        if (value === undefined || value === false) element.removeAttribute(name);
        else {
            const text = value === true ? "" : String(value);
            if (element.getAttribute(name) !== text) element.setAttribute(name, text);
        }
    }
}

/** A button with a text. */
export function button(text: string, attributes: Attributes, pressed: (event: MouseEvent) => void): HTMLButtonElement {
    const made = el("button", { type: "button", ...attributes }, text);
    made.addEventListener("click", pressed);
    return made;
}

/** Make the children of an element those given, moving only what is not in its place, so that focus stays. */
export function arrange(parent: Element, children: readonly Element[]): void {
    for (const child of [...parent.children]) {
        if (!children.includes(child)) child.remove();
    }
    children.forEach((child, i) => {
        if (parent.children[i] !== child) parent.insertBefore(child, parent.children[i] ?? null);
    });
}
