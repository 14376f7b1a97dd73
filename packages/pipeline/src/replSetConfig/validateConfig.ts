import {
  CommandError,
  isElectable,
  MAX_MEMBERS,
  MAX_VOTING_MEMBERS,
  type MemberConfig,
  type ReplSetConfig,
} from '@replsim/protocol';
import { splitHostAndPort } from './configFields.ts';

/** What a process's parameters allow. */
export interface ValidationRules {
  /** `--setParameter allowMultipleArbiters`. */
  readonly allowMultipleArbiters: boolean;
  /** `--setParameter skipShardingConfigurationChecks`; no process here is started with `--configsvr`. */
  readonly skipShardingConfigurationChecks: boolean;
}

/**
 * Checks what the members of a config can break together. Throws BadValue 2 or UnsupportedFormat 12, which initiate
 * wraps in InvalidReplicaSetConfig 93 and reconfig in NewReplicaSetConfigurationIncompatible 103.
 * Upstream: repl_set_config.cpp, ReplSetConfig::_validate.
 */
export function validateReplSetConfig(config: ReplSetConfig, rules: ValidationRules): void {
  const { members } = config;
  if (members.length === 0 || members.length > MAX_MEMBERS) {
    bad(
      `Replica set configuration contains ${members.length} members, but must have at least 1 and no more than ${MAX_MEMBERS}`,
    );
  }
  checkHorizons(members);
  checkUnique(members);
  checkLocalhost(members);
  checkVoters(members);
  if (config.configsvr) checkConfigServer(config, rules);
  if (!rules.allowMultipleArbiters && members.filter(({ arbiterOnly }) => arbiterOnly).length > 1) {
    bad(
      "Multiple arbiters are not allowed unless all nodes were started with --setParameter 'allowMultipleArbiters=true'",
    );
  }
}

function bad(reason: string): never {
  throw new CommandError('BadValue', reason);
}

function checkUnique(members: readonly MemberConfig[]): void {
  const indexById = new Map<number, number>();
  const indexByHost = new Map<string, number>();
  for (const [index, { _id, host }] of members.entries()) {
    const [sameId, sameHost] = [indexById.get(_id), indexByHost.get(host)];
    const both = (field: string, other: number, value: unknown) =>
      `Found two member configurations with same ${field} field, members.${other}.${field} == members.${index}.${field} == ${value}`;
    if (sameId !== undefined) bad(both('_id', sameId, _id));
    if (sameHost !== undefined) bad(both('host', sameHost, host));
    indexById.set(_id, index);
    indexByHost.set(host, index);
  }
}

/** Upstream: HostAndPort::isLocalHost. */
function isLocalhost(address: string): boolean {
  const { host } = splitHostAndPort(address);
  return host === 'localhost' || host === '::1' || host === '[::1]' || host.startsWith('127.');
}

function checkLocalhost(members: readonly MemberConfig[]): void {
  const found = members.filter(({ host }) => isLocalhost(host)).length;
  if (found === 0 || found === members.length) return;
  bad(
    `Either all host names in a replica set configuration must be localhost references, or none must be; found ${found} out of ${members.length}`,
  );
}

function checkVoters(members: readonly MemberConfig[]): void {
  // Those that will get their vote after initial sync count too: seven is the end, and nobody may wait for ever.
  const voters = members.filter((member) => (member.newlyAdded ?? member).votes === 1).length;
  if (voters === 0 || voters > MAX_VOTING_MEMBERS || members.every(({ votes }) => votes === 0)) {
    bad(
      `Replica set configuration contains ${voters} voting members, but must be at least 1 and no more than ${MAX_VOTING_MEMBERS}`,
    );
  }
  if (!members.some(isElectable)) {
    bad('Replica set configuration must contain at least one non-arbiter member with priority > 0');
  }
}

function checkConfigServer({ members, writeConcernMajorityJournalDefault }: ReplSetConfig, rules: ValidationRules) {
  if (members.some(({ arbiterOnly }) => arbiterOnly)) {
    bad('Arbiters are not allowed in replica set configurations being used for config servers');
  }
  if (members.some(({ buildIndexes }) => !buildIndexes)) {
    bad('Members in replica set configurations being used for config servers must build indexes');
  }
  if (members.some(({ secondaryDelaySecs }) => secondaryDelaySecs > 0)) {
    bad(
      'Members in replica set configurations being used for config servers cannot have a non-zero secondaryDelaySecs',
    );
  }
  if (!rules.skipShardingConfigurationChecks) {
    bad('Nodes being used for config servers must be started with the --configsvr flag');
  }
  if (!writeConcernMajorityJournalDefault) {
    bad('writeConcernMajorityJournalDefault must be true in replica set configurations being used for config servers');
  }
}

/** Horizons are names under which outsiders know the set: all members have the same, and nothing is named twice. */
function checkHorizons(members: readonly MemberConfig[]): void {
  const namesOf = ({ horizons = {} }: MemberConfig) => Object.keys(horizons).sort().join(' ');
  const seen = new Set(members.map(({ host }) => host));
  for (const [index, { horizons = {} }] of members.entries()) {
    for (const [name, address] of Object.entries(horizons)) {
      if (isAddress(splitHostAndPort(address).host)) {
        throw new CommandError(
          'UnsupportedFormat',
          `Found split horizon configuration using IP address, which is disallowed: members.${index}.horizons contains entry {"${name}": "${address}"}`,
        );
      }
    }
  }
  if (members.some((member) => namesOf(member) !== namesOf(members[0]!))) {
    const all = new Set(members.flatMap(({ horizons = {} }) => Object.keys(horizons)));
    const missing = [...all].filter((name) => !members.every(({ horizons }) => horizons?.[name] !== undefined));
    bad(
      `Saw a replica set member with a different horizon mapping than the others. The following horizons were not universally present: ${missing.join(', ')}`,
    );
  }
  for (const address of members.flatMap(({ horizons = {} }) => Object.values(horizons))) {
    if (seen.has(address)) {
      bad(
        `The following hostnames are not unique across all horizons and host specifications in the replica set: ${address}`,
      );
    }
    seen.add(address);
  }
}

/** IPv4 or IPv6, with a prefix length or without. Upstream: isValidCIDRRange. */
function isAddress(host: string): boolean {
  return /^\d{1,3}(\.\d{1,3}){3}(\/\d+)?$/.test(host) || /^\[?[\da-f]*:[\da-f:.]*\]?(\/\d+)?$/i.test(host);
}
