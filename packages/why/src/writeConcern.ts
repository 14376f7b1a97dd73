import {
  decodePromoted,
  implicitDefaultWriteConcern,
  type ReplSetConfig,
  VERSIONS,
  writeMajority,
} from '@replsim/protocol';
import type { CollectionHistory } from './collectionHistory.ts';
import { nameOf } from './memberStory.ts';

/** A write concern as far as it matters to whom it waits for. */
export interface Concern {
  /** A number of members, `majority`, or a mode. */
  readonly w: number | string;
  readonly durably: boolean;
  /** As a sentence has it: `w: majority`, `w: 2, j: true`. */
  readonly text: string;
}

/** @param text as a workload sends it: `{ w: majority, j: true }`; undefined where it is left to the set */
export function concernOf(
  text: string | undefined,
  config: ReplSetConfig,
  settings: CollectionHistory,
  version: string,
): Concern {
  const w = text && /\bw: ([^,}]+?)\s*[,}]/.exec(text)?.[1];
  const said = text && /\bj: (true|false)/.exec(text)?.[1];
  const { w: byDefault, j: journalled } = defaultOf(config, settings, version);
  const wanted = w === undefined || w === '' ? byDefault : /^\d+$/.test(w) ? Number(w) : w;
  const majority = wanted === 'majority' && config.writeConcernMajorityJournalDefault;
  const durably = said === undefined ? journalled || majority : said === 'true';
  const by = w === undefined || w === '' ? ', by default' : '';
  return { w: wanted, durably, text: `w: ${wanted}${said === undefined ? '' : `, j: ${said}`}${by}` };
}

interface Defaults {
  readonly _id?: unknown;
  readonly defaultWriteConcern?: { readonly w?: unknown; readonly j?: boolean };
}

function defaultOf(config: ReplSetConfig, { documents }: CollectionHistory, version: string) {
  for (const changes of documents.values()) {
    const { document } = changes.at(-1)!;
    const stored = document && (decodePromoted(document) as Defaults);
    const w = stored?._id === 'ReadWriteConcernDefaults' ? stored.defaultWriteConcern?.w : undefined;
    if (typeof w === 'number' || typeof w === 'string') return { w, j: stored?.defaultWriteConcern?.j === true };
  }
  const traits = version in VERSIONS ? VERSIONS[version as keyof typeof VERSIONS] : undefined;
  return { w: traits?.implicitMajority === false ? 1 : implicitDefaultWriteConcern(config), j: false };
}

/** How many have to have a write, and of whom; undefined for a mode of tags. */
export function neededBy(
  { w }: Concern,
  config: ReplSetConfig,
): { readonly count: number; readonly of: string } | undefined {
  const bearing = config.members.filter(({ arbiterOnly }) => !arbiterOnly);
  if (typeof w === 'number') return { count: w, of: `${bearing.length} members with data` };
  if (w !== 'majority') return undefined;
  return { count: writeMajority(config), of: `${bearing.filter(({ votes }) => votes === 1).length} voters with data` };
}

/** What a mode of tags asks for: `members with 2 different values of the tag dc (n1 and n3: a; n2: b)`. */
export function tagsNeeded({ w }: Concern, { settings, members }: ReplSetConfig): string {
  const mode = Object.entries(settings.getLastErrorModes[w] ?? {});
  const asked = mode.map(([tag, count]) => {
    const byValue = new Map<string, string[]>();
    for (const { host, tags } of members) {
      const value = tags[tag];
      if (value !== undefined) byValue.set(value, [...(byValue.get(value) ?? []), nameOf(host)]);
    }
    const holders = [...byValue].map(([value, names]) => `${value}: ${names.join(', ')}`).join('; ');
    return `${count} different ${count === 1 ? 'value' : 'values'} of the tag ${tag} (${holders})`;
  });
  return `members with ${asked.join(' and ')}`;
}
