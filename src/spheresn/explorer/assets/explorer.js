// What needs no server: the link in the address bar, and the size of an upload.
window.dash_clientside = Object.assign({}, window.dash_clientside, {
  explorer: {
    address: (query) => {
      const place = window.location.pathname + (query ? "?" + query : "");
      window.history.replaceState(null, "", place);
      return "";
    },
    small: (contents, name) => {
      const still = window.dash_clientside.no_update;
      if (!contents) return [still, still];
      const bytes = Math.floor((contents.length - contents.indexOf(",") - 1) * 0.75);
      if (bytes <= 5000000) return [{ name: name, contents: contents }, ""];
      const size = (bytes / 1e6).toFixed(1);
      return [null, `file must have at most 5 MB, got ${size} MB; cut it or thin it out`];
    },
  },
});
