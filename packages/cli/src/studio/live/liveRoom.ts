import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as after } from 'node:timers/promises';
import { decodePromoted, encodeDocument } from '@replsim/protocol';
import { fromExtendedJson, recordingHeader } from '@replsim/scenario';
import { AdminDoor, isDoorCommand, type ServedSet } from '@replsim/server';
import { type Asked, bodyOf, jsonOf, Refused, type Room, send } from '../door.ts';
import { KeptRecording } from './keptRecording.ts';
import { KeptTrace } from './keptTrace.ts';
import { Onlooker, type Watched } from './onlooker.ts';

/** How long pages wait for news: what has happened meanwhile goes over at once. Unit: ms. */
const PAUSE_MS = 25;
/** How long at most all pages together keep the set waiting then, but for the part that is under way. Unit: ms. */
const TURN_MS = 5;
/** How long a page may take to hear the end. Unit: ms. */
const FAREWELL_MS = 1000;
const MOST_BYTES = 1024 * 1024;

/** What `replsim serve --studio` has behind its door: the trace of the set as it grows, and commands to it. */
export class LiveRoom implements Room {
  readonly command = 'replsim serve --studio';
  readonly mark = 'replsim-live';
  readonly port = { option: '--studio', free: '0' };
  readonly names = { live: [], command: ['POST'] };
  readonly #served: ServedSet;
  readonly #admin: AdminDoor;
  readonly #watched: Watched;
  readonly #onlookers = new Map<Onlooker, ServerResponse>();
  #due: NodeJS.Timeout | undefined;
  #ended: string | undefined;

  /** @param served a set in which nothing has happened yet */
  constructor(served: ServedSet) {
    const header = recordingHeader(`A live set, seed ${served.set.seed}`, served.setOptions);
    this.#served = served;
    this.#admin = new AdminDoor(served);
    const watched = { trace: new KeptTrace(), recording: new KeptRecording(served.resumed), header };
    this.#watched = watched;
    served.set.onTrace((event) => {
      watched.trace.add(event);
      this.#soon();
    });
    served.recorder.start((recorded) => {
      watched.recording.add(recorded);
      this.#soon();
    });
  }

  async answer({ name, method }: Asked, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (name === 'live') return this.#look(request, response);
    if (method === 'POST') return this.#command(request, response);
    response.setHeader('Allow', 'POST');
    throw new Refused(405, 'send commands with POST');
  }

  /** Tells all pages that no more will come, and why; resolves when they have got everything, or after a second. */
  async end(text: string): Promise<void> {
    this.#ended = text;
    const heard = [...this.#onlookers.values()].map((response) => new Promise((done) => response.once('close', done)));
    for (const onlooker of this.#onlookers.keys()) onlooker.end(text);
    this.#soon();
    await Promise.race([Promise.all(heard), after(FAREWELL_MS, undefined, { ref: false })]);
    clearTimeout(this.#due);
  }

  #look(request: IncomingMessage, response: ServerResponse): void {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    if (request.method === 'HEAD') return void response.end();
    const onlooker = new Onlooker(response, this.#watched, () => this.#soon());
    if (this.#ended !== undefined) onlooker.end(this.#ended);
    this.#onlookers.set(onlooker, response);
    response.once('close', () => this.#onlookers.delete(onlooker));
    this.#soon();
  }

  /** Pages share a turn in which sockets are served as well; who is not there costs nothing. */
  #soon(): void {
    if (this.#onlookers.size > 0) this.#due ??= setTimeout(() => this.#turn(), PAUSE_MS);
  }

  #turn(): void {
    this.#due = undefined;
    const endMs = performance.now() + TURN_MS;
    let waiting = [...this.#onlookers.keys()];
    while (waiting.length > 0) {
      waiting = waiting.filter((onlooker) => onlooker.next());
      if (performance.now() >= endMs) break;
    }
    if (waiting.length > 0) this.#soon();
  }

  async #command(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { on, command } = readCommand(await bodyOf(request, 'a command', MOST_BYTES));
    const { primary, set } = this.#served;
    const bytes = encodeDocument(command);
    const member = on ?? primary;
    if (!isDoorCommand(bytes) && member === undefined) throw new Refused(409, 'there is no primary at the moment');
    if (member !== undefined && !set.memberNames.includes(member))
      throw new Refused(400, `no member is called ${member}: there are ${set.memberNames.join(', ')}`);
    const reply = isDoorCommand(bytes)
      ? decodePromoted(await this.#admin.run(bytes))
      : await this.#served.command(member ?? '', command);
    const failure = failureOf(reply);
    if (failure !== undefined) throw new Refused(409, failure);
    send(response, 200, 'application/json', '{}');
  }
}

interface Command {
  /** Default: the primary. */
  readonly on: string | undefined;
  readonly command: object;
}

/** `{ "on": "n1", "command": { … } }`, in Extended JSON; without `$db` it is for `admin`. @throws Refused */
function readCommand(text: string): Command {
  try {
    const { on, command } = jsonOf(text) as { readonly on?: unknown; readonly command?: unknown };
    const read = fromExtendedJson(command);
    if (read instanceof Map && (on === undefined || typeof on === 'string'))
      return { on, command: { ...Object.fromEntries(read), $db: read.get('$db') ?? 'admin' } };
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw new Refused(400, `this is not Extended JSON: ${error instanceof Error ? error.message : error}`);
  }
  throw new Refused(400, 'a command is { "on": "n1", "command": { … } }, in Extended JSON, and "on" may be left out');
}

/** What a reply says went wrong, as a driver would find it. */
function failureOf({
  ok,
  codeName,
  errmsg,
  writeErrors,
  writeConcernError,
}: Record<string, unknown>): string | undefined {
  if (ok !== 1) return codeName === undefined ? String(errmsg) : `${codeName}: ${errmsg}`;
  const [first = writeConcernError] = Array.isArray(writeErrors) ? writeErrors : [];
  return first === undefined ? undefined : String(first.errmsg);
}
