// Make elements of HTML and SVG.

const built = (element, attributes, children) => {
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};

export const make = (name, attributes = {}, ...children) =>
  built(document.createElement(name), attributes, children);

export const makeSvg = (name, attributes = {}, ...children) =>
  built(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);

export const button = (words, action, attributes = {}) => {
  const element = make("button", { type: "button", ...attributes }, words);
  element.addEventListener("click", action);
  return element;
};

export const textField = () =>
  make("input", {
    type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false",
  });

const MOST = 500; // characters of a field

// Why a text is not read; "" where it is short enough.
export const tooLong = ({ length }) =>
  length > MOST
    ? `The text has ${length} characters, and at most ${MOST} are read: shorten it.`
    : "";
