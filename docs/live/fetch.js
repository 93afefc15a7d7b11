// Fetch files of the site. What does not load is named, with the reason where a browser
// tells one. The next try goes past the browser's cache, which may hold what was wrong.

const failed = new Set();

// what   names the file in a message: "The script luong.js"
// kind   of its content: "text" or "arrayBuffer"
export const fetchFile = async (what, url, kind, options) => {
  let why = "the connection broke, or the file is not the one of this page";
  try {
    const answer = await fetch(url, failed.has(url) ? { ...options, cache: "reload" } : options);
    if (answer.ok) return await answer[kind]();
    why = `the server answers ${answer.status}`;
  } catch {
    if (!navigator.onLine) why = "this browser is offline";
  }
  failed.add(url);
  throw new Error(`${what} did not load: ${why}`);
};
