import { parseReplSetConfig, validateReplSetConfig } from '@replsim/pipeline';
import { CommandError, encodeDocument, type MongodVersion, type ReplSetConfig, VERSIONS } from '@replsim/protocol';
import { fromExtendedJson } from '../../file/ejson.ts';
import type { Path } from '../../file/source.ts';

/** What a mongod says of a config that it refuses, and which part of the config is to blame. */
export interface ConfFault {
  readonly message: string;
  readonly path: Path;
}

/** As a mongod judges it. */
export interface ConfJudge {
  readonly version: MongodVersion;
  readonly allowMultipleArbiters: boolean;
}

type Plain = Readonly<Record<string, unknown>>;
/** Any id will do: a config that has none gets it. */
const SOME_ID = '000000000000000000000001';

/**
 * The config that a mongod would make of a document, or why it would make none.
 * @param plain what the file holds, numbers as such, other types as Extended JSON
 */
export function judgeConf(plain: Plain, judge: ConfJudge): ReplSetConfig | ConfFault {
  const result = tried(plain, judge);
  return typeof result === 'string' ? { message: result, path: culprit(plain, result, judge, []) } : result;
}

export function isConfFault(judged: ReplSetConfig | ConfFault): judged is ConfFault {
  return 'message' in judged;
}

function tried(plain: Plain, { version, allowMultipleArbiters }: ConfJudge): ReplSetConfig | string {
  try {
    const bytes = encodeDocument(fromExtendedJson(plain) as Map<string, unknown>);
    const { config, customGetLastErrorDefaults } = parseReplSetConfig(bytes, {
      replicaSetId: SOME_ID,
      isFirst: true,
      traits: VERSIONS[version],
    });
    if (customGetLastErrorDefaults && VERSIONS[version].memberDelayField === 'secondaryDelaySecs')
      return 'the config contains customized getLastErrorDefaults (5624101)';
    validateReplSetConfig(config, { allowMultipleArbiters, skipShardingConfigurationChecks: true });
    return config;
  } catch (error) {
    if (error instanceof CommandError || error instanceof TypeError) return error.message;
    throw error;
  }
}

/** The smallest part without which the config is no longer refused, or not for this. */
function culprit(plain: Plain, message: string, judge: ConfJudge, base: Path): Path {
  const children = childrenOf(plain, base);
  const without = children.map((path) => ({ path, result: tried(removed(plain, path), judge) }));
  // What mends everything is to blame rather than what only changes the words.
  const mends = without.find(({ result }) => typeof result !== 'string');
  if (mends !== undefined) return culprit(plain, message, judge, mends.path);
  // The same may be wrong with several: then a mongod speaks of the first.
  for (const path of Array.isArray(at(plain, base)) ? children.toReversed() : []) {
    const upToIt = children.slice(0, children.indexOf(path)).reduce<Plain>((rest, each) => removed(rest, each), plain);
    if (tried(upToIt, judge) === message) return culprit(upToIt, message, judge, path);
  }
  const changes = without.find(({ result }) => result !== message);
  return changes === undefined ? base : culprit(plain, message, judge, changes.path);
}

function at(plain: Plain, path: Path): unknown {
  return path.reduce<unknown>((value, key) => (value as Plain)[key], plain);
}

/** What stands at a place, the last first: of two that do not go together, the second is one too many. */
function childrenOf(plain: Plain, base: Path): readonly Path[] {
  const value = at(plain, base);
  if (Array.isArray(value)) return value.map((_, i) => [...base, i]).reverse();
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value)
    .filter((key) => !key.startsWith('$'))
    .map((key) => [...base, key])
    .reverse();
}

function removed(value: unknown, [key, ...rest]: Path): Plain {
  const change = (each: unknown) => (rest.length === 0 ? [] : [removed(each, rest)]);
  if (Array.isArray(value)) return value.flatMap((each, i) => (i === key ? change(each) : [each])) as unknown as Plain;
  return Object.fromEntries(
    Object.entries(value as Plain).flatMap(([name, each]) =>
      name === key ? change(each).map((changed) => [name, changed]) : [[name, each]],
    ),
  );
}
