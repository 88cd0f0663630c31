/** The proof of the shuffle: the seed that is told at the end belongs to the fingerprint that was
 * published at the beginning. The browser works it out by itself. */

import { el, fill } from "./dom.js";
import { _ } from "./words.js";

/** Show the check in an element. `facts`: `commitment`, and `seed` once the game is over. */
export function mount(element, { commitment, seed }) {
  if (!commitment) {
    fill(element);
  } else if (!seed) {
    fill(element, steps(published(commitment), el("li", {}, el("p", { text: _("The seed is told when the game is over. Then you can check here that it is the one from the beginning.") }))));
  } else if (globalThis.crypto?.subtle === undefined) {
    fill(element, steps(published(commitment), told(seed)), byHand(seed));
  } else {
    fill(element, check(commitment, seed));
  }
}

/** The SHA-256 of bytes in hex, in hex; null if they cannot be read. */
export async function fingerprint(hex) {
  if (!/^(?:[0-9a-f]{2})+$/i.test(hex)) {
    return null;
  }
  const bytes = Uint8Array.from(hex.match(/../g), (pair) => Number.parseInt(pair, 16));
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function check(commitment, seed) {
  const list = steps(published(commitment), told(seed));
  const verdict = el("div", { role: "status" });
  const button = el("button", { type: "button", text: _("Check the shuffle here") });
  button.addEventListener("click", async () => {
    button.disabled = true;
    const found = await fingerprint(seed);
    list.append(workedOut(found));
    fill(verdict, found === commitment ? fits() : differs());
    button.remove();
  });
  return el("div", { class: "verify" }, list, button, verdict);
}

function steps(...items) {
  return el("ol", { class: "proof" }, items);
}

function published(commitment) {
  return step(_("When the game began, this fingerprint was published; the mail about the beginning has it too:"), commitment);
}

function told(seed) {
  return step(_("Now that it is over, the seed is told. All chance of the game came from it:"), seed);
}

function workedOut(found) {
  return step(_("Your browser has just worked out the fingerprint of this seed:"), found ?? _("the seed cannot be read"));
}

function step(words, figure) {
  return el("li", {}, el("p", { text: words }), el("code", { text: figure }));
}

function fits() {
  return el("div", { class: "notice good" }, el("p", {}, el("strong", { text: _("✓ Both fingerprints are the same.") }), _("The shuffle was fixed before the first move, and nobody has touched it since.")));
}

function differs() {
  return el("div", { class: "notice refused" }, el("p", {}, el("strong", { text: _("✗ The fingerprints differ!") }), _("This seed is not the one whose fingerprint was published. Do not trust this shuffle, and tell whoever runs this server.")));
}

/** Browsers lend their SHA-256 only to pages that came over a secure connection. */
function byHand(seed) {
  return el("div", {},
    el("p", { text: _("This page did not come over a secure connection (https), and there your browser does not work out fingerprints. This command does it; it has to print the fingerprint from above:") }),
    el("pre", { tabindex: "0" }, el("code", { text: `echo ${seed} | xxd -r -p | sha256sum` })),
  );
}
