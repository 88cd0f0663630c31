/** Elements without markup in strings: what people wrote is always text. */

const SVG = "http://www.w3.org/2000/svg";

/** An element of HTML; children are nodes, texts, or nothing (null, undefined, false). */
export function el(tag, attributes, ...children) {
  return dressed(document.createElement(tag), attributes, children);
}

/** The same in SVG. */
export function svg(tag, attributes, ...children) {
  return dressed(document.createElementNS(SVG, tag), attributes, children);
}

/** Put these children in the place of all others. */
export function fill(node, ...children) {
  node.replaceChildren(...present(children));
  return node;
}

export function byId(id) {
  return document.getElementById(id);
}

/** What a page tells its scripts in a JSON element; null if it has none. */
export function facts(id) {
  const element = byId(id);
  return element === null ? null : JSON.parse(element.textContent);
}

/** What a page says about itself in its head; null if it does not. */
export function meta(name) {
  return document.querySelector(`meta[name="${name}"]`)?.content ?? null;
}

function dressed(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    dress(node, name, value);
  }
  node.append(...present(children));
  return node;
}

function dress(node, name, value) {
  if (value === undefined || value === null || value === false) {
    return;
  }
  if (name === "text") {
    node.textContent = value;
  } else if (name === "dataset") {
    Object.assign(node.dataset, value);
  } else if (name.startsWith("on")) {
    node.addEventListener(name.slice(2), value);
  } else if (name === "value" || name === "checked") {
    node[name] = value; // as it is now; the attribute would only say how it began
  } else {
    node.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : value);
  }
}

function present(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}
