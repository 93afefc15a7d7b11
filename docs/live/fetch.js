// Fetch files of the site. What does not load is named, with the reason. The next try goes
// past the browser's cache, which may hold what was wrong.

const failed = new Set();

// Where a file has a checksum, a browser hides what the server answered: ask once more.
const reason = (url) =>
  fetch(url, { method: "HEAD", cache: "no-store" }).then(
    ({ ok, status }) =>
      ok ? "it came in part, or is not the file of this page" : `the server answers ${status}`,
    () => "there is no connection",
  );

// what   names the file in a message: "The script luong.js"
// kind   of its content: "text" or "arrayBuffer"
export const fetchFile = async (what, url, kind, options) => {
  try {
    const answer = await fetch(url, failed.has(url) ? { ...options, cache: "reload" } : options);
    if (answer.ok) return await answer[kind]();
  } catch {
    // the reason follows
  }
  failed.add(url);
  throw new Error(`${what} did not load: ${await reason(url)}`);
};
