import type { Path, Source } from '../file/source.ts';
import { fateOfSetting, SETTINGS, settingOfOption } from '../mongod/settings.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The first words of the paths of a `mongod.conf`. */
const SECTIONS = new Set(Object.keys(SETTINGS).map((path) => path.split('.')[0] ?? path));

/** What a scenario has for settings that have an effect here. */
const WRITTEN: Readonly<Record<string, string>> = {
  'replication.replSetName': 'write "replicaSet: { name: … }"',
  'replication.oplogSizeMB': 'write "oplogSizeMB" in each entry of "members"',
  'net.port': 'leave it out: members of a scenario need no ports',
  'storage.oplogMinRetentionHours': 'write "oplogMinRetentionHours" in each entry of "members"',
  'storage.journal.commitIntervalMs': 'write "parameters: { journalCommitInterval: … }"',
  'security.authorization': 'write "replicaSet: { auth: true }"',
  'security.keyFile': 'write "keyFile", with the key itself, in "replicaSet" or in an entry of "members"',
  'security.transitionToAuth': 'leave it out: without "auth: true" nobody has to log in',
  'storage.syncPeriodSecs': 'write "parameters: { syncdelay: … }"',
};

/** Fields of configs of earlier releases. */
const ONCE: Readonly<Record<string, { readonly was: string; readonly instead: string; readonly harmless?: unknown }>> =
  {
    slaveDelay: { was: 'the name of "secondaryDelaySecs" before 5.0', instead: 'write "secondaryDelaySecs"' },
    protocolVersion: { was: 'a choice until 3.6, and always 1 since 4.0', instead: 'leave it out', harmless: 1 },
    getLastErrorDefaults: {
      was: 'the default write concern until 4.4',
      instead: 'write "run: { command: { setDefaultRWConcern: 1, defaultWriteConcern: … } }" as a step',
    },
  };

/**
 * A file without what its author took over from a `mongod.conf` or from a command line: a warning says what has no effect here,
 * and a mistake what would change behaviour.
 */
export function withoutMongodSettings(source: Source, input: unknown): unknown {
  if (!isFields(input)) return input;
  const head = without(source, [], input, true);
  if (!isFields(head.replicaSet)) return head;
  const replicaSet = without(source, ['replicaSet'], head.replicaSet);
  for (const list of ['members', 'spares']) {
    const entries = replicaSet[list];
    if (!Array.isArray(entries)) continue;
    replicaSet[list] = entries.map((each, i) =>
      isFields(each) ? without(source, ['replicaSet', list, i], each) : each,
    );
  }
  if (isFields(replicaSet.settings))
    replicaSet.settings = without(source, ['replicaSet', 'settings'], replicaSet.settings);
  return { ...head, replicaSet };
}

function without(source: Source, path: Path, fields: Fields, isHead = false): Record<string, unknown> {
  const entries = Object.entries(fields).filter(([key, value]) => {
    // A member has one of its own, with the key in it.
    const setting = key === 'keyFile' && !isHead ? undefined : settingOfOption(key);
    const once = isHead || !Object.hasOwn(ONCE, key) ? undefined : ONCE[key];
    if (once !== undefined) {
      const { was, instead, harmless } = once;
      if (harmless === value) source.warnAtKey(path, key, `"${key}" has no effect here: it was ${was}`, instead);
      else source.mistakeAtKey(path, key, `"${key}" was ${was}`, instead);
    } else if (setting !== undefined) judge(source, path, key, setting, value);
    else if (isHead && SECTIONS.has(key)) judgeSection(source, [key], value);
    else return true;
    return false;
  });
  return Object.fromEntries(entries);
}

function judgeSection(source: Source, path: readonly string[], value: unknown): void {
  if (isFields(value)) {
    for (const [key, each] of Object.entries(value)) judgeSection(source, [...path, key], each);
    return;
  }
  const key = path.at(-1) ?? '';
  judge(source, path.slice(0, -1), key, path.join('.'), value);
}

function judge(source: Source, path: Path, key: string, setting: string, value: unknown): void {
  const fate = fateOfSetting(setting);
  if (fate === undefined)
    return source.mistakeAtKey(path, key, `"${setting}" is neither a field of a scenario nor a setting of mongod`);
  if (fate.obey !== undefined)
    return source.mistakeAtKey(path, key, `"${setting}" is a setting of a mongod.conf`, WRITTEN[setting]);
  // No scenario asks for users or a release by this.
  const refusal = fate.refuse?.(value, { version: '8.0' });
  if (refusal !== undefined) source.mistakeAtKey(path, key, `"${key}": ${refusal}`);
  else
    source.warnAtKey(path, key, `"${key}" has no effect here${fate.unused ? `: ${fate.unused}` : ''}`, 'leave it out');
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
