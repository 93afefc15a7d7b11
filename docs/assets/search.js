// Material asks for the search index and starts a worker as soon as a page opens. Here
// both wait until a reader goes to the search: most read a page and never search it.
if (location.protocol !== "file:") {
  const box = document.querySelector(".md-search__input");
  const toggle = document.getElementById("__search");
  const { XMLHttpRequest, Worker } = window;
  const waiting = [];
  let begun = !box;

  const whenWanted = (act) => (begun ? act() : waiting.push(act));
  const begin = () => {
    begun = true;
    window.XMLHttpRequest = XMLHttpRequest;
    for (const act of waiting.splice(0)) act();
  };
  box?.addEventListener("focus", begin, { once: true });
  toggle?.addEventListener("change", begin, { once: true });

  window.XMLHttpRequest = class extends XMLHttpRequest {
    open(method, url, ...rest) {
      this.late = String(url).endsWith("search/search_index.json");
      super.open(method, url, ...rest);
    }
    send(body) {
      if (this.late) whenWanted(() => super.send(body));
      else super.send(body);
    }
  };

  // The worker is started by its first message, which is the index.
  window.Worker = function (url, options) {
    if (!String(url).includes("/workers/search.")) return new Worker(url, options);
    const late = new EventTarget();
    let worker;
    late.postMessage = (message) => {
      if (!worker) {
        worker = new Worker(url, options);
        worker.onmessage = ({ data }) =>
          late.dispatchEvent(new MessageEvent("message", { data }));
      }
      worker.postMessage(message);
    };
    return late;
  };
}
