import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, relative, sep } from 'node:path';
import { InputError } from '../io.ts';

/** Nobody else's machine gets here. */
const LOOPBACK = '127.0.0.1';

/** What the page is made of. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** For want of it a browser asks for an icon, again and again, without the token. */
const NO_ICON = '<link rel="icon" href="data:,">';

/**
 * The page loads its own script and style, and asks where it came from. Its worker is made of a blob; the editor writes style sheets.
 * Nobody may show it in a frame, nor learn its address from a link.
 */
const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self' blob:; worker-src blob:; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src data:; " +
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
};

/** What is said instead of an answer. */
export class Refused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** What lies behind a door beside the page, for the page to ask. */
export interface Room {
  /** The command that people have given: refusals speak of it. */
  readonly command: string;
  /** The name of a `meta` in the page's head, by which it knows whom it may ask; nobody else who serves it says so. */
  readonly mark: string;
  /** The option by which people name a port, and what they do for one that is free. */
  readonly port: { readonly option: string; readonly free: string };
  /** What may be asked, by name, and by which methods besides those that read. */
  readonly names: Readonly<Record<string, readonly string[]>>;
  /** The name that an address without one means, where there is no page. */
  readonly index?: string;
  /** How an error is said, where that is not as text. */
  refusal?(message: string): { readonly type: string; readonly body: string };
  /** Answers one of these names, asked by one of these methods. @throws Refused */
  answer(asked: Asked, request: IncomingMessage, response: ServerResponse): Promise<void> | void;
}

/** What is asked of a room. */
export interface Asked {
  readonly name: string;
  /** `GET` stands for `HEAD` too. */
  readonly method: string;
  readonly search: URLSearchParams;
}

export interface DoorOptions {
  /** The folder of the built page; undefined: there is none. */
  readonly page?: string;
  readonly room: Room;
  /** What the address contains; drawn anew by default. */
  readonly token?: string;
  /** 0: one that is free. */
  readonly port: number;
}

/**
 * Serves the page and a room to a browser of this machine. As the room changes files, or a set at work, it answers only who knows the
 * token in its address, names the host by it, and is not sent by a page from elsewhere.
 */
export class Door {
  readonly #token: string;
  readonly #room: Room;
  readonly #page: ReadonlyMap<string, Buffer>;
  readonly #server: Server;

  private constructor({ page, room, token = randomBytes(16).toString('hex') }: DoorOptions) {
    this.#token = token;
    this.#room = room;
    this.#page = page === undefined ? new Map() : pageFiles(page, room.mark);
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  /** @throws InputError if the port is not to be had */
  static async open(options: DoorOptions): Promise<Door> {
    const door = new Door(options);
    door.#server.listen(options.port, LOOPBACK);
    try {
      await once(door.#server, 'listening');
    } catch (error) {
      throw new InputError(cannotListen(options, error as NodeJS.ErrnoException));
    }
    return door;
  }

  /** For a browser; whoever has it may do what the room lets them do. */
  get address(): string {
    return `http://${LOOPBACK}:${this.#port}/${this.#token}/`;
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
      else await this.#serve(request, response, name, url.searchParams);
    } catch (error) {
      if (response.headersSent) return void response.destroy();
      const status = error instanceof Refused ? error.status : 500;
      // Whoever does not listen to the end does not go on talking either.
      response.setHeader('Connection', 'close');
      const message = cut(error instanceof Error ? error.message : String(error));
      const { type, body } = this.#room.refusal?.(message) ?? {
        type: 'text/plain; charset=utf-8',
        body: `${message}\n`,
      };
      send(response, status, type, body);
    }
  }

