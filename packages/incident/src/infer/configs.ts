import { DEFAULT_SETTINGS } from '@replsim/protocol';
import type { Conf } from '@replsim/scenario';
import { fieldsOf } from '../logs/logLine.ts';
import type { ReadConf } from '../readConf.ts';
import { confOf } from '../readConf.ts';
import { type Deed, ofKind, placeOf, type Track } from './timeline.ts';

type Plain = Readonly<Record<string, unknown>>;

/** A config of the incident. Unit: ms of the scenario. */
interface Installed {
  readonly atMs: number;
  readonly host: string;
  readonly config: Plain;
  readonly because: string;
}

/** The configs that the logs name, each where it was first in use. */
function installed(tracks: readonly Track[]): readonly Installed[] {
  const known = new Set<string>();
  return ofKind(tracks, 'config').flatMap((fact): Installed[] => {
    if (fact.kind !== 'config') return [];
    const key = contentOf(fact.config);
    const isNew = !known.has(key);
    known.add(key);
    return isNew ? [{ atMs: fact.atMs, host: fact.host, config: fact.config, because: placeOf(fact.seen) }] : [];
  });
}

/** What a config says but for its number, which members raise on their own. */
export function contentOf({ version: _v, term: _t, settings, ...config }: Plain): string {
  const { replicaSetId: _id, ...others } = (settings ?? {}) as Plain;
  return JSON.stringify({ ...config, members: membersOf(config), settings: others });
}

/** A new member has its vote once it has the data; the scenario's members do the same. */
function membersOf({ members }: Plain): readonly Plain[] {
  return Array.isArray(members)
    ? members.map((each) => fieldsOf(each)).map(({ newlyAdded: _, ...member }) => member)
    : [];
}

/** Only a forced config is nobody's; its version jumps, so that it wins over others. */
function isForced({ term, version }: Plain): boolean {
  return (term === -1 || term === undefined) && Number(version) > 10_000;
}

/** The config that the set begins with, from the logs. */
export function firstConf(tracks: readonly Track[], version: ReadConf['version']): ReadConf | undefined {
  const [first] = installed(tracks);
  if (first === undefined) return undefined;
  const conf = confOf(JSON.stringify(first.config), first.because, version);
  const settings = Object.fromEntries(
    Object.entries(conf.settings).filter(
      ([key, value]) =>
        JSON.stringify(value) !== JSON.stringify(DEFAULT_SETTINGS[key as keyof typeof DEFAULT_SETTINGS]),
    ),
  );
  // Nobody wrote down what a log has of itself.
  return { ...conf, settings, unused: [] };
}

/** Hosts that came later. */
export function laterHosts(tracks: readonly Track[], conf: Pick<Conf, 'members'>): readonly string[] {
  const known = new Set(conf.members.map(({ host }) => host));
  const all = installed(tracks).flatMap(({ config }) => membersOf(config).map(({ host }) => String(host)));
  return [...new Set(all)].filter((host) => !known.has(host));
}

/**
 * Changes of the config, at the member that had each of them first.
 * @param hasFirst whether the first config of the logs is the one that the set begins with, rather than a file's
 */
export function configDeeds(
  tracks: readonly Track[],
  hosts: readonly string[],
  nameOf: (host: string) => string,
): readonly Deed[] {
  const forced = ofKind(tracks, 'reconfigAsked').filter((fact) => fact.kind === 'reconfigAsked' && fact.force);
  return installed(tracks)
    .slice(1)
    .map(({ atMs, host, config, because }, i): Deed => {
      const force = isForced(config) || forced.some((fact) => fact.host === host && Math.abs(fact.atMs - atMs) < 5000);
      const members = membersOf(config).map((member) => ({ ...member, _id: hosts.indexOf(String(member.host)) }));
      const { replicaSetId: _, getLastErrorDefaults: _d, ...settings } = (config.settings ?? {}) as Plain;
      const changed = Object.fromEntries(Object.entries(settings).map(([key, value]) => [`settings.${key}`, value]));
      return {
        // Its install ends what the command began.
        atMs: atMs - 10,
        what: {
          reconfig: {
            on: nameOf(host),
            update: { $set: { members, ...changed } },
            ...(force && { force }),
            as: `config${i + 1}`,
          },
        },
        because: `another config was in use: ${because}`,
      };
    });
}
