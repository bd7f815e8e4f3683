(function () {
  "use strict";
  var form = document.querySelector("form.filter");
  if (form) {
    var rows = Array.from(document.querySelectorAll("[data-row]"));
    var search = form.elements.q, shown = form.querySelector("output"), texts = null;
    var selects = ["state", "type", "scope"].map(function (name) { return form.elements[name]; }).filter(Boolean);
    form.hidden = false;
    var words = function () {
      texts = texts || rows.map(function (row) {
        return ((row.querySelector(":scope > .node") || row).textContent).toLowerCase();
      });
      return texts;
    };
    var has = function (row, select) {
      return !select.value || (row.dataset[select.name] || "").split("|").indexOf(select.value) >= 0;
    };
    var show = function () {
      var wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean), all = wanted.length ? words() : [], count = 0;
      var narrow = wanted.length > 0 || selects.some(function (one) { return one.value; });
      rows.forEach(function (row, index) {
        var fits = selects.every(function (one) { return has(row, one); }) &&
          wanted.every(function (word) { return all[index].indexOf(word) >= 0; });
        row.hidden = narrow && !fits;
        if (fits && row.dataset.row === "item") { count += 1; }
      });
      if (narrow) {
        rows.forEach(function (row) {
          if (!row.hidden && row.tagName === "LI") {
            for (var up = row.parentElement.closest("li"); up; up = up.parentElement.closest("li")) { up.hidden = false; }
          }
        });
      }
      var total = rows.filter(function (row) { return row.dataset.row === "item"; }).length;
      shown.textContent = count + " of " + total + " items";
    };
    var write = function () {
      var query = new URLSearchParams();
      if (search.value) { query.set("q", search.value); }
      selects.forEach(function (one) { if (one.value) { query.set(one.name, one.value); } });
      history.replaceState(null, "", query.toString() ? "#" + query : location.pathname + location.search);
    };
    var read = function () {
      if (location.hash && !/^#(q|state|type|scope)=/.test(location.hash)) { return; }
      var query = new URLSearchParams(location.hash.slice(1));
      search.value = query.get("q") || "";
      selects.forEach(function (one) {
        one.value = query.get(one.name) || "";
        if (one.selectedIndex < 0) { one.value = ""; }
      });
      show();
    };
    form.addEventListener("input", function () { show(); write(); });
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    form.addEventListener("reset", function () { setTimeout(function () { show(); write(); }); });
    document.addEventListener("keydown", function (event) {
      if (event.key === "/" && !/^(INPUT|SELECT)$/.test(event.target.tagName)) { event.preventDefault(); search.focus(); }
    });
    window.addEventListener("hashchange", read);
    read();
    show();
  }
  var stamp = document.documentElement.dataset.stamp;
  if (stamp) {
    setInterval(function () {
      var script = document.createElement("script");
      script.src = "stamp.js?" + Date.now();
      script.onload = function () {
        script.remove();
        if (document.documentElement.dataset.newest !== stamp) { location.reload(); }
      };
      document.head.append(script);
    }, 1000);
  }
})();
