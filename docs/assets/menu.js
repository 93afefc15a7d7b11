// Name what Material's navigation and search leave unnamed. Open the menu of a narrow
// screen at the current page, with the keyboard in it, and close it by Escape; without
// scripts a label opens it, as in Material.
{
  for (const link of document.querySelectorAll("a.md-nav__link--active:not(.md-nav--secondary a)"))
    link.setAttribute("aria-current", "page");
  const chapter = document.querySelector(".lb-back a"); // of a page that shows a module
  for (const link of document.querySelectorAll(".md-nav--primary a.md-nav__link"))
    if (link.href === chapter?.href) {
      link.classList.add("md-nav__link--active");
      link.setAttribute("aria-current", "true");
    }
  const search = document.querySelector(".md-search__input");
  if (search) {
    // Material replaces this line as soon as the index is there.
    document.querySelector(".md-search-result__meta").textContent =
      "The search is loading. If this line stays, reload the page.";
    search.placeholder = "Search: press /";
    search.setAttribute("aria-keyshortcuts", "/");
    search.closest("[role=dialog]")?.removeAttribute("role"); // it is a search inside
  }

  const menu = document.querySelector("button.lb-menu");
  const drawer = document.getElementById("__drawer");
  const sidebar = document.querySelector(".md-sidebar--primary");

  const scroller = (element) => {
    for (let e = element; e && e !== sidebar.parentElement; e = e.parentElement)
      if (e.scrollHeight > e.clientHeight && getComputedStyle(e).overflowY !== "visible")
        return e;
  };

  menu?.addEventListener("click", () => drawer.click());
  drawer.addEventListener("change", () => {
    menu?.setAttribute("aria-expanded", drawer.checked);
    if (!drawer.checked || !sidebar) return;
    const here =
      sidebar.querySelector("a.md-nav__link--active:not(.md-nav--secondary a)") ??
      sidebar.querySelector("li a");
    here.focus({ preventScroll: true });
    const list = scroller(here);
    if (!list) return;
    const [inside, around] = [here, list].map((e) => e.getBoundingClientRect());
    list.scrollTop += inside.top - around.top - around.height / 3;
  });
  addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !drawer.checked) return;
    drawer.click();
    menu?.focus();
  });
}
