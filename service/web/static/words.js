/** What scripts say, in the language of the page. The English text is the key, as on the server. */

import { facts } from "./dom.js";

export const language = document.documentElement.lang || "en";

const catalogue = facts("words") ?? {};
const PLACEHOLDER = /%(?:\((\w+)\)[sd]|%)/g;

/** A text in the language of the page, with values for its `%(name)s`. */
export function _(text, values) {
  const found = catalogue[text];
  return filled(typeof found === "string" ? found : text, values);
}

/** The same of a number of things; all our languages have one form for one and one for others. */
export function ngettext(one, many, n, values) {
  const found = catalogue[one];
  const [single, several] = Array.isArray(found) ? found : [one, many];
  return filled(n === 1 ? single : several, { n, ...values });
}

/** A text as a list of its pieces, for values that are elements: `["until ", <time>]`. */
export function pieces(text, values) {
  const found = _(text).split(/%\((\w+)\)[sd]/);
  return found.map((piece, index) => (index % 2 === 1 ? values[piece] : piece)).filter((piece) => piece !== "");
}

function filled(text, values) {
  if (values === undefined) {
    return text;
  }
  return text.replace(PLACEHOLDER, (all, name) => (name === undefined ? "%" : String(values[name])));
}
