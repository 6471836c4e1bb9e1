// What needs no server: the link in the address bar, the kind and size of an upload, and the sign that the page has settled.
(() => {
  const PICTURES = ["trajectory", "memory", "spectrum", "forecast"];
  const KINDS = [".csv", ".tsv", ".txt", ".parquet", ".pq", ".npy", ".xlsx", ".xlsm", ".ods"];
  const NOTES = [...PICTURES, "echo"];
  // The controls as they stand, the controls that the server answered last, and the queries it made of them: of the network, and of the
  // forecast of a file (empty if the signal is no file).
  const now = { asked: null, answered: null, query: null, own: null };

  const drawn = (name, query = now.query) => {
    const plot = document.querySelector(`#${name}-figure .js-plotly-plot:not(.dash-graph--pending)`);
    return plot?.layout?.meta?.shows === query;
  };
  const noted = (name, query = now.query) => document.getElementById(`${name}-note`)?.dataset.shows === query;
  const forecast = () => (now.own ? drawn("own", now.own) && noted("own", now.own) : document.querySelector("#own-panel[hidden]") !== null);

  // "?" and the query that all panels show in full, then "code" while the code is open, then the message, if any; null while one lacks.
  const shown = () => {
    const open = document.querySelector("#code-panel:not([hidden])") !== null;
    const done = now.query !== null && now.asked === now.answered && PICTURES.every((name) => drawn(name)) && NOTES.every((name) => noted(name)) && forecast() && (!open || noted("code"));
    const parts = ["?" + now.query, open ? "code" : "", document.getElementById("message")?.textContent];
    return done ? parts.filter(Boolean).join(" ") : null;
  };

  // html[data-settled] goes at once, and comes when two frames have been painted since the last change: in the first, plotly fits
  // new pictures to their places and WebGL draws.
  let frame = 0;
  const settle = () => {
    const [root, value] = [document.documentElement, shown()];
    if (root.dataset.settled === (value ?? undefined)) return;
    root.removeAttribute("data-settled");
    window.cancelAnimationFrame(frame);
    if (value === null) return;
    const sign = () => shown() === value && (root.dataset.settled = value);
    frame = window.requestAnimationFrame(() => (frame = window.requestAnimationFrame(sign)));
  };

  // What screen readers say of a control; they read a slider's value itself, not its position on a logarithmic scale.
  const assign = (element, name, value) => element.getAttribute(name) !== value && element.setAttribute(name, value);
  const named = () => {
    for (const slider of document.querySelectorAll(".dial [role=slider]")) {
      const dial = slider.closest(".dial");
      const [name, at] = [dial.id.replace(/-field$/, ""), Number(slider.getAttribute("aria-valuenow"))];
      assign(slider, "aria-labelledby", `${name}-label`);
      assign(slider, "aria-describedby", `${name}-hint`);
      assign(slider, "aria-valuetext", String(Number((dial.classList.contains("logarithmic") ? 10 ** at : at).toPrecision(3))));
    }
    for (const list of document.querySelectorAll(".radio[role=listbox]")) assign(list, "aria-labelledby", `${list.id}-label`);
    for (const list of document.querySelectorAll("button.dash-dropdown")) assign(list, "aria-labelledby", `${list.id}-label ${list.id}-value`);
  };

  // An observer is called after each change of the page and before any other script can see that change.
  const watched = { subtree: true, childList: true, characterData: true, attributeFilter: ["class", "hidden", "data-shows", "aria-valuenow"] };
  const changed = () => {
    named();
    settle();
  };
  new MutationObserver(changed).observe(document, watched);

  window.dash_clientside = Object.assign({}, window.dash_clientside, {
    explorer: {
      asked: (...controls) => {
        now.asked = JSON.stringify(controls);
        settle();
      },
      answered: (query, own, controls) => {
        if (typeof own === "string") now.own = own;
        if (typeof query === "string") {
          now.query = query;
          window.history.replaceState(null, "", window.location.pathname + (query ? "?" + query : ""));
        }
        now.answered = JSON.stringify(controls);
        settle();
      },
      small: (contents, name) => {
        const still = window.dash_clientside.no_update;
        if (!contents) return [still, still];
        const ending = (/\.[^.]*$/.exec(name) ?? [""])[0].toLowerCase();
        if (!KINDS.includes(ending)) return [null, `file must end in ${KINDS.join(", ")}, got '${name.slice(-60)}'; save the table as CSV`];
        const bytes = Math.floor((contents.length - contents.indexOf(",") - 1) * 0.75);
        if (bytes <= 50000000) return [{ name: name, contents: contents }, ""];
        const size = (bytes / 1e6).toFixed(1);
        return [null, `file must have at most 50 MB, got ${size} MB; shorten it or keep every n-th row`];
      },
    },
  });
})();