  /** A page from elsewhere can make a browser call here, by name or by number; its Host or its Origin tells. */
  #judge({ headers }: IncomingMessage): void {
    const hosts = [LOOPBACK, 'localhost'].map((host) => `${host}:${this.#port}`);
    const { host = '', origin = `http://${host}` } = headers;
    if (!hosts.includes(host))
      throw new Refused(403, `${this.#room.command} answers as ${hosts.join(' or ')}, and not as "${host}"`);
    const isOurs = origin === `http://${host}`;
    const site = headers['sec-fetch-site'];
    // Somebody may follow a link to here, from a terminal in a browser for one; its address has the token.
    const isLink = headers['sec-fetch-mode'] === 'navigate';
    if (!isOurs || (!isLink && site !== undefined && site !== 'same-origin' && site !== 'none'))
      throw new Refused(403, `${this.#room.command} answers only its own page, not one of ${isOurs ? site : origin}`);
  }

  /** @returns what is asked for; undefined if the slash is missing, by which the page finds its files */
  #withoutToken(pathname: string): string | undefined {
    const [, token = '', ...rest] = pathname.split('/');
    const [given, known] = [Buffer.from(token), Buffer.from(this.#token)];
    if (given.length !== known.length || !timingSafeEqual(given, known))
      throw new Refused(403, `the address contains a token: use the whole address that ${this.#room.command} printed`);
    // `$ADDRESS/status` has two slashes where the address ends with one, and means the same.
    return rest.length === 0 ? undefined : rest.join('/').replace(/^\/+/, '');
  }

  async #serve(
    request: IncomingMessage,
    response: ServerResponse,
    asked: string,
    search: URLSearchParams,
  ): Promise<void> {
    const name = asked === '' ? (this.#room.index ?? '') : asked;
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
    const page = this.#page.get(name === '' ? 'index.html' : name);
    const writes = Object.hasOwn(this.#room.names, name) ? this.#room.names[name] : undefined;
    if (!page && !writes) throw new Refused(404, 'there is nothing with that name here');
    if (method !== 'GET' && !writes?.includes(method)) {
      response.setHeader('Allow', ['GET', 'HEAD', ...(writes ?? [])].join(', '));
      throw new Refused(405, `${method} is not known here`);
    }
    if (page) send(response, 200, TYPES[extname(name) || '.html'] ?? 'application/octet-stream', page);
    else await this.#room.answer({ name, method, search }, request, response);
  }
}

/** All that the page is made of, by name: a name that is none of these leads nowhere. */
function pageFiles(folder: string, mark: string): ReadonlyMap<string, Buffer> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      const bytes = readFileSync(path);
      const key = relative(folder, path).split(sep).join('/');
      return [key, key === 'index.html' ? marked(bytes, mark) : bytes];
    }),
  );
}

function marked(html: Buffer, mark: string): Buffer {
  return Buffer.from(html.toString('utf8').replace('</head>', `<meta name="${mark}">${NO_ICON}</head>`));
}

function urlOf({ url = '' }: IncomingMessage): URL {
  const base = `http://${LOOPBACK}`;
  if (!URL.canParse(url, base)) throw new Refused(400, 'this is not a valid address');
  return new URL(url, base);
}

/** What somebody sends along, as text. @throws Refused */
export async function bodyOf(request: IncomingMessage, what: string, mostBytes: number): Promise<string> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > mostBytes) throw new Refused(413, `${what} has at most ${mostBytes} bytes here`);
    parts.push(part);
  }
  try {
    // A byte order mark is a part of the file.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(parts));
  } catch {
    throw new Refused(400, `${what} must be UTF-8, and this is not`);
  }
}

/** More levels than any command has; what reads values afterwards may then call itself. */
const MOST_LEVELS = 200;

/** JSON that somebody sends along. @throws SyntaxError if it is none, Refused if it is nested too deep */
export function jsonOf(text: string): unknown {
  let levels = 0;
  // Brackets inside strings are text.
  for (const [part] of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[\]{}]/gs)) {
    if (part === '[' || part === '{') levels += 1;
    else if (part === ']' || part === '}') levels -= 1;
    if (levels > MOST_LEVELS) throw new Refused(400, `this is nested too deep: at most ${MOST_LEVELS} levels are read`);
  }
  return JSON.parse(text);
}

/** An error repeats what was sent, which may be long. */
function cut(message: string): string {
  return message.length <= MOST_SAID ? message : `${message.slice(0, MOST_SAID)}…`;
}

const MOST_SAID = 1000;

/** Answers at once. */
export function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }).end(body);
}

function cannotListen({ port, room }: DoorOptions, { code, message }: NodeJS.ErrnoException): string {
  const { option, free } = room.port;
  if (code === 'EADDRINUSE')
    return `port ${port} of ${LOOPBACK} is taken: choose another with ${option}, or ${free} for one that is free`;
  if (code === 'EACCES') return `port ${port} needs more permissions: choose one above 1023 with ${option}`;
  return `cannot listen on port ${port} of ${LOOPBACK}: ${message}`;
}
