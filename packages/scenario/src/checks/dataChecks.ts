import { decodeFields, splitNamespace } from '@replsim/protocol';
import { document, text } from '@replsim/replset';
import * as z from 'zod';
import { Template, withDb } from '../file/placeholder.ts';
import type { Path } from '../file/source.ts';
import { countCommand, findIn } from '../reading/commands.ts';
import { flowText } from '../reading/flowText.ts';
import type { Reader } from '../reading/reader.ts';
import { readWants } from '../reading/readWants.ts';
import type { Answer, SumPart, Target } from '../scenario.ts';
import { databaseName, namespace, onPrimary, readConcern, withDefault } from '../schema/parts.ts';
import { compareDocuments, complaintAbout, firstBatch, isNumber } from '../stage/answers.ts';
import { summing } from '../stage/sums.ts';
import { countKey, errorKey, filterKey, isKey, matchesKey, need } from './beside.ts';
import { check } from './row.ts';
import { sumRefusal } from './sumRefusal.ts';

const COUNTED = new Set(['n']);

/** What a member is asked about its data. */
export const dataChecks = {
  count: check({
    shape: countKey,
    beside: { filter: filterKey, is: isKey, on: onPrimary },
    // Beside `oplog` and `log` it is a number.
    asks: (given) => typeof given === 'string',
    read: (reader, path, count, { on: target }) => {
      const on = reader.target([...path, 'on'], target);
      need(reader, path, 'count', 'is', 'write is: 25, or is: { $gte: 1 }');
      const ns = String(count);
      const command = countCommand(reader, path, ns);
      const asks = countAnswer(reader, path, { ns, on, command });
      return { kind: 'count', on, command, is: reader.numberTest([...path, 'is']), ...(asks && { asks }) };
    },
    judge: ({ on, command, is }, sight) =>
      sight.each(on, command, (reply, filling) => {
        const { n } = decodeFields(reply, COUNTED);
        return isNumber(is, n, filling) ? undefined : { asked: `count ${is.text}`, got: `${n}` };
      }),
    reasons: ({ on, command }, reasons, members) => reasons.data(members.toAsk(on), namespaceOf(command)),
  }),
  find: check({
    shape: namespace.describe('A collection; "is" lists its documents'),
    beside: {
      filter: filterKey,
      sort: document.optional().describe('If given, "is" lists them in this order; otherwise in any order'),
      projection: document.optional().describe('Which fields of the documents found'),
      is: isKey,
      on: onPrimary,
    },
    read: (reader, path, ns, { on: target, sort }) => {
      const on = reader.target([...path, 'on'], target);
      const at = [...path, 'is'];
      need(reader, path, 'find', 'is', 'write is: [ { _id: 1 } ]');
      const is = new Template(new Map([['list', reader.value(at)]]));
      if (!Array.isArray(is.value.get('list')) && reader.has(path, 'is'))
        reader.source.mistakeAtPath(at, 'expected a list of documents', 'write is: [ { _id: 1 } ]');
      const [db, collection] = splitNamespace(ns);
      const command = findIn(db, collection, reader.values(path, ['filter', 'sort', 'projection']));
      return { kind: 'find', on, command, is, ordered: sort !== undefined };
    },
    judge: ({ on, command, is, ordered }, sight) =>
      sight.each(on, command, (reply, filling) => compareDocuments(firstBatch(reply), is, ordered, filling)),
    reasons: ({ on, command }, reasons, members) => reasons.data(members.toAsk(on), namespaceOf(command)),
  }),
  sum: check({
    shape: namespace.describe('A collection; "is" is the sum of the field "of"'),
    beside: {
      of: text.optional().describe('The field to add up'),
      filter: filterKey,
      readConcern: readConcern
        .optional()
        .describe('Read concern of a sum: { level: snapshot }. Without it, the sum covers what the member has now'),
      at: z
        .literal('every snapshot', { error: 'expected "every snapshot"' })
        .optional()
        .describe('The sum in every snapshot that a majority has and that can still be read'),
      is: isKey,
      on: onPrimary,
    },
    read: (reader, path, ns, { on, of = '', readConcern, at }): SumPart => {
      const target = reader.target([...path, 'on'], on);
      need(reader, path, 'sum', 'of', 'write of: balance');
      need(reader, path, 'sum', 'is', 'write is: 1000');
      if (at !== undefined && readConcern !== undefined)
        reader.source.mistakeAtKey(path, 'readConcern', '"at" says what is read: snapshots', 'leave it out');
      const command = sumCommand(reader, path, ns, of);
      const is = reader.numberTest([...path, 'is']);
      return { kind: 'sum', on: target, ns, of, command, everySnapshot: at !== undefined, is };
    },
    judge: (part, sight) => sight.eachMember(part.on, (asked) => sumRefusal(part, asked)),
  }),
  command: check({
    shape: document.describe('Any command; "matches" or "error" describes the expected reply'),
    beside: {
      db: withDefault(databaseName, 'admin', 'The database of the command'),
      matches: matchesKey,
      error: errorKey,
      on: onPrimary,
    },
    read: (reader, path, _command, { on: target, db = 'admin', matches, error }) => {
      const on = reader.target([...path, 'on'], target);
      if (matches === undefined && error === undefined) need(reader, path, 'command', 'matches', 'or "error"');
      const command = withDb(reader.template([...path, 'command']), db);
      return { kind: 'command', on, command, wants: readWants(reader, path, { matches, error }) };
    },
    judge: ({ on, command, wants }, sight) =>
      sight.eachReply(on, command, (reply, filling) => complaintAbout(reply, wants, filling)),
  }),
};

/** Targets that may mean more than one member. */
const SEVERAL: readonly string[] = ['secondaries', 'all', 'any'];

interface Counted {
  readonly ns: string;
  readonly on: Target;
  readonly command: Template;
}

/** How many there are, where one member is asked. */
function countAnswer({ source }: Reader, path: Path, { ns, on: [on, second], command }: Counted): Answer | undefined {
  if (on === undefined || second !== undefined || SEVERAL.includes(on)) return undefined;
  // What is filled in may be drawn by chance, and would be another filter the second time.
  if (command.dynamic) return undefined;
  const filter = source.nodeAt([...path, 'filter']);
  const where = filter && `{${flowText(source, filter)}}`;
  return { form: { count: { in: ns, on, ...(where && { where }) } }, look: { kind: 'count', on, command } };
}

function sumCommand(reader: Reader, path: Path, namespace: string, field: string): Template {
  const [db, collection] = splitNamespace(namespace);
  const match = reader.has(path, 'filter') ? [new Map([['$match', reader.value([...path, 'filter'])]])] : [];
  const command = new Map<string, unknown>([
    ['aggregate', collection],
    ['pipeline', [...match, ...summing(field)]],
    ['cursor', new Map()],
    ...reader.values(path, ['readConcern']),
  ]);
  return withDb(new Template(command), db);
}

/** What a command is about: its first field, and its database. */
function namespaceOf({ value }: Template): string {
  return `${value.get('$db')}.${value.values().next().value}`;
}
