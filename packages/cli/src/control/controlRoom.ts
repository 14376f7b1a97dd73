import type { IncomingMessage, ServerResponse } from 'node:http';
import { didYouMeanOneOf } from '@replsim/kernel';
import { decodePromoted, encodeDocument } from '@replsim/protocol';
import { FAULT_KINDS } from '@replsim/replset';
import { fromExtendedJson, reasonsWithFilters, recordingEnd, recordingHeader, Transcript } from '@replsim/scenario';
import { AdminDoor, type ServedSet } from '@replsim/server';
import { answered, isAnswerable } from '../commands/whyAnswers.ts';
import { InputError } from '../io.ts';
import { type Asked, bodyOf, jsonOf, Refused, type Room, send } from '../studio/door.ts';
import { KeptRecording } from '../studio/live/keptRecording.ts';
import { openApi } from './openApi.ts';
import { VERBS, type Verb, verbOf } from './verbs.ts';

const MOST_BYTES = 1024 * 1024;
/** Somebody who follows the events, and is this far behind, is let go. */
const MOST_WAITING_BYTES = 1024 * 1024;
/** Of CommandError. Upstream: error_codes.yml. */
const BAD_VALUE = 2;
const NODE_NOT_FOUND = 74;

/** What `replsim serve --control` has behind its door: the verbs, on a set at work. */
export class ControlRoom implements Room {
  readonly command = 'replsim serve --control';
  readonly mark = 'replsim-control';
  readonly port = { option: '--control', free: '0' };
  readonly index = 'openapi.json';
  readonly names = Object.fromEntries(
    Object.entries<Verb>(VERBS).map(([name, { method }]) => [name, method === 'POST' ? ['POST'] : []]),
  );
  readonly #served: ServedSet;
  readonly #admin: AdminDoor;
  readonly #recording: KeptRecording;
  readonly #header: string;
  readonly #reasons = reasonsWithFilters();
  readonly #transcript = new Transcript();
  readonly #listeners = new Set<ServerResponse>();
  /** Where the door is; known once it is open. */
  address = '';

