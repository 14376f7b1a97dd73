import * as z from 'zod';
import { type Filling, Template } from '../file/placeholder.ts';
import { showDocument } from '../file/show.ts';
import { findIn } from '../reading/commands.ts';
import { filter, onPrimary } from '../schema/parts.ts';
import { firstBatch, isNumber, matcher, showAll, showTemplate } from '../stage/answers.ts';
import { logLines } from '../stage/logLines.ts';
import { countKey, need } from './beside.ts';
import type { Refusal } from './refusal.ts';
import { check } from './row.ts';

const GET_LOG = new Template(
  new Map<string, unknown>([
    ['getLog', 'global'],
    ['$db', 'admin'],
  ]),
);

/** What a member wrote down: its oplog, and its log. */
export const logChecks = {
  oplog: check({
    shape: filter.describe('Entries of local.oplog.rs'),
    beside: {
      count: countKey.optional(),
      entries: z
        .array(filter, { error: 'expected a list of filters: [{ field: value }]' })
        .optional()
        .describe('As many entries, and each matches its filter, oldest first'),
      on: onPrimary,
    },
    read: (reader, path, _filter, { on: target, count, entries }) => {
      const on = reader.target([...path, 'on'], target);
      const at = [...path, 'oplog'];
      reader.filter(at);
      const command = findIn('local', 'oplog.rs', new Map([['filter', reader.value(at)]]));
      if (entries === undefined) {
        need(reader, path, 'oplog', 'count', 'or "entries"');
        return { kind: 'oplog', on, command, are: { is: reader.numberTest([...path, 'count']) } };
      }
      if (count !== undefined) reader.source.mistakeAtKey(path, 'count', '"entries" says how many there are');
      const filters = entries.map((_, index) => reader.filter([...path, 'entries', index]));
      return { kind: 'oplog', on, command, are: filters };
    },
    judge: ({ on, command, are }, sight) =>
      sight.each(on, command, (reply, filling) => {
        const entries = firstBatch(reply);
        if (!('is' in are)) return compareEntries(entries, are, filling);
        if (isNumber(are.is, entries.length, filling)) return undefined;
        return { asked: `${are.is.text} matching entries`, got: `${entries.length}: ${showEntries(entries)}` };
      }),
  }),
  log: check({
    shape: filter.describe("Lines of the member's structured log"),
    beside: { count: countKey.optional(), on: onPrimary },
    read: (reader, path, _filter, { on: target }) => {
      const on = reader.target([...path, 'on'], target);
      need(reader, path, 'log', 'count', 'write count: 1, or count: { $gte: 1 }');
      return { kind: 'log', on, filter: reader.filter([...path, 'log']), is: reader.numberTest([...path, 'count']) };
    },
    judge: ({ on, filter, is }, sight) =>
      sight.eachReply(on, GET_LOG, (reply, filling) => {
        const lines = logLines(reply).filter(matcher(filter, filling));
        if (isNumber(is, lines.length, filling)) return undefined;
        return {
          asked: `${is.text} log lines that match ${showTemplate(filter, filling)}`,
          got: `${lines.length}: ${showEntries(lines)}`,
        };
      }),
  }),
};

/** Entries in oplog order, each as its filter says. */
function compareEntries(entries: readonly Uint8Array[], filters: readonly Template[], filling: Filling): Refusal {
  const wrong = filters.findIndex((filter, index) => !entries[index] || !matcher(filter, filling)(entries[index]));
  if (wrong < 0 && entries.length === filters.length) return undefined;
  const missed = filters[wrong];
  const wanted =
    missed === undefined
      ? `${filters.length} entries`
      : `entry ${wrong + 1} of ${filters.length} like ${showTemplate(missed, filling)}`;
  return { asked: wanted, got: `${entries.length}: ${showEntries(entries)}` };
}

function showEntries(entries: readonly Uint8Array[]): string {
  return showAll(entries.map((entry) => showDocument(entry, 160)));
}
