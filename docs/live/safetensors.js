// Parse a safetensors file: eight bytes with the length of its header, the header, which
// is JSON, and the numbers. The files are those that Python reads, byte for byte.

const TYPES = {
  F64: [8, (view, at) => view.getFloat64(at, true), Float64Array],
  F32: [4, (view, at) => view.getFloat32(at, true), Float32Array],
  F16: [2, (view, at) => HALVES[view.getUint16(at, true)], Float32Array],
  I16: [2, (view, at) => view.getInt16(at, true), Int16Array],
  I32: [4, (view, at) => view.getInt32(at, true), Int32Array],
};

// The number that 16 bits stand for: a sign, five bits of exponent, ten of fraction.
export const half = (bits) => {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  if (exponent === 0) return sign * fraction * 2 ** -24; // subnormal: no leading 1
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
};

const HALVES = new Float32Array(65536).map((_, bits) => half(bits)); // all are exact

// An ArrayBuffer → {tensors: name → {shape, data}, metadata}. Numbers of half precision
// become Float32Array, which holds each of them exactly.
export const parse = (buffer) => {
  const view = new DataView(buffer);
  const start = 8 + Number(view.getBigUint64(0, true));
  if (start > buffer.byteLength) throw new Error("the file is truncated");
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, start - 8)));
  const { __metadata__, ...described } = header;
  const tensors = {};
  for (const [name, { dtype, shape, data_offsets }] of Object.entries(described)) {
    const [from, to] = data_offsets;
    if (!TYPES[dtype])
      throw new Error(`${name} is of type ${dtype}: expected one of ${Object.keys(TYPES)}`);
    const [bytes, read, Kind] = TYPES[dtype];
    const size = shape.reduce((product, n) => product * n, 1);
    if (size * bytes !== to - from || start + to > buffer.byteLength)
      throw new Error(`${name} does not fit into the file: it is truncated or altered`);
    const data = new Kind(size);
    for (let i = 0; i < size; i++) data[i] = read(view, start + from + i * bytes);
    tensors[name] = { shape, data };
  }
  return { tensors, metadata: JSON.parse(__metadata__?.lookback ?? "{}") };
};

// The tensors as attributes of modules: `encoder.cell.W` of the file is nested.encoder.cell.W.
export const nested = (tensors) => {
  const root = {};
  for (const [name, tensor] of Object.entries(tensors)) {
    const path = name.split(".");
    const last = path.pop();
    let node = root;
    for (const part of path) node = node[part] ??= {};
    node[last] = tensor;
  }
  return root;
};
