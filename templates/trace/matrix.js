(function () {
  "use strict";
  var views = ["needs", "tests"];
  var search = document.getElementById("q"), type = document.getElementById("type");
  var shown = document.getElementById("shown"), controls = document.getElementById("controls");
  var sections = {}, rows = {}, texts = {}, buttons = {};
  views.forEach(function (view) {
    var section = document.getElementById(view);
    sections[view] = section;
    rows[view] = Array.from(section.querySelectorAll("tbody"));
    texts[view] = null;
    buttons[view] = Array.from(section.querySelectorAll(".states button"));
  });
  document.documentElement.classList.add("js");

  function view() { return controls.elements.view.value; }
  function pressed(name) {
    return buttons[name].filter(function (one) { return one.getAttribute("aria-pressed") === "true"; })
      .map(function (one) { return one.value; });
  }
  function words(name) {
    if (!texts[name]) {
      texts[name] = rows[name].map(function (row) { return row.textContent.toLowerCase(); });
    }
    return texts[name];
  }
  function fits(row, text, wanted, states, kind) {
    if (states.length && states.indexOf(row.dataset.state) < 0) { return false; }
    if (kind && row.dataset.type.split(" ").indexOf(kind) < 0) { return false; }
    return wanted.every(function (word) { return text.indexOf(word) >= 0; });
  }
  function show() {
    var name = view(), states = pressed(name), kind = type.value, count = 0;
    var wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean), all = wanted.length ? words(name) : [];
    rows[name].forEach(function (row, index) {
      var stays = fits(row, all[index] || "", wanted, states, kind);
      if (row.hidden === stays) { row.hidden = !stays; }
      count += stays ? 1 : 0;
    });
    views.forEach(function (each) { sections[each].hidden = each !== name; });
    sections[name].querySelector(".none").hidden = count > 0;
    shown.textContent = count + " of " + rows[name].length + (name === "needs" ? " items" : " tests");
  }
  function expand(row, open) {
    row.classList.toggle("expanded", open);
    row.querySelector(".toggle").setAttribute("aria-expanded", String(open));
  }
  function write() {
    var query = new URLSearchParams(), states = pressed(view());
    if (view() !== "needs") { query.set("view", view()); }
    if (search.value) { query.set("q", search.value); }
    if (type.value) { query.set("type", type.value); }
    if (states.length) { query.set("state", states.join(",")); }
    history.replaceState(null, "", query.size === 0 ? location.pathname + location.search : "#" + query);
  }
  function read() {
    var query = new URLSearchParams(location.hash.slice(1)), name = query.get("view");
    var states = (query.get("state") || "").split(",").filter(Boolean);
    controls.elements.view.value = views.indexOf(name) < 0 ? "needs" : name;
    search.value = query.get("q") || "";
    type.value = query.get("type") || "";
    if (type.selectedIndex < 0) { type.value = ""; }
    views.forEach(function (each) {
      buttons[each].forEach(function (one) {
        one.setAttribute("aria-pressed", String(each === view() && states.indexOf(one.value) >= 0));
      });
    });
    show();
    document.querySelectorAll("tbody.marked").forEach(function (row) { row.classList.remove("marked"); });
    var row = query.get("item") && document.getElementById("item=" + query.get("item"));
    if (row) {
      row.hidden = false;
      row.classList.add("marked");
      expand(row, true);
      row.scrollIntoView({ block: "center" });
      row.querySelector(".toggle").focus({ preventScroll: true });
    }
  }
  function changed() { show(); write(); }

  controls.addEventListener("input", changed);
  controls.addEventListener("submit", function (event) { event.preventDefault(); });
  controls.addEventListener("reset", function (event) {
    event.preventDefault();
    search.value = type.value = "";
    views.forEach(function (each) {
      buttons[each].forEach(function (one) { one.setAttribute("aria-pressed", "false"); });
    });
    changed();
  });
  document.addEventListener("click", function (event) {
    var button = event.target.closest("button");
    if (button && button.classList.contains("toggle")) {
      expand(button.closest("tbody"), button.getAttribute("aria-expanded") !== "true");
    } else if (button && button.closest(".states")) {
      button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
      changed();
    }
  });
  document.addEventListener("keydown", function (event) {
    if (event.key === "/" && !/^(INPUT|SELECT)$/.test(event.target.tagName)) { event.preventDefault(); search.focus(); }
  });
  window.addEventListener("hashchange", read);
  read();
})();
