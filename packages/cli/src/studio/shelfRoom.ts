import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Asked, bodyOf, Refused, type Room, send } from './door.ts';
import type { Shelf } from './shelf.ts';

/** More than any scenario; recordings are the longest. */
const MOST_BYTES = 32 * 1024 * 1024;

/** What `replsim studio` has behind its door: the scenarios of a folder, to open and to save, and word of those that change. */
export class ShelfRoom implements Room {
  readonly command = 'replsim studio';
  readonly mark = 'replsim-door';
  readonly port = { option: '--port', free: 'leave it out' };
  readonly names = { scenario: ['PUT'], 'scenarios.json': [], events: [] };
  readonly #shelf: Shelf;
  readonly #listeners = new Set<ServerResponse>();

  constructor(shelf: Shelf) {
    this.#shelf = shelf;
  }

  /** Tells the pages that a file has changed, come or gone. @param path as the shelf has it */
  announce(path: string): void {
    for (const listener of this.#listeners) listener.write(`event: changed\ndata: ${JSON.stringify({ path })}\n\n`);
  }

  async answer(asked: Asked, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = asked.search.get('path') ?? '';
    if (asked.name === 'events') this.#listen(request, response);
    else if (asked.name === 'scenarios.json')
      send(response, 200, 'application/json', JSON.stringify(await this.#shelf.list()));
    else if (asked.method === 'PUT') await this.#save(request, response, path);
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
    if (version === undefined) throw new Refused(428, 'If-Match must be the ETag of the text to replace');
    if (this.#shelf.read(path) === undefined) throw notThere(path);
    const text = await bodyOf(request, 'a scenario', MOST_BYTES);
    const kept = this.#shelf.write(path, text, version);
    if (kept === undefined) throw new Refused(412, `${path} has changed on disk, so it was not overwritten`);
    response.writeHead(204, { ETag: `"${kept.version}"` }).end();
  }

  #listen({ method }: IncomingMessage, response: ServerResponse): void {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    if (method === 'HEAD') return void response.end();
    // A comment, so that the page knows that it is heard.
    response.write(': listening\n\n');
    this.#listeners.add(response);
    response.once('close', () => this.#listeners.delete(response));
  }
}

const notThere = (path: string) => new Refused(404, `no scenario "${path}" is in the list`);
