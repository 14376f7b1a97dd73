import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, relative, sep } from 'node:path';
import { InputError } from '../io.ts';
import type { Shelf } from './shelf.ts';

/** Nobody else's machine gets here. */
const LOOPBACK = '127.0.0.1';

/** More than any scenario; recordings are the longest. */
const MOST_BYTES = 32 * 1024 * 1024;

/** What the page is made of. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * By the first the page knows that there are files to ask for; nobody else who serves it says so. For want of the second a browser asks
 * for an icon, again and again, without the token.
 */
const SERVED_BY_DOOR = '<meta name="replsim-door"><link rel="icon" href="data:,">';

/**
 * The page loads its own script and style, and asks where it came from. Its worker is made of a blob; the editor writes style sheets.
 * Nobody may show it in a frame, nor learn its address from a link.
 */
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self' blob:; worker-src blob:; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
};

/** What is said instead of an answer. */
class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface DoorOptions {
  /** The folder of the built page. */
  readonly page: string;
  readonly shelf: Shelf;
  /** 0: one that is free. */
  readonly port: number;
}

/**
 * Serves the page and the scenarios to a browser of this machine. As it changes files, it answers only who knows the token in its address,
 * names the host by it, and is not sent by a page from elsewhere.
 */
export class Door {
  readonly #token = randomBytes(16).toString('hex');
  readonly #shelf: Shelf;
  readonly #page: ReadonlyMap<string, Buffer>;
  readonly #server: Server;
  readonly #listeners = new Set<ServerResponse>();

