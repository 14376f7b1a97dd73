import { isMap } from 'yaml';
import type { Source } from './source.ts';

/** A file that was given to the wrong command: what it is, and what takes it. */
export interface ForeignFile {
  readonly message: string;
  readonly suggestion: string;
}

/** A line that begins with an instant, as transcripts have them; and an event, as traces have them. */
const TRANSCRIPT = /^\s*\d+\.\d{3}s \S/;
const TRACE = /^\{"atMicros":\d+,/;

/** What replsim writes itself, and reads by no command; known by its first line. @param text of the whole file */
export function writtenFile(text: string): ForeignFile | undefined {
  const [first = '', second = '', third = ''] = text.trimStart().split('\n', 3);
  // What a run prints begins with the claim.
  if (TRANSCRIPT.test(first) || (second.trim() === '' && TRANSCRIPT.test(third)))
    return {
      message: 'this is a transcript, the output of a run',
      suggestion: 'give the scenario beside it to "replsim run", which compares the two',
    };
  if (TRACE.test(first))
    return {
      message: 'this is a trace, the output of a run',
      suggestion:
        'give the scenario that it came from to "replsim run"; "replsim diff" compares traces, docs/trace.md says how to read one',
    };
  return undefined;
}

/** Documents, as mongodump and mongoexport write them. @param text of the whole file */
export function documentsFile(text: string): ForeignFile | undefined {
  const suggestion =
    'name it in a scenario: "insert: { into: app.orders, file: … }", or give its folder to "replsim serve --load"';
  // The length of a document has a zero in it, and no text of ours does.
  if (text.slice(0, 8).includes('\0')) return { message: 'this file holds documents as BSON', suggestion };
  const [first = '', second = ''] = text.trimStart().split('\n', 2);
  const isList = /^\[\s*(\{|$)/.test(first) && /^\[\s*\{/.test(text.trimStart());
  if (isList || (second.startsWith('{') && isDocument(first)))
    return { message: 'this file holds documents as JSON', suggestion };
  return undefined;
}

function isDocument(line: string): boolean {
  try {
    return line.startsWith('{') && typeof JSON.parse(line) === 'object';
  } catch {
    return false;
  }
}

/** What the shell prints is not always YAML. @param text that cannot be read */
export function shellFile(text: string, what: string): ForeignFile | undefined {
  const isConf = /\bmembers:\s*\[/.test(text) && /\bhost:\s*['"]/.test(text) && !/^steps:/m.test(text);
  return isConf && what !== 'config' ? confFile(what) : undefined;
}

const confFile = (what: string): ForeignFile => ({
  message: `this is a replica set config, as rs.conf() prints it, not a ${what}`,
  suggestion: 'give it to "replsim serve --replset-config", or put it below "replicaSet: { config: … }"',
});

/** A scenario where a forecast is wanted, or the other way round. @param what the file is to hold */
export function otherFile(source: Source, what: string): ForeignFile | undefined {
  const { root } = source;
  if (!isMap(root)) return undefined;
  const has = (key: string) => source.child(root, key) !== undefined;
  if (what === 'forecast' && has('steps')) {
    // Only recordings begin with an instant.
    const found = source.nodeAt(['steps', 0, 'at']) === undefined ? 'scenario' : 'recording';
    return { message: `this is a ${found}, not a forecast`, suggestion: 'give it to "replsim run"' };
  }
  if (what === 'scenario' && !has('steps') && has('insert') && has('expireAfterSeconds'))
    return { message: 'this is a forecast, not a scenario', suggestion: 'give it to "replsim forecast"' };
  if (has('steps') || !['scenario', 'forecast'].includes(what)) return undefined;
  if (has('systemLog') || has('storage') || has('net') || has('replication'))
    return { message: `this is a mongod.conf, not a ${what}`, suggestion: 'give it to "replsim serve --config"' };
  if (has('members') && has('_id')) return confFile(what);
  return undefined;
}
