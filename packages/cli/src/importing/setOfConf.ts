import { existsSync } from 'node:fs';
import { IncidentError, readConf } from '@replsim/incident';
import type { MongodVersion } from '@replsim/protocol';
import { InvalidScenario } from '@replsim/scenario';
import type { ServeOptions } from '@replsim/server';
import { readText } from '../files.ts';
import { InputError, type Io } from '../io.ts';

/**
 * The set that a file with an `rs.conf()` document describes; each member gets a port of this machine.
 * @param version the release, if the command line says it
 * @throws InputError for a file that holds no config, or one that a mongod would refuse
 */
export function setOfConf(path: string, version: MongodVersion | undefined, io: Io): ServeOptions {
  if (!existsSync(path)) throw new InputError(`${path || '""'}: no such file; name one with what rs.conf() prints`);
  const text = readText(path);
  try {
    const conf = readConf(text, path, version);
    const { setName, members, settings, writeConcernMajorityJournalDefault } = conf;
    for (const told of conf.unused) io.err(`${path}: not used: ${told}\n`);
    io.err(`${members.map(({ name, host }) => `${name} stands for ${host}`).join(', ')}\n`);
    return {
      setName,
      members: members.map(({ host: _, ...member }) => member),
      settings,
      writeConcernMajorityJournalDefault,
      version: conf.version,
    };
  } catch (error) {
    if (error instanceof IncidentError || error instanceof InvalidScenario) throw new InputError(error.message);
    throw error;
  }
}
