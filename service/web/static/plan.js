/** What is left in advance: a ranked list for the end of the time, and plans that a pick carries. */

import { get, put } from "./api.js";
import { byId, el, fill } from "./dom.js";
import { _, language } from "./words.js";

export class Plan {
  /** `proposes(move)` asks whether to make a move that carries a plan. */
  constructor(game, proposes) {
    this.address = `/v1/games/${game.id}/plan`;
    this.proposes = proposes;
    this.asked = null; // the decision for which the plans are shown
    this.field = el("textarea", { id: "wishes", rows: 3, spellcheck: "false", autocapitalize: "off", "aria-describedby": "wishes-hint" });
    this.state = el("span", { class: "soft small", role: "status" });
    this.carried = el("div", {});
    const form = el("form", { onsubmit: (event) => this.#keep(event) },
      el("div", { class: "field" },
        el("label", { for: "wishes" }, _("Your wishes, the dearest first")),
        this.field,
        el("p", { class: "hint", id: "wishes-hint" },
          _("One in a line, or with “else” between them. The first that is possible is played; without any a bot chooses."))),
      el("button", { class: "quiet" }, _("Leave this list")), " ", this.state);
    fill(byId("plan-content"), form, this.carried);
  }

  /** Ask what was left, and what the decision of now may carry. */
  async show(decision) {
    const asked = decision === null ? "" : decision.id;
    if (asked === this.asked) {
      return;
    }
    this.asked = asked;
    const { wishes, plans } = (await get(this.address, { language })).data;
    this.#showWishes(wishes, this.field.value === this.field.defaultValue);
    this.#showPlans(plans);
    byId("plan").hidden = false;
  }

  /** What is left counts as unchanged; what somebody is writing stays. */
  #showWishes(wishes, anew) {
    this.field.defaultValue = wishes.join("\n");
    if (anew) {
      this.field.value = this.field.defaultValue;
    }
  }

  #showPlans(plans) {
    if (plans.length === 0) {
      fill(this.carried);
      return;
    }
    const select = el("select", { id: "carried" }, plans.map((plan, index) => el("option", { value: index }, plan.label)));
    fill(this.carried, el("form", { class: "inline-form apart", onsubmit: (event) => {
      event.preventDefault();
      this.proposes(plans[Number(select.value)]);
    } },
    el("div", { class: "field" }, el("label", { for: "carried" }, _("Choose now, with what comes after it")), select),
    el("button", { class: "quiet" }, _("Look at it"))));
  }

  async #keep(event) {
    event.preventDefault();
    const orElse = _("else");
    const between = new RegExp(`[\\n,;]|\\s(?:else|${orElse})\\s`, "i");
    const wishes = this.field.value.split(between).map((wish) => wish.trim()).filter(Boolean);
    this.state.textContent = _("Keeping it …");
    try {
      const kept = (await put(this.address, { wishes })).data.wishes;
      this.#showWishes(kept, true);
      this.state.textContent = kept.length === 0 ? _("No list is left.") : _("Kept.");
    } catch (problem) {
      this.state.textContent = _("Not kept: %(reason)s", { reason: problem.message });
    }
  }
}
