/** A scenario to choose. */
export interface Listed {
  readonly path: string;
  readonly name: string;
}

/** A scenario's text as it lies on disk. */
export interface Kept {
  readonly path: string;
  /** Without the byte order mark. */
  readonly text: string;
  /** Whether the file begins with a byte order mark, which nobody sees and which stays there. */
  readonly hasMark: boolean;
  /** As the door names the text; it takes another one only in the place of this. */
  readonly etag: string;
}

/** Whether `replsim studio` serves this page, which then has files to open and save. */
export function isServedByDoor(): boolean {
  return document.querySelector('meta[name="replsim-door"]') !== null;
}

/** What there is to open. @throws Error as all of these: with words for whoever looks at the page */
export async function list(): Promise<readonly Listed[]> {
  return (await asked('scenarios.json')).json();
}

export async function read(path: string): Promise<Kept> {
  const response = await asked(urlOf(path));
  // `text()` would lose the mark.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer());
  const hasMark = text.startsWith(MARK);
  return { path, text: hasMark ? text.slice(MARK.length) : text, hasMark, etag: etagOf(response) };
}

/** Saves a text in the place of the one that was read, whose line ends and byte order mark it gets. */
export async function save({ path, text: before, hasMark, etag }: Kept, written: string): Promise<Kept> {
  const text = before.includes('\r\n') ? written.replaceAll(/\r?\n/g, '\r\n') : written;
  const body = hasMark ? MARK + text : text;
  const response = await asked(urlOf(path), { method: 'PUT', body, headers: { 'If-Match': etag } });
  return { path, text, hasMark, etag: etagOf(response) };
}

const MARK = '\uFEFF';

const etagOf = (response: Response) => response.headers.get('ETag') ?? '';

/** Whether two texts say the same: an editor knows one kind of line ends. */
export function isSame(a: string, b: string): boolean {
  return a.replaceAll('\r\n', '\n') === b.replaceAll('\r\n', '\n');
}

/**
 * Listens for files that change on disk.
 * @param changed of which; undefined where the door is heard from now on, and nobody has told what has changed before
 * @returns what ends that
 */
export function onChanged(changed: (path: string | undefined) => void): () => void {
  const source = new EventSource('events');
  source.addEventListener('changed', ({ data }: MessageEvent<string>) => changed(JSON.parse(data).path));
  source.addEventListener('open', () => changed(undefined));
  return () => source.close();
}

const urlOf = (path: string) => `scenario?path=${encodeURIComponent(path)}`;

async function asked(url: string, init?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, init);
  } catch {
    throw new Error('replsim studio does not answer: start it again, and open the address that it prints then');
  }
  if (!response.ok) throw new Error((await response.text()).trim());
  return response;
}
