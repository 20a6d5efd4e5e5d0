// What the theme leaves without a name gets one; what can be scrolled can be reached by keyboard.

const text = (element) => element.textContent.trim();

function name(root) {
  // The words that a button or a fold shows are its name.
  for (const one of root.querySelectorAll("summary[aria-label], .search-button__button[aria-label]")) {
    if (text(one)) one.removeAttribute("aria-label");
  }
  for (const one of root.querySelectorAll("nav summary")) {
    const link = one.parentElement.parentElement.querySelector("a");
    if (!text(one)) one.setAttribute("aria-label", link ? `Pages of ${text(link)}` : "Pages");
  }
  // The corner of a table of numbers is no heading.
  for (const one of root.querySelectorAll("th")) {
    if (!text(one)) one.replaceWith(document.createElement("td"));
  }
  const sidebar = root.querySelector(".bd-sidebar-primary");
  sidebar?.setAttribute("role", "region");
  sidebar?.setAttribute("aria-label", "Pages of the site");
}

function reach(root) {
  const wide = ".pst-scrollable-table-container, .cell_output .text_html, .cell_output pre, .highlight pre, figure > [role=img]";
  for (const one of root.querySelectorAll(wide)) {
    if (one.scrollWidth > one.clientWidth) one.tabIndex = 0;
  }
}

addEventListener("DOMContentLoaded", () => {
  name(document);
  reach(document);
});
addEventListener("resize", () => reach(document));
