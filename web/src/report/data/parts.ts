// The parts of the file: deflated JSON in base64, each in an element of its own.

/** Reads one part; nothing is fetched, it is all in the page. */
export async function readPart<T>(id: string): Promise<T> {
  const element = document.getElementById(id);
  if (!element) throw new Error(`this report has no part '${id}': the file is damaged`);
  const text = await inflated(bytes(element.textContent ?? ""));
  return JSON.parse(text) as T;
}

function bytes(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64);
  const data = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) data[i] = binary.charCodeAt(i);
  return data;
}

async function inflated(data: Uint8Array<ArrayBuffer>): Promise<string> {
  const stream = new Blob([data]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).text();
}
