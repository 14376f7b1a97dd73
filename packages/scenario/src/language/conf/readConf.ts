import { DEFAULT_MEMBER_CONFIG, type MemberConfig, type MongodVersion, type ReplSetConfig } from '@replsim/protocol';
import type { MemberSpec } from '@replsim/replset';
import { isMap } from 'yaml';
import type { Path, Source } from '../../file/source.ts';
import { isConfFault, judgeConf } from './confFault.ts';
import { memberNamesOf } from './memberNames.ts';

type Plain = Readonly<Record<string, unknown>>;

/** The set that an `rs.conf()` document describes. */
export interface Conf {
  readonly setName: string;
  readonly members: readonly MemberSpec[];
  readonly settings: Plain;
  readonly writeConcernMajorityJournalDefault: boolean;
  /** What of the document has no effect on a set that begins, in sentences. */
  readonly unused: readonly string[];
}

/** What decides whether a mongod takes a config. */
export interface ConfRules {
  readonly version: MongodVersion;
  readonly allowMultipleArbiters?: boolean;
}

/**
 * Reads an `rs.conf()` document; what a mongod would refuse is a mistake, in its words and at the place in the file.
 * @param base where the document stands in the file
 */
export function readConf(
  source: Source,
  base: Path,
  { version, allowMultipleArbiters = false }: ConfRules,
): Conf | undefined {
  const node = source.nodeAt(base) ?? source.root;
  if (!isMap(node)) {
    source.mistakeAtPath(base, 'expected the output of rs.conf(): { _id: rs0, version: 1, members: [ … ] }');
    return undefined;
  }
  const plain = shellValue(source.toPlain(node)) as Plain;
  const { configsvr: _, ...judgedOf } = plain;
  const judged = judgeConf(judgedOf, { version, allowMultipleArbiters });
  if (isConfFault(judged)) {
    const { message, path } = judged;
    const hint = path.at(-1) === 'slaveDelay' ? 'before 5.0 it was known by this name: add version: "4.4"' : undefined;
    const at = [...base, ...path];
    const key = at.at(-1);
    if (typeof key === 'string' && path.length > 0) source.mistakeAtKey(at.slice(0, -1), key, message, hint);
    else source.mistakeAtPath(at, message, hint);
    return undefined;
  }
  return confOf(judged, plain);
}

function confOf(config: ReplSetConfig, plain: Plain): Conf {
  const names = memberNamesOf(config.members.map(({ host }) => host));
  const { replicaSetId: _, ...settings } = config.settings;
  const given = (plain.settings ?? {}) as Plain;
  return {
    setName: config._id,
    members: config.members.map((member, i) => ({
      name: names[i]!,
      host: member.host,
      ...withConfig(member.newlyAdded ? { ...member, ...member.newlyAdded } : member),
    })),
    // What the document does not say is left to the defaults.
    settings: Object.fromEntries(Object.entries(settings).filter(([key]) => given[key] !== undefined)),
    writeConcernMajorityJournalDefault: config.writeConcernMajorityJournalDefault,
    unused: unusedIn(config, plain),
  };
}

const CARRIED = [
  'priority',
  'votes',
  'hidden',
  'arbiterOnly',
  'buildIndexes',
  'secondaryDelaySecs',
  'tags',
] as const satisfies readonly (keyof MemberConfig)[];

/** What differs from a member of which nothing is said. An arbiter's priority is 0 anyway. */
function withConfig(member: MemberConfig): Pick<MemberSpec, 'config'> {
  const differs = (key: (typeof CARRIED)[number]) =>
    key === 'tags' ? Object.keys(member.tags).length > 0 : member[key] !== DEFAULT_MEMBER_CONFIG[key];
  const config = Object.fromEntries(
    CARRIED.filter((key) => differs(key) && !(member.arbiterOnly && key === 'priority')).map((key) => [
      key,
      member[key],
    ]),
  );
  return Object.keys(config).length > 0 ? { config } : {};
}

function unusedIn({ members }: ReplSetConfig, plain: Plain): readonly string[] {
  const settings = (plain.settings ?? {}) as Plain;
  const listed = (Array.isArray(plain.members) ? plain.members : []) as readonly Plain[];
  const has = (key: string) => listed.some((member) => member[key] !== undefined);
  const rows: readonly [applies: boolean, told: string][] = [
    [
      (plain.version ?? 1) !== 1 || Number(plain.term ?? 0) > 0,
      `version ${plain.version} and term ${plain.term ?? 'none'} of the config: a new set has version 1, and no term before its first election`,
    ],
    [settings.replicaSetId !== undefined, "settings.replicaSetId: the set's id follows from the seed"],
    [
      settings.getLastErrorDefaults !== undefined,
      'settings.getLastErrorDefaults: every write states its own write concern',
    ],
    [plain.configsvr === true, 'configsvr: the set runs as one outside a sharded cluster'],
    [has('horizons'), 'horizons: members are known by their hosts alone'],
    [has('newlyAdded'), 'newlyAdded: members have their votes from the start'],
    [members.some(({ _id }, i) => _id !== i), '_id of members: they are numbered from 0 in the order of the list'],
  ];
  return rows.flatMap(([applies, told]) => (applies ? [told] : []));
}

/** Values as mongosh prints them, where they were pasted into YAML. */
function shellValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shellValue);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shellValue(each)]));
  if (typeof value !== 'string') return typeof value === 'bigint' ? Number(value) : value;
  const [, number] = /^(?:Number)?(?:Long|Int|Int32|Double)\(\s*["']?(-?\d+)["']?\s*\)$/.exec(value) ?? [];
  if (number !== undefined) return Number(number);
  const [, oid] = /^ObjectId\(\s*["']?([0-9a-f]{24})["']?\s*\)$/i.exec(value) ?? [];
  return oid === undefined ? value : { $oid: oid };
}
