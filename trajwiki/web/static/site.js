// What the pages do beside reading, which works without any of it: the theme, the slider of time, and waiting.
(() => {
  "use strict";
  const root = document.documentElement;
  const button = document.querySelector("button.theme");
  if (button) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
      root.dataset.theme = dark ? "light" : "dark";
      document.cookie = `trajwiki_theme=${root.dataset.theme}; path=/; max-age=31536000; samesite=lax`;
    });
  }

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.classList.contains("wait")) {
      form.setAttribute("aria-busy", "true");
      setTimeout(() => form.querySelectorAll("button").forEach((b) => { b.disabled = true; }), 0);
    }
  });

  document.querySelector("nav [aria-current]")?.scrollIntoView({ inline: "center", block: "nearest" });

  const slider = document.getElementById("to");
  if (slider) {
    const shown = document.querySelector("output.turned");
    slider.addEventListener("input", () => { shown.value = slider.value; });
  }

  document.addEventListener("htmx:afterSwap", (event) => {
    const first = event.detail.target.querySelector("input:not([type=hidden])");
    if (first && event.detail.target.classList.contains("slot")) first.focus();
  });
})();
