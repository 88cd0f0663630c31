/** The time zone of this browser, for forms that make an account or welcome a new person. */

function browserTimeZone() {
  return Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
}

/** Put it into hidden fields, and preselect it in a list that has it. */
export function fillTimeZone() {
  const zone = browserTimeZone();
  for (const field of document.querySelectorAll("[data-browser-time-zone]")) {
    field.value = zone;
    if (field.value !== zone) {
      field.value = "UTC"; // the list does not know it
    } else if (field.tagName === "SELECT") {
      document.getElementById("no-time-zone")?.remove();
    }
  }
}
