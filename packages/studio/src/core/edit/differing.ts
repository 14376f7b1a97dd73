import { VERSIONS } from '@replsim/protocol';
import { type Document, isMap, isSeq, parseDocument } from 'yaml';
import type { Difference } from './difference.ts';
import { type Cannot, type Change, changed, putValue } from './putValue.ts';
import { writeConcernPaths } from './writeSteps.ts';

/** The second scenario. */
export interface Differing {
  readonly text: string;
  /** What somebody might not expect of it. */
  readonly note?: string;
}

/** Where what a setting's name begins with stands in a scenario. */
const SETTING_PLACES: Readonly<Record<string, readonly string[]>> = {
  settings: ['replicaSet', 'settings'],
  parameters: ['parameters'],
};

/** The second scenario, made of the first by an edit that leaves everything else as it is; or why it cannot be made. */
export function differing(text: string, difference: Difference): Differing | Cannot {
  if (difference.kind === 'text') return { text: difference.text };
  const document = parseDocument(text, { logLevel: 'silent' });
  if (document.errors.length > 0) return { cannot: 'the first text is not valid YAML' };
  if (!isMap(document.contents))
    return { cannot: 'the first text is not a scenario: it has no “name:” and no “steps:”' };
  switch (difference.kind) {
    case 'seed':
      if (!Number.isSafeInteger(difference.seed) || difference.seed < 0)
        return { cannot: 'a seed is a whole number from 0 on' };
      return put(text, document, ['seed'], String(difference.seed));
    case 'setting':
      return withSetting(text, document, difference);
    case 'version':
      return withVersion(text, document, difference.version);
    case 'writeConcern':
      return withWriteConcern(text, document, difference.w);
  }
}

/** A scenario that is played with another seed than its own says so itself before it is compared. */
export function secondOf(text: string, seed: number | undefined, difference: Difference): Differing | Cannot {
  if (seed === undefined || difference.kind === 'seed' || difference.kind === 'text')
    return differing(text, difference);
  const seeded = differing(text, { kind: 'seed', seed });
  return 'cannot' in seeded ? seeded : differing(seeded.text, difference);
}

function put(text: string, document: Document, path: readonly string[], value: string): Differing | Cannot {
  const change = putValue(text, document.contents, path, value);
  return 'cannot' in change ? change : { text: changed(text, [change]) };
}

function withSetting(
  text: string,
  document: Document,
  { name, value }: Extract<Difference, { kind: 'setting' }>,
): Differing | Cannot {
  const [, place = '', key = ''] = /^(\w+)\.(\w+)$/.exec(name.trim()) ?? [];
  const path = SETTING_PLACES[place];
  if (!path) return { cannot: 'name a setting: settings.electionTimeoutMillis, or parameters.ttlMonitorSleepSecs' };
  if (!isOneValue(value)) return { cannot: `say one value for ${key}, as it is written in YAML` };
  return put(text, document, [...path, key], value.trim());
}

/** As it would stand between braces, where a comma or a brace of its own would be read otherwise. */
function isOneValue(value: string): boolean {
  const { errors, contents } = parseDocument(`{ value: ${value} }`, { logLevel: 'silent' });
  return value.trim() !== '' && errors.length === 0 && isMap(contents) && contents.items.length === 1;
}

function withVersion(text: string, document: Document, version: string): Differing | Cannot {
  if (!(version in VERSIONS)) return { cannot: `there is no version ${version} here` };
  const second = put(text, document, ['version'], `"${version}"`);
  const own = membersWithVersion(document);
  if ('cannot' in second || own.length === 0) return second;
  return { ...second, note: `${own.join(', ')}: keeps the version beside the name` };
}

function membersWithVersion(document: Document): readonly string[] {
  const members = document.getIn(['replicaSet', 'members']);
  if (!isSeq(members)) return [];
  return members.items.flatMap((member) =>
    isMap(member) && member.has('version') ? [String(member.get('name') ?? 'a member')] : [],
  );
}

function withWriteConcern(text: string, document: Document, w: string): Differing | Cannot {
  if (!/^(\d+|[A-Za-z_][\w-]*)$/.test(w.trim())) return { cannot: 'say how many members: 1, 2, majority, or a mode' };
  const paths = writeConcernPaths(document);
  if ('cannot' in paths) return paths;
  if (paths.length === 0) return { cannot: 'no step of the first text writes' };
  const changes: Change[] = [];
  for (const { map, path } of paths) {
    const change = putValue(text, map, path, w.trim());
    if ('cannot' in change) return change;
    changes.push(change);
  }
  return { text: changed(text, changes) };
}
