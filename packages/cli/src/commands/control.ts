import { didYouMeanOneOf } from '@replsim/kernel';
import { FAULT_KINDS } from '@replsim/replset';
import { parse } from 'yaml';
import { VERBS, type Verb, verbOf } from '../control/verbs.ts';
import { ExitCodes, InputError, type Io } from '../io.ts';

export interface ControlOptions {
  /** The address that `serve --control` printed. */
  readonly at?: string;
  readonly untilPrimary?: boolean;
  readonly within?: string;
}

/** The status of what was asked rightly, and refused by the set or not reached in time. */
const NOT_COME_ABOUT = 409;
const HOW = 'replsim serve --control PORT prints it';

/** `replsim control`: one verb, or one fault, to a served set. */
export async function controlCommand(
  what: string,
  args: readonly string[],
  options: ControlOptions,
  io: Io,
): Promise<number> {
  const address = addressOf(options);
  const { name, verb, body } = read(what, args, options);
  const url = new URL(name, address);
  if (verb.method === 'GET') for (const [key, value] of Object.entries(body)) url.searchParams.set(key, String(value));
  const response = await asked(url, verb, body, io);
  const stream = response.body ?? [];
  const decoder = new TextDecoder();
  let text = '';
  // Events go on until somebody has had enough of them.
  for await (const part of stream as AsyncIterable<Uint8Array>) {
    const piece = decoder.decode(part, { stream: true });
    if (name === 'events') io.out(linesOfEvents(piece));
    else text += piece;
  }
  if (response.ok) {
    io.out(text);
    return ExitCodes.ok;
  }
  const message = errorIn(text);
  if (response.status !== NOT_COME_ABOUT) throw new InputError(message);
  io.err(`${message}\n`);
  return ExitCodes.failed;
}

function addressOf({ at = process.env.REPLSIM_CONTROL }: ControlOptions): string {
  if (at === undefined || at === '')
    throw new InputError(`where is the set? --at ADDRESS, or the variable REPLSIM_CONTROL; ${HOW}`);
  if (!URL.canParse(at) || !/^https?:/.test(at)) throw new InputError(`--at: "${at}" is not an address; ${HOW}`);
  return at.endsWith('/') ? at : `${at}/`;
}

async function asked(url: URL, verb: Verb, body: object, io: Io): Promise<Response> {
  const interrupted = new AbortController();
  io.onInterrupt?.(() => interrupted.abort());
  try {
    return await fetch(url, {
      method: verb.method,
      signal: interrupted.signal,
      ...(verb.method === 'POST' && { body: JSON.stringify(body) }),
    });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new InputError(`nobody answers at ${url.origin}: ${cause instanceof Error ? cause.message : cause}`);
  }
}

interface Read {
  readonly name: string;
  readonly verb: Verb;
  readonly body: Readonly<Record<string, unknown>>;
}

function read(what: string, args: readonly string[], { untilPrimary, within }: ControlOptions): Read {
  const options = { ...(untilPrimary && { untilPrimary }), ...(within !== undefined && { within }) };
  if ((FAULT_KINDS as readonly string[]).includes(what)) {
    const text = args.join(' ');
    const fault = text === '' ? {} : { [what]: yamlOf(what, text) };
    return { name: 'fault', verb: VERBS.fault, body: { ...(text === '' ? { [what]: {} } : fault), ...options } };
  }
  const verb = verbOf(what);
  if (verb === undefined || verb.takesFaults) {
    const known = [...Object.keys(VERBS).filter((name) => name !== 'fault'), ...FAULT_KINDS];
    throw new InputError(`there is no "${what}" here; ${didYouMeanOneOf(what, known) ?? known.join(', ')}`);
  }
  return { name: what, verb, body: { ...named(what, verb, args), ...options } };
}

/** `kill primary`, `partition "[[n1], [n2, n3]]"`: as a scenario has it. */
function yamlOf(kind: string, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new InputError(`${kind}: "${text}" is not YAML: ${(error as Error).message.split('\n')[0]}`);
  }
}

/** `advance 61s`, `why primary n1`, `until-primary other=n1`. */
function named(what: string, { fields, main }: Verb, args: readonly string[]): Record<string, unknown> {
  const names = main === undefined ? Object.keys(fields) : [main];
  const given: Record<string, unknown> = {};
  let next = 0;
  for (const arg of args) {
    const [, key, value] = /^([a-zA-Z]+)=(.*)$/s.exec(arg) ?? [];
    const name = key ?? names[next++];
    if (name === undefined || !Object.hasOwn(fields, name))
      throw new InputError(`${what} takes ${names.length === 0 ? 'nothing' : names.join(', ')}, not "${arg}"`);
    const text = value ?? arg;
    given[name] = fields[name]?.type === 'string' ? text : yamlOf(name, text);
  }
  return given;
}

function linesOfEvents(piece: string): string {
  return piece
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => `${line.slice(6)}\n`)
    .join('');
}

function errorIn(text: string): string {
  try {
    return String(JSON.parse(text).errmsg ?? text);
  } catch {
    return text.trim();
  }
}
