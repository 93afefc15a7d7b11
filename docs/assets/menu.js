// The menu of a narrow screen takes the keyboard along, opens where the reader is, and
// is closed by Escape. Without scripts a label opens it, as in Material.
{
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
