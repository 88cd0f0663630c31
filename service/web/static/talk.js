/** What is said at the table, and the note for the own eyes. */

import { post, put } from "./api.js";
import { byId, el, fill } from "./dom.js";
import { ago } from "./times.js";
import { _, ngettext } from "./words.js";

const SEEN_AFTER = 1_000; // milliseconds in view
const SAVED_AFTER = 1_200; // milliseconds without a key

export class Talk {
  constructor(game, messages) {
    this.address = `/v1/games/${game.id}/messages`;
    this.ownSeat = game.your_seat;
    this.messages = messages;
    this.list = byId("talk-lines");
    this.title = byId("talk-title");
    this.key = `laguna-heard-${game.id}`;
    this.heard = Number(localStorage.getItem(this.key) ?? this.last);
    this.trouble = el("div", { role: "alert" });
    this.inView = false;
    this.timer = 0;
    this.#show();
    this.#watch();
    const form = byId("talk-form");
    form?.append(this.trouble);
    form?.addEventListener("submit", (event) => this.#say(event));
    byId("message")?.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        form.requestSubmit();
      }
    });
  }

  get last() {
    return this.messages.at(-1)?.n ?? 0;
  }

  /** Add what was said since; gives those of others. */
  add(messages) {
    const fresh = messages.filter((message) => message.n > this.last);
    if (fresh.length > 0) {
      this.messages.push(...fresh);
      this.#show();
      this.#look();
    }
    return fresh.filter((message) => message.seat !== this.ownSeat);
  }

  async #say(event) {
    event.preventDefault();
    const form = event.target;
    const field = byId("message");
    const text = field.value.trim();
    if (text === "" || form.classList.contains("busy")) {
      return;
    }
    form.classList.add("busy");
    try {
      this.add([(await post(this.address, { text })).data]);
      field.value = "";
      fill(this.trouble);
    } catch (problem) {
      fill(this.trouble, el("p", { class: "notice refused" }, el("strong", {}, problem.title), problem.detail));
    } finally {
      form.classList.remove("busy");
      field.focus();
    }
  }

  #show() {
    const wasAtEnd = this.list.scrollTop + this.list.clientHeight >= this.list.scrollHeight - 40;
    fill(this.list, this.messages.map((message) => this.#line(message)));
    if (wasAtEnd) {
      this.list.scrollTop = this.list.scrollHeight;
    }
    this.#showUnread();
  }

  #line({ n, seat, name, text, at }) {
    const unread = n > this.heard && seat !== this.ownSeat;
    return el("li", { class: unread && "unread" },
      el("strong", {}, name), " ", el("span", { class: "soft small" }, ago(at)), el("p", {}, text));
  }

  #showUnread() {
    const unread = this.messages.filter((message) => message.n > this.heard && message.seat !== this.ownSeat).length;
    this.title.querySelector(".tag")?.remove();
    if (unread > 0) {
      this.title.append(" ", el("span", { class: "tag warm" }, ngettext("%(n)d new", "%(n)d new", unread)));
    }
  }

  /** Whoever has had the talk before their eyes for a while has read it. */
  #watch() {
    new IntersectionObserver(([entry]) => {
      this.inView = entry.isIntersecting;
      this.#look();
    }).observe(this.list);
    document.addEventListener("visibilitychange", () => this.#look());
  }

  #look() {
    clearTimeout(this.timer);
    if (this.inView && !document.hidden) {
      this.timer = setTimeout(() => this.#hear(), SEEN_AFTER);
    }
  }

  #hear() {
    this.heard = this.last;
    localStorage.setItem(this.key, String(this.heard));
    this.title.querySelector(".tag")?.remove();
  }
}

/** The note is kept by itself, and says so. */
export function keepNote(game) {
  const form = byId("note-form");
  if (form === null) {
    return;
  }
  const field = byId("note-text");
  const state = el("span", { class: "soft small", role: "status" });
  form.querySelector("button").after(" ", state);
  let timer = 0;

  async function keep() {
    clearTimeout(timer);
    const text = field.value;
    if (text === field.defaultValue) {
      return;
    }
    state.textContent = _("Keeping it …");
    try {
      await put(`/v1/games/${game.id}/note`, { text });
      field.defaultValue = text;
      state.textContent = field.value === text ? _("Kept.") : "";
    } catch (problem) {
      state.textContent = _("Not kept: %(reason)s", { reason: problem.message });
    }
  }

  field.addEventListener("input", () => {
    clearTimeout(timer);
    state.textContent = "";
    timer = setTimeout(keep, SAVED_AFTER);
  });
  field.addEventListener("blur", keep);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    keep();
  });
}
