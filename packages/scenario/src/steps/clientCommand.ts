import { target } from '@replsim/replset';
import { Template, withDb } from '../file/placeholder.ts';
import type { Path } from '../file/source.ts';
import type { Reader } from '../reading/reader.ts';
import { readReadPreference } from '../reading/readReadPreference.ts';
import { readWants } from '../reading/readWants.ts';
import type { ClientAction, Target, Wants } from '../scenario.ts';
import {
  errorName,
  filter,
  label,
  onPrimary,
  type ReadPreferenceInput,
  readConcern,
  readPreference,
  writeConcern,
} from '../schema/parts.ts';
import type { Performing } from './row.ts';

// What all steps share that send a command as a client.

/** What every client step may say about itself. */
export const clientShape = {
  on: onPrimary,
  as: label.optional().describe('Send it without waiting; check the answer later with { reply: NAME }'),
  matches: filter.optional().describe('The reply must match this filter'),
  error: errorName.optional().describe('The error with which it must fail: a name, a number, or any'),
  took: filter.optional().describe('Conditions on how many milliseconds it took: { $lt: 50 }'),
};
export const session = label.optional().describe('The same logical session, causally consistent');
export const user = label
  .optional()
  .describe('As which of the "users" of the head; without one the step may do everything');
const writeConcernKey = writeConcern
  .optional()
  .describe("{ w: majority }. The step fails if it is not satisfied. Default: the set's");
export const writeShape = { ...clientShape, session, user, writeConcern: writeConcernKey };
export const readShape = {
  ...clientShape,
  session,
  user,
  readConcern: readConcern.optional().describe('majority, or { level: majority }'),
  readPreference: readPreference.optional().describe('Without "on", the member is chosen by it as a driver does'),
};

export const asked = target.describe('Which member to ask');

/** What stands beside others in mongosh, too, but in a document of its own. */
export function inOptions(keys: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(keys.map((key) => [key, `it is an option: options: { ${key}: … }`]));
}

export interface ClientInput {
  readonly on?: string | readonly string[] | undefined;
  readonly as?: string | undefined;
  readonly matches?: unknown;
  readonly error?: string | number | undefined;
  readonly took?: unknown;
  readonly session?: string | undefined;
  readonly user?: string | undefined;
  readonly readPreference?: ReadPreferenceInput | undefined;
}

/**
 * A client step. One that says where to read, but not on which member, leaves the choice to the driver; one that says both is
 * sent to the member with the read preference beside it.
 */
export function client(
  reader: Reader,
  path: Path,
  input: ClientInput,
  commands: readonly Template[],
  { retryable = false, reads = false, implicitSession = false } = {},
): ClientAction {
  const on = reader.target([...path, 'on'], input.on);
  const readPreference = readReadPreference(reader, [...path, 'readPreference'], input.readPreference);
  const document = readPreference && { ...readPreference };
  return {
    kind: 'client',
    on,
    commands: document ? commands.map((command) => withField(command, '$readPreference', document)) : commands,
    retryable,
    reads: reads && !document,
    ...(readPreference && input.on === undefined && { readPreference }),
    ...(input.session !== undefined && { session: input.session }),
    ...(input.user !== undefined && { user: reader.user([...path, 'user'], input.user) }),
    implicitSession,
    ...answer(reader, path, input, on),
  };
}

function withField(command: Template, name: string, value: unknown): Template {
  return new Template(new Map([...command.value, [name, value]]));
}

export function answer(
  reader: Reader,
  path: Path,
  input: ClientInput,
  on: Target,
): { wants: Wants; as: string | undefined } {
  const { source } = reader;
  if (input.as !== undefined) {
    const judged = ['matches', 'error', 'took', 'is'].find((key) => key in input);
    if (judged)
      source.mistakeAtKey(
        path,
        judged,
        `a step with "as" does not wait for its answer`,
        `look at it later: expect: { reply: ${input.as}, ${judged}: … }`,
      );
    if (on.length > 1 || on[0] === 'all' || on[0] === 'secondaries')
      source.mistakeAtPath([...path, 'on'], '"as" names one answer, and this goes to several members');
    reader.replies.add(input.as);
  }
  return { wants: readWants(reader, path, input), as: input.as };
}

export function isShort(input: unknown): input is string | string[] {
  return typeof input === 'string' || Array.isArray(input);
}

/** `stepUp: n2` is short for `stepUp: { on: n2 }`. */
export function adminStep(
  reader: Reader,
  path: Path,
  input: string | readonly string[] | ClientInput,
  command: Map<string, unknown>,
): ClientAction {
  if (!isShort(input)) return client(reader, path, input as ClientInput, [admin(command)]);
  return client(reader, path, { on: input }, [admin(command)]);
}

export function admin(command: ReadonlyMap<string, unknown>): Template {
  return withDb(new Template(command), 'admin');
}

/** Sends it, and waits for the answer unless it has a name for later. */
export const sent: Performing<ClientAction>['perform'] = (action, { client }) => client.run(action);
