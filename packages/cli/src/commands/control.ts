import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { didYouMeanOneOf } from '@replsim/kernel';
import { FAULT_KINDS } from '@replsim/replset';
import { parse } from 'yaml';
import { VERBS, type Verb, verbOf } from '../control/verbs.ts';
import { AlreadyTold, ExitCodes, InputError, type Io } from '../io.ts';

export interface ControlOptions {
  /** The address that `serve --control` printed. */
  readonly at?: string;
  readonly untilPrimary?: boolean;
  readonly within?: string;
}

const ANSWERED = 200;
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
  refuseOptions([what, ...args]);
  const address = addressOf(options);
  const { name, verb, body } = read(what, args, options);
  const url = new URL(name, address);
  if (verb.method === 'GET') for (const [key, value] of Object.entries(body)) url.searchParams.set(key, String(value));
  const { status, text } = await asked(url, verb, body, name === 'events', io);
  if (status === ANSWERED) {
    io.out(text);
    return ExitCodes.ok;
  }
  const message = errorIn(text);
  if (status !== NOT_COME_ABOUT) throw new InputError(message);
  io.err(`${message}\n`);
  return ExitCodes.failed;
}

function addressOf({ at = process.env.REPLSIM_CONTROL }: ControlOptions): string {
  if (at === undefined || at === '')
    throw new InputError(`where is the set? --at ADDRESS, or the variable REPLSIM_CONTROL; ${HOW}`);
  if (!URL.canParse(at) || !at.startsWith('http:')) throw new InputError(`--at: "${at}" is not an address; ${HOW}`);
  return at.endsWith('/') ? at : `${at}/`;
}

/** A value may begin with a dash, as `-5s` does. @throws InputError for what looks like an option */
function refuseOptions(words: readonly string[]): void {
  const option = words.find((word) => /^-[^\d]/.test(word));
  if (option === undefined) return;
  const meant = didYouMeanOneOf(option, ['--at', '--until-primary', '--within']);
  throw new InputError(`unknown option "${option}"${meant === undefined ? '' : `; ${meant}`}`);
}

/** Asks, and waits as long as the set is at work: a long jump takes its time. @param isFollowed whether the answer is printed as it comes */
async function asked(
  url: URL,
  { method }: Verb,
  body: object,
  isFollowed: boolean,
  io: Io,
): Promise<{ readonly status: number | undefined; readonly text: string }> {
  const interrupted = new AbortController();
  io.onInterrupt?.(() => interrupted.abort());
  let isReached = false;
  try {
    const sent = request(url, { method, signal: interrupted.signal });
    sent.once('finish', () => {
      isReached = true;
    });
    sent.end(method === 'POST' ? JSON.stringify(body) : undefined);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    let text = '';
    for await (const piece of response.setEncoding('utf8') as AsyncIterable<string>) {
      // Events go on until somebody has had enough of them.
      if (isFollowed && response.statusCode === ANSWERED) io.out(linesOfEvents(piece));
      else text += piece;
    }
    return { status: response.statusCode, text };
  } catch (error) {
    if (interrupted.signal.aborted) throw new AlreadyTold(isFollowed ? ExitCodes.ok : ExitCodes.interrupted);
    const why = error instanceof Error ? error.message : String(error);
    throw new InputError(
      isReached
        ? `${url.origin} has accepted the request and not answered it: ${why}; the set has stopped, or is working still`
        : `nobody answers at ${url.origin}: ${why}; is "replsim serve" still running?`,
    );
  }
}

interface Read {
  readonly name: string;
  readonly verb: Verb;
  readonly body: Readonly<Record<string, unknown>>;
}

function read(what: string, args: readonly string[], { untilPrimary, within }: ControlOptions): Read {
  const options = { ...(untilPrimary && { untilPrimary }), ...(within !== undefined && { within }) };
  if (FAULT_KINDS.some((kind) => kind === what)) {
    const text = args.join(' ');
    // Several members, as a shell has them.
    const isList = args.length > 1 && args.every((arg) => /^\w[\w.-]*$/.test(arg));
    const fault = text === '' ? {} : { [what]: isList ? args : yamlOf(what, text) };
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
