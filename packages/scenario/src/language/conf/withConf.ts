import type { MongodVersion } from '@replsim/protocol';
import { type Source, Unreadable } from '../../file/source.ts';
import type { MemberInput, ScenarioInput } from '../scenarioSchema.ts';
import { readConf } from './readConf.ts';

const BASE = ['replicaSet', 'config'] as const;
/** What a config says, so that nothing beside it can. */
const SAID_BY_IT = ['name', 'members', 'settings', 'writeConcernMajorityJournalDefault'] as const;

/**
 * A scenario whose set is described by `replicaSet.config` as one that lists the members itself.
 * @throws Unreadable if that config is none; without members no step can be judged
 */
export function withConf(source: Source, input: ScenarioInput, defaultVersion: MongodVersion): ScenarioInput {
  const { replicaSet } = input;
  if (replicaSet?.config === undefined) return input;
  for (const key of SAID_BY_IT)
    if (replicaSet[key] !== undefined)
      source.mistakeAtKey(
        ['replicaSet'],
        key,
        `"${key}" cannot be combined with "config", which contains it`,
        'leave one out',
      );
  const conf = readConf(source, BASE, {
    version: input.version ?? defaultVersion,
    allowMultipleArbiters: input.parameters?.allowMultipleArbiters === true,
  });
  if (conf === undefined) throw new Unreadable();
  if (conf.unused.length > 0) source.warnAtPath(BASE, `not used: ${conf.unused.join('; ')}`);
  const { setName: name, members, settings, writeConcernMajorityJournalDefault } = conf;
  return {
    ...input,
    replicaSet: {
      ...replicaSet,
      name,
      members: members.map(({ config, ...member }) => ({ ...member, ...config }) as MemberInput),
      settings,
      writeConcernMajorityJournalDefault,
    },
  };
}
