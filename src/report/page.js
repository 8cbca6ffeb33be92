"use strict";
/* Everything is readable without this: it adds sorting, copying and a closer look at the stacks. */
for (const table of document.querySelectorAll("table.sortable")) {
  const heads = table.querySelectorAll("thead th");
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    if (!head.textContent.trim())
      return;
    head.textContent = "";
    head.append(button);
    button.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") !== "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const key = (row) => {
        const cell = row.cells[column];
        return cell.dataset.value !== undefined ? Number(cell.dataset.value) : cell.textContent;
      };
      const body = table.tBodies[0];
      const rows = Array.from(body.rows).sort((a, b) => {
        const x = key(a), y = key(b);
        const order = typeof x === "number" && typeof y === "number" ? x - y : String(x).localeCompare(String(y));
        return up ? order : -order;
      });
      body.append(...rows);
    });
  });
}
for (const code of document.querySelectorAll("pre.copy")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "copy";
  button.addEventListener("click", async () => {
    const text = code.textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "copied";
    } catch (error) {
      getSelection().selectAllChildren(code);
      button.textContent = "selected";
    }
    setTimeout(() => { button.textContent = "copy"; }, 1500);
  });
  code.after(button);
}
for (const svg of document.querySelectorAll("svg.icicle")) {
  const full = svg.getAttribute("viewBox").split(" ").map(Number);
  const show = (node) => {
    const rect = node.querySelector("rect");
    const x = Number(rect.getAttribute("x")), width = Number(rect.getAttribute("width"));
    const isAll = node === svg.querySelector("g.node") || width >= full[2];
    svg.setAttribute("preserveAspectRatio", isAll ? "xMidYMid meet" : "none");
    svg.setAttribute("viewBox", isAll ? full.join(" ") : [x, full[1], Math.max(width, 1), full[3]].join(" "));
  };
  svg.setAttribute("role", "group");
  for (const node of svg.querySelectorAll("g.node")) {
    node.setAttribute("role", "button");
    node.setAttribute("tabindex", "0");
    node.setAttribute("aria-label", node.querySelector("title").textContent);
    node.addEventListener("click", () => show(node));
    node.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        show(node);
      }
    });
  }
}
