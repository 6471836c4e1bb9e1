"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const box = document.getElementById("chart"), tip = document.getElementById("reading");
  const title = document.getElementById("charted");
  const NS = "http://www.w3.org/2000/svg";
  let shown = 0, at = null, frame = null;

  const element = (name, attributes, parent) => {
    const made = document.createElementNS(NS, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (parent) parent.appendChild(made);
    return made;
  };
  const ticks = (low, high) => {
    const raw = (high - low) / 4, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= raw) || raw;
    const found = [];
    for (let k = Math.ceil(low / step); k * step <= high; k += 1) found.push(k * step);
    return [found, step];
  };
  const words = (value, step) => {
    if (Math.abs(value) >= 1e9 || (value && Math.abs(value) < 1e-4)) return value.toPrecision(3).replace(/\.?0+(e|$)/, "$1");
    const places = Math.max(0, Math.min(6, -Math.floor(Math.log10(step) + 1e-9)));
    return value.toLocaleString("en-US", {minimumFractionDigits: places, maximumFractionDigits: places});
  };

  const draw = () => {
    const one = data.series[shown], clock = data.clocks[one.clock];
    const width = Math.max(280, box.clientWidth), height = Math.min(340, Math.max(220, width * .45));
    const past = one.past.length, total = past + one.ahead.length;
    const all = one.past.concat(...one.ahead);
    let low = Math.min(...all), high = Math.max(...all);
    if (low === high) { const room = Math.abs(low) || 1; low -= room; high += room; }
    const room = (high - low) * .06; low -= room; high += room;
    const [levels, step] = ticks(low, high);
    const labels = levels.map((level) => words(level, step));
    const left = 14 + 7.2 * Math.max(...labels.map((label) => label.length)), right = 10, top = 8, bottom = 26;
    const x = (k) => left + (width - left - right) * (total > 1 ? k / (total - 1) : .5);
    const y = (value) => top + (height - top - bottom) * (high - value) / (high - low);
    const path = (points) => points.map(([k, value], i) => `${i ? "L" : "M"}${x(k).toFixed(1)} ${y(value).toFixed(1)}`).join("");
    box.replaceChildren();
    const svg = element("svg", {viewBox: `0 0 ${width} ${height}`, width: "100%", role: "img", tabindex: "0",
      "aria-label": `${one.name}: data and forecast; arrow keys read single values`}, box);
    levels.forEach((level, k) => {
      element("line", {x1: left, x2: width - right, y1: y(level), y2: y(level), class: "grid"}, svg);
      element("text", {x: left - 6, y: y(level) + 4, class: "tick end"}, svg).textContent = labels[k];
    });
    const time = (k) => k < past ? clock.past[k] : clock.coming[k - past];
    const longest = 7.4 * time(0).length, count = Math.max(2, Math.min(5, Math.floor((width - left) / (longest + 24))));
    for (let k = 0; k < count; k += 1) {
      const place = Math.round(k * (total - 1) / (count - 1));
      const anchor = k === 0 ? "start" : k === count - 1 ? "finish" : "middle";
      element("text", {x: x(place), y: height - 6, class: `tick ${anchor}`}, svg).textContent = time(place);
    }
    const rows = one.ahead.map((row, k) => [past + k, ...row]);
    const joined = past ? [[past - 1, one.past[past - 1]]] : [];
    const band = rows.map(([k, , lower]) => [k, lower]).concat(rows.map(([k, , , upper]) => [k, upper]).reverse());
    element("path", {d: `${path(band)}Z`, class: "band"}, svg);
    element("path", {d: path(one.past.map((value, k) => [k, value])), class: "past"}, svg);
    element("path", {d: path(joined.concat(rows.map(([k, value]) => [k, value]))), class: "ahead"}, svg);
    const mark = element("g", {visibility: "hidden"}, svg);
    const line = element("line", {y1: top, y2: height - bottom, class: "cursor"}, mark);
    const dot = element("circle", {r: 4, class: "dot"}, mark);
    const read = (k) => {
      at = Math.max(0, Math.min(total - 1, k));
      const ahead = at >= past, value = ahead ? one.ahead[at - past][0] : one.past[at];
      line.setAttribute("x1", x(at)); line.setAttribute("x2", x(at));
      dot.setAttribute("cx", x(at)); dot.setAttribute("cy", y(value));
      mark.setAttribute("visibility", "visible");
      tip.textContent = `${time(at)}: ${ahead ? one.said[at - past] : one.shown[at]}${ahead ? "" : " (data)"}`;
    };
    svg.addEventListener("pointermove", (event) => {
      const place = svg.getBoundingClientRect(), wide = (event.clientX - place.left) * width / place.width;
      read(Math.round((wide - left) / (width - left - right) * (total - 1)));
    });
    svg.addEventListener("keydown", (event) => {
      const by = {ArrowLeft: -1, ArrowRight: 1}[event.key];
      if (by) { read((at === null ? past - 1 : at) + by); event.preventDefault(); }
    });
    title.textContent = data.series.length > 1 ? one.name : "";
    read(past < total ? past : total - 1);
  };
  const choose = (place) => {
    shown = place; at = null; draw();
    document.querySelectorAll("button[data-place]").forEach((button) =>
      button.closest("tr, th").toggleAttribute("data-chosen", Number(button.dataset.place) === place));
  };
  document.querySelectorAll("button[data-place]").forEach((button) =>
    button.addEventListener("click", () => {
      choose(Number(button.dataset.place));
      document.getElementById("picture").scrollIntoView({block: "nearest"});
    }));
  const search = document.getElementById("search");
  if (search) {
    const rows = [...document.querySelectorAll("#all tbody tr")], none = document.getElementById("none");
    search.hidden = false;
    search.addEventListener("input", () => {
      const wanted = search.value.trim().toLowerCase();
      let left = 0;
      rows.forEach((row) => {
        const fits = row.textContent.toLowerCase().includes(wanted);
        row.hidden = !fits; left += fits;
      });
      none.hidden = left > 0;
    });
  }
  window.addEventListener("resize", () => { cancelAnimationFrame(frame); frame = requestAnimationFrame(draw); });
  document.getElementById("picture").hidden = false;
  choose(Number((document.querySelector("button[data-place]") || {dataset: {place: 0}}).dataset.place));
})();