  private constructor({ page, shelf }: DoorOptions) {
    this.#shelf = shelf;
    this.#page = pageFiles(page);
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  /** @throws InputError if the port is not to be had */
  static async open(options: DoorOptions): Promise<Door> {
    const door = new Door(options);
    door.#server.listen(options.port, LOOPBACK);
    try {
      await once(door.#server, 'listening');
    } catch (error) {
      throw new InputError(cannotListen(options.port, error as NodeJS.ErrnoException));
    }
    return door;
  }

  /** For a browser; whoever has it may save. */
  get address(): string {
    return `http://${LOOPBACK}:${this.#port}/${this.#token}/`;
  }

  /** Tells the pages that a file has changed, come or gone. @param path as the shelf has it */
  announce(path: string): void {
    for (const listener of this.#listeners) listener.write(`event: changed\ndata: ${JSON.stringify({ path })}\n\n`);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  get #port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
    try {
      this.#judge(request);
      const url = urlOf(request);
      const name = this.#withoutToken(url.pathname);
      if (name === undefined) response.writeHead(308, { Location: `/${this.#token}/` }).end();
      else await this.#serve(request, response, name, url.searchParams.get('path') ?? '');
    } catch (error) {
      if (response.headersSent) return void response.destroy();
      const status = error instanceof Refused ? error.status : 500;
      // Whoever does not listen to the end does not go on talking either.
      response.setHeader('Connection', 'close');
      send(response, status, 'text/plain; charset=utf-8', `${error instanceof Error ? error.message : error}\n`);
    }
  }

  /** A page from elsewhere can make a browser call here, by name or by number; its Host or its Origin tells. */
  #judge({ headers }: IncomingMessage): void {
    const hosts = [LOOPBACK, 'localhost'].map((host) => `${host}:${this.#port}`);
    const { host = '', origin = `http://${host}` } = headers;
    if (!hosts.includes(host))
      throw new Refused(403, `replsim studio answers as ${hosts.join(' or ')}, and not as "${host}"`);
    const isOurs = origin === `http://${host}`;
    const site = headers['sec-fetch-site'];
    // Somebody may follow a link to here, from a terminal in a browser for one; its address has the token.
    const isLink = headers['sec-fetch-mode'] === 'navigate';
    if (!isOurs || (!isLink && site !== undefined && site !== 'same-origin' && site !== 'none'))
      throw new Refused(403, `replsim studio answers its own page alone, and not one of ${isOurs ? site : origin}`);
  }

  /** @returns what is asked for; undefined if the slash is missing, by which the page finds its files */
  #withoutToken(pathname: string): string | undefined {
    const [, token = '', ...rest] = pathname.split('/');
    const [given, known] = [Buffer.from(token), Buffer.from(this.#token)];
    if (given.length !== known.length || !timingSafeEqual(given, known))
      throw new Refused(403, 'the address has a token in it: take the whole address that replsim studio has printed');
    return rest.length === 0 ? undefined : rest.join('/');
  }

  async #serve(request: IncomingMessage, response: ServerResponse, name: string, path: string): Promise<void> {
    const { method = '' } = request;
    const isRead = method === 'GET' || method === 'HEAD';
    if (name === 'scenario' && method === 'PUT') return this.#save(request, response, path);
    const page = this.#page.get(name === '' ? 'index.html' : name);
    if (!page && !['scenario', 'scenarios.json', 'events'].includes(name))
      throw new Refused(404, 'there is nothing of that name here');
    if (!isRead) {
      response.setHeader('Allow', name === 'scenario' ? 'GET, HEAD, PUT' : 'GET, HEAD');
      throw new Refused(405, `${method} means nothing here`);
    }
    if (page) send(response, 200, TYPES[extname(name) || '.html'] ?? 'application/octet-stream', page);
    else if (name === 'scenarios.json')
      send(response, 200, 'application/json', JSON.stringify(await this.#shelf.list()));
    else if (name === 'events') this.#listen(response);
    else this.#read(response, path);
  }

  #read(response: ServerResponse, path: string): void {
    const kept = this.#shelf.read(path);
    if (kept === undefined) throw notThere(path);
    response.setHeader('ETag', `"${kept.version}"`);
    send(response, 200, 'text/yaml; charset=utf-8', kept.text);
  }

  /** Only over the text that the page has seen: what somebody wrote meanwhile is not lost. */
  async #save(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const version = /^"(\w+)"$/.exec(request.headers['if-match'] ?? '')?.[1];
    if (version === undefined) throw new Refused(428, 'If-Match must have the ETag of the text that is to be replaced');
    if (this.#shelf.read(path) === undefined) throw notThere(path);
    const text = await bodyOf(request);
    const kept = this.#shelf.write(path, text, version);
    if (kept === undefined) throw new Refused(412, `${path} has changed on disk, and is not overwritten`);
    response.writeHead(204, { ETag: `"${kept.version}"` }).end();
  }

  #listen(response: ServerResponse): void {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    // A comment, so that the page knows that it is heard.
    response.write(': listening\n\n');
    this.#listeners.add(response);
    response.once('close', () => this.#listeners.delete(response));
  }
}

const notThere = (path: string) => new Refused(404, `no scenario "${path}" is in the list`);

/** All that the page is made of, by name: a name that is none of these leads nowhere. */
function pageFiles(folder: string): ReadonlyMap<string, Buffer> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      const bytes = readFileSync(path);
      const key = relative(folder, path).split(sep).join('/');
      return [key, key === 'index.html' ? marked(bytes) : bytes];
    }),
  );
}

function marked(html: Buffer): Buffer {
  return Buffer.from(html.toString('utf8').replace('</head>', `${SERVED_BY_DOOR}</head>`));
}

function urlOf({ url = '' }: IncomingMessage): URL {
  const base = `http://${LOOPBACK}`;
  if (!URL.canParse(url, base)) throw new Refused(400, 'this is no address');
  return new URL(url, base);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > MOST_BYTES) throw new Refused(413, `a scenario has at most ${MOST_BYTES} bytes here`);
    parts.push(part);
  }
  try {
    // A byte order mark is a part of the file.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(parts));
  } catch {
    throw new Refused(400, 'a scenario is UTF-8, and this is not');
  }
}

function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }).end(body);
}

function cannotListen(port: number, { code, message }: NodeJS.ErrnoException): string {
  if (code === 'EADDRINUSE')
    return `port ${port} of ${LOOPBACK} is taken: choose another with --port, or leave it out for one that is free`;
  if (code === 'EACCES') return `port ${port} is not for everybody: choose one above 1023 with --port`;
  return `cannot listen on port ${port} of ${LOOPBACK}: ${message}`;
}