  /** @param served a set in which nothing has happened yet */
  constructor(served: ServedSet) {
    this.#served = served;
    this.#admin = new AdminDoor(served);
    this.#recording = new KeptRecording(served.resumed);
    this.#header = recordingHeader(`A served set, seed ${served.set.seed}`, served.setOptions);
    served.set.onTrace((event) => {
      this.#reasons.observe(event);
      for (const line of this.#transcript.observe(event)) this.#tell(line);
    });
    served.recorder.start((recorded) => this.#recording.add(recorded));
  }

  /** Errors are JSON here, like everything else. */
  refusal(message: string): { readonly type: string; readonly body: string } {
    return { type: 'application/json', body: `${JSON.stringify({ ok: 0, errmsg: message })}\n` };
  }

  async answer({ name, method, search }: Asked, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const verb = verbOf(name);
    if (verb === undefined) throw new Refused(404, 'there is nothing with that name here');
    if (verb.method !== method) {
      response.setHeader('Allow', verb.method);
      throw new Refused(405, `${name} is asked by ${verb.method}, not by ${method}`);
    }
    const given =
      method === 'POST'
        ? readBody(name, verb, await bodyOf(request, 'a request', MOST_BYTES))
        : Object.fromEntries(search);
    check(name, verb, given);
    if (verb.command) return sendJson(response, await this.#run(name, verb.command(given)));
    if (name === 'why') return sendJson(response, this.#why(given));
    if (name === 'record') return send(response, 200, verb.answers ?? '', this.#record());
    if (name === 'events') return this.#follow(response);
    sendJson(response, openApi(this.address));
  }

  /** No more will come. */
  end(): void {
    for (const response of this.#listeners) response.end();
    this.#listeners.clear();
  }

  async #run(name: string, command: object): Promise<object> {
    const bytes = encodeDocument({ ...command, $db: 'admin' });
    const { ok, errmsg, code, ...reply } = decodePromoted(await this.#admin.run(bytes));
    if (ok === 1) return { ok: 1, ...reply };
    // The same code says that there is no primary now, which whoever asks could not know.
    const isUnknown = code === NODE_NOT_FOUND && String(errmsg).startsWith('no member is called');
    const [asCommand = ''] = Object.keys(command);
    throw new Refused(code === BAD_VALUE || isUnknown ? 400 : 409, String(errmsg).replaceAll(asCommand, name));
  }

  #why({ question, subject, id, on }: Readonly<Record<string, unknown>>): object {
    const { set } = this.#served;
    if (!isAnswerable(question)) {
      const known = VERBS.why.fields.question.what;
      throw new Refused(400, `why: question must be one of ${known}, not ${JSON.stringify(question)}`);
    }
    const subjects = [subject, id].filter((each) => each !== undefined).map(String);
    this.#reasons.passed(set.nowMicros);
    const form = (kind: string) => FORMS_HERE[kind] ?? `why?question=${kind}`;
    const asked = { question, subjects, on: on === undefined ? undefined : String(on), members: set.memberNames, form };
    try {
      const reasons = answered(this.#reasons, { ...asked, readJson: fromExtendedJson });
      return { ok: 1, nowMicros: set.nowMicros, reasons };
    } catch (error) {
      if (error instanceof InputError) throw new Refused(400, `why: ${error.message}`);
      throw error;
    }
  }

  #record(): string {
    const lines: string[] = [];
    for (let more = this.#recording.lines(0); more.length > 0; more = this.#recording.lines(lines.length))
      lines.push(...more);
    return `${this.#header}${this.#recording.gap ?? ''}${lines.join('')}${recordingEnd(this.#served.set.nowMicros)}`;
  }

  #follow(response: ServerResponse): void {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    // Headers go out at once: whoever listens knows that it does.
    response.write(': the transcript of the set, from now on\n\n');
    this.#listeners.add(response);
    response.once('close', () => this.#listeners.delete(response));
  }

  #tell(line: string): void {
    for (const response of this.#listeners) {
      response.write(`data: ${line.replaceAll('\n', '\ndata: ')}\n\n`);
      if (response.writableLength > MOST_WAITING_BYTES) response.destroy();
    }
  }
}

/** How questions that need a subject are asked here. */
const FORMS_HERE: Readonly<Record<string, string>> = {
  vote: 'why?question=vote&subject=n1',
  state: 'why?question=state&subject=n1',
  write: 'why?question=write',
  data: 'why?question=data&subject=app.orders',
  document: 'why?question=document&subject=app.orders&id=1',
};

function sendJson(response: ServerResponse, value: object): void {
  send(response, 200, 'application/json', `${JSON.stringify(value)}\n`);
}

/** JSON, or just the value of the one field that is meant. @throws Refused */
function readBody(name: string, { main }: Verb, text: string): Record<string, unknown> {
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = jsonOf(text);
  } catch (error) {
    if (error instanceof Refused) throw error;
    if (main === undefined) throw new Refused(400, `${name}: the body must be JSON: ${(error as Error).message}`);
    value = text.trim();
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  if (main !== undefined) return { [main]: value };
  throw new Refused(400, `${name}: the body must be a JSON object, not ${JSON.stringify(value)}`);
}

/** A name that would be passed over, and one that is missing. @throws Refused */
function check(name: string, { fields, takesFaults }: Verb, given: Readonly<Record<string, unknown>>): void {
  const known = [...Object.keys(fields), ...(takesFaults ? FAULT_KINDS : [])];
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue;
    const meant = known.length === 0 ? 'it takes none' : didYouMeanOneOf(key, known);
    throw new Refused(400, `${name} has no field "${key}"${meant === undefined ? '' : `; ${meant}`}`);
  }
  for (const [key, { required, what }] of Object.entries(fields))
    if (required && given[key] === undefined) throw new Refused(400, `${name} needs "${key}": ${what}`);
}
