import type { MongodVersion } from '@replsim/protocol';
import { type Conf, parseConf } from '@replsim/scenario';
import { IncidentError } from './incidentError.ts';
import { printedIn } from './shell/printed.ts';

/** A config, and the release as whose it was read. */
export interface ReadConf extends Conf {
  readonly version: MongodVersion;
  /** What other evidence says of the members. */
  readonly known?: readonly string[];
}

const MEMBERS = /\bmembers"?\s*:/;
/** The list of members without what is around it. */
const PART = /^\s*["']?members["']?\s*:\s*\[/m;

const DEFAULT_VERSION: MongodVersion = '8.0';
/** The newest release that calls a delay `slaveDelay`. */
const OLD_VERSION: MongodVersion = '4.4';

/**
 * Reads what `rs.conf()` prints: as in mongosh or the old shell, with whatever was copied around it; JSON, Extended JSON, or YAML.
 * @param version the release, if it is known; otherwise the names of the fields tell an old one
 * @throws IncidentError if it cannot be read, InvalidScenario if a mongod would refuse it
 */
export function readConf(text: string, file: string, version?: MongodVersion): ReadConf {
  const documents = /\.ya?ml$/.test(file) ? [] : printedIn(text, file);
  const conf = documents.find(({ flow }) => isConf(flow));
  const hasMembers = documents.some(({ flow }) => MEMBERS.test(flow));
  const part = hasMembers || documents.length === 0 ? null : PART.exec(text);
  if (part !== null)
    throw new IncidentError(
      file,
      lineOf(text, part.index),
      'this is only a part of a config; copy all that rs.conf() prints, from the first brace to the last',
    );
  if (conf === undefined && documents[0] !== undefined)
    throw new IncidentError(file, documents[0].line, 'this is not a config: it has no members; rs.conf() prints one');
  return confOf(conf?.flow ?? text, file, version);
}

/** The same of one document, as YAML. */
export function confOf(flow: string, file: string, version?: MongodVersion): ReadConf {
  refuseOthers(flow, file);
  const known = version ?? (/\bslaveDelay"?\s*:/.test(flow) ? OLD_VERSION : DEFAULT_VERSION);
  return { ...parseConf(flow, file, { version: known, allowMultipleArbiters: true }), version: known };
}

/** Whether a document, as YAML, may be a config: it has members, and no states of members. */
export function isConf(flow: string): boolean {
  return MEMBERS.test(flow) && !/\b(stateStr|myState)"?\s*:/.test(flow);
}

/** Other YAML of the trade: a scenario, a mongod.conf. @throws IncidentError */
function refuseOthers(text: string, file: string): void {
  const keys = [...text.matchAll(/^(\w+):/gm)];
  const steps = keys.find(([, key]) => key === 'steps');
  if (steps !== undefined)
    throw new IncidentError(
      file,
      lineOf(text, steps.index),
      'this is a scenario, not a config; "replsim run" plays it',
    );
  if (keys[0] !== undefined && !keys.some(([, key]) => key === 'members'))
    throw new IncidentError(
      file,
      lineOf(text, keys[0].index),
      'this is not a config: it has no members; rs.conf() prints one',
    );
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
