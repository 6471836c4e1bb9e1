// The page "In the browser": a forecast of Lorenz by the reader's own machine.
// It loads what docs/browser.py has put beside the pages, and nothing from elsewhere.

const HOME = new URL("../in-the-browser/", import.meta.url);
const place = document.getElementById("in-the-browser");
const slider = place.querySelector("input");
const says = place.querySelector("output");
const WIDTH = 720, HEIGHT = 110, PAST = 250, LIMIT = 0.4;

async function load() {
  const ort = await import(new URL("runtime/ort.wasm.bundle.min.mjs", HOME));
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmPaths = { wasm: new URL("runtime/ort-wasm-simd-threaded.wasm", HOME).href };
  const graphs = ["init", "update", "forecast"].map((name) =>
    ort.InferenceSession.create(new URL(`lorenz_${name}.onnx`, HOME).href));
  const series = await (await fetch(new URL("series.json", HOME))).json();
  return { ort, series, graphs: await Promise.all(graphs) };
}

// The state of the network after each row: it is driven once, and the slider only chooses
async function drive({ ort, series, graphs: [init, update] }) {
  const states = [(await init.run({})).state];
  for (const row of series.rows.slice(0, series.seen)) {
    const feeds = { state: states.at(-1), row: new ort.Tensor("float64", Float64Array.from(row)) };
    states.push((await update.run(feeds)).next_state);
  }
  return states;
}

async function forecast({ ort, series, graphs }, state) {
  const steps = series.rows.length - series.seen;
  const count = new ort.Tensor("int64", BigInt64Array.of(BigInt(steps)), []);
  const began = performance.now();
  const found = await graphs[2].run({ state, steps: count });
  return { values: found.forecast.data, steps, milliseconds: performance.now() - began };
}

// Rows until the error exceeds LIMIT deviations, of all columns together
function rowsTrue(rows, values) {
  const mean = [0, 1, 2].map((c) => rows.reduce((sum, row) => sum + row[c], 0) / rows.length);
  const square = (row, other) => row.reduce((sum, v, c) => sum + (v - other[c]) ** 2, 0);
  const spread = rows.reduce((sum, row) => sum + square(row, mean), 0) / rows.length;
  const off = rows.findIndex((row, k) =>
    !(square(row, values.subarray(3 * k, 3 * k + 3)) <= LIMIT ** 2 * spread));
  return off < 0 ? rows.length : off;
}

function curve(numbers, first, range, [low, high], kind) {
  const points = Array.from(numbers, (value, k) => {
    const x = (WIDTH * (first + k)) / range;
    const y = HEIGHT * (1 - (Math.min(Math.max(value, low), high) - low) / (high - low));
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  return `<polyline class="${kind}" points="${points.join(" ")}"/>`;
}

function draw(series, start, run, valid) {
  const range = PAST + run.steps, before = series.rows.slice(Math.max(0, start - PAST), start);
  const after = series.rows.slice(start, start + run.steps);
  const line = (k, kind) => {
    const x = (WIDTH * (PAST + k)) / range;
    return `<line class="${kind}" x1="${x}" x2="${x}" y1="0" y2="${HEIGHT}"/>`;
  };
  ["x", "y", "z"].forEach((name, c) => {
    const ends = series.rows.reduce(([a, b], row) => [Math.min(a, row[c]), Math.max(b, row[c])], [1e9, -1e9]);
    const own = Array.from({ length: run.steps }, (_, k) => run.values[3 * k + c]);
    place.querySelector(`svg[data-column="${name}"]`).innerHTML =
      curve(before.map((row) => row[c]), PAST - before.length, range, ends, "past") +
      curve(after.map((row) => row[c]), PAST, range, ends, "truth") +
      curve(own, PAST, range, ends, "forecast") + line(0, "start") + line(valid, "end");
  });
}

async function show(all, states) {
  const start = Number(slider.value);
  const run = await forecast(all, states[start]);
  if (start !== Number(slider.value)) return; // the reader has moved on
  const rows = all.series.rows.slice(start, start + run.steps);
  const valid = rowsTrue(rows, run.values);
  const times = (valid * all.series.dt * all.series.exponent).toFixed(1);
  draw(all.series, start, run, valid);
  says.textContent = `From row ${start}: true for ${times} Lyapunov times. ` +
    `${run.steps} steps took ${run.milliseconds.toFixed(0)} ms on this machine.`;
  place.forecast = Array.from(run.values); // for whoever wants to look at the numbers
  place.dataset.start = String(start);
}

try {
  says.textContent = "Loading the runtime and the model …";
  const all = await load();
  says.textContent = `Showing the network ${all.series.seen} rows …`;
  const states = await drive(all);
  slider.max = String(all.series.seen);
  slider.disabled = false;
  let queue = Promise.resolve(); // one run at a time
  slider.addEventListener("input", () => { queue = queue.then(() => show(all, states)); });
  await show(all, states);
} catch (error) {
  const local = location.protocol === "file:";
  says.textContent = local
    ? "Browsers load no programs from files: run python -m http.server in this folder, and open the page there."
    : `This copy of the pages cannot run the model (${error.message}). make docs builds one that can, where npm is installed.`;
  place.dataset.failed = "";
}
