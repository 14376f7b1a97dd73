import { DURATION_PATTERN } from '@replsim/kernel';
import { ElementCursor } from '@replsim/protocol';
import { type RecordedInput, saidOf } from '@replsim/replset';
import { textOf, toBase64 } from '../file/extendedJson.ts';
import { standIns } from './standIns.ts';

/** A step without its `at`, and what a reader could not see in it. */
export interface InputText {
  readonly text: string;
  readonly comment?: string;
}

/** What came from outside as a step of a scenario. */
export function inputText(input: RecordedInput): InputText {
  switch (input.type) {
    case 'send':
      return sendText(`connection: ${input.connection}`, input.command, input);
    case 'command':
      return sendText(`to: ${wordText(input.member)}`, input.command);
    default:
      return { text: stepText(input) };
  }
}

/** Extended JSON in single quotes, so that YAML need not look inside: a long recording is read ten times as fast. */
function sendText(
  where: string,
  command: Uint8Array,
  flags: { readonly exhaustAllowed?: boolean; readonly moreToCome?: boolean } = {},
): InputText {
  const exhaustAllowed = flags.exhaustAllowed ? ', exhaustAllowed: true' : '';
  const head = `send: { ${where}${exhaustAllowed}${flags.moreToCome ? ', moreToCome: true' : ''}`;
  const json = textOf(command);
  if (json !== undefined) return { text: `${head}, command: '${json.replaceAll("'", "''")}' }` };
  return { text: `${head}, bson: ${JSON.stringify(toBase64(command))} }`, comment: nameOf(command) };
}

/** The command's name, for whoever reads the file. */
function nameOf(command: Uint8Array): string {
  try {
    const cursor = new ElementCursor(command);
    if (cursor.next() && /^\w{1,40}$/.test(cursor.name)) return `${cursor.name}, ${command.length} bytes`;
  } catch {
    // It is no document.
  }
  return `${command.length} bytes`;
}

function stepText(input: Exclude<RecordedInput, { type: 'send' | 'command' }>): string {
  switch (input.type) {
    case 'connect': {
      const { connection, member, remote, rejected } = input;
      const end = rejected ? ', rejected: true' : '';
      return `connect: { connection: ${connection}, to: ${wordText(member)}, remote: ${JSON.stringify(remote)}${end} }`;
    }
    case 'secured':
      return `secured: ${flow({ connection: input.connection, ...input.peer })}`;
    case 'refused':
      return `refused: ${flow({ connection: input.connection, ...input.refusal })}`;
    case 'awaitEnded':
      return `awaitEnded: { connection: ${input.connection}, request: ${input.request} }`;
    case 'hangUp':
      return `hangUp: ${input.connection}`;
    default:
      return `${input.type}: ${flow(withoutKeys(saidOf(input)))}`;
  }
}

/** A member may be started with another key file. */
function withoutKeys(said: unknown): unknown {
  // Groups of members are an array, which has a method of that name.
  if (typeof said !== 'object' || said === null || !Object.hasOwn(said, 'keys')) return said;
  const { keys, ...others } = said as { readonly keys: unknown };
  return { ...others, ...(keys !== undefined && { keyFile: standIns(keys as readonly string[]) }) };
}

/** A plain value as YAML in one line. */
export function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (typeof value === 'string') return wordText(value);
  if (typeof value !== 'object' || value === null) return String(value);
  // A number of BSON's.
  if ('_bsontype' in value) return String(value);
  const fields = Object.entries(value).filter(([, each]) => each !== undefined);
  if (fields.length === 0) return '{}';
  return `{ ${fields.map(([key, each]) => `${wordText(key)}: ${flow(each)}`).join(', ')} }`;
}

/** Without quotes where YAML would take it for text anyway. */
function wordText(text: string): string {
  const isWord = /^[A-Za-z][\w.-]*$/.test(text) && !/^(true|false|null)$/i.test(text);
  return isWord || DURATION_PATTERN.test(text) ? text : JSON.stringify(text);
}
