import { MAJORITY_READS } from '@replsim/scenario';
import { type ProcessArguments, readArguments } from '@replsim/server';

/** Arguments of mongod that affect only how the process runs or logs, and whether a value follows them. */
const MEANINGLESS: Readonly<Record<string, 'value' | 'alone'>> = {
  '--quiet': 'alone',
  '--verbose': 'alone',
  '--noauth': 'alone',
  '--bind_ip': 'value',
  '--bind_ip_all': 'alone',
  '--ipv6': 'alone',
  '--listenBacklog': 'value',
  '--fork': 'alone',
  '--pidfilepath': 'value',
  '--nounixsocket': 'alone',
  '--unixSocketPrefix': 'value',
  '--filePermissions': 'value',
  '--logpath': 'value',
  '--logappend': 'alone',
  '--logRotate': 'value',
  '--timeStampFormat': 'value',
  '--syslog': 'alone',
  '--syslogFacility': 'value',
  '--traceExceptions': 'alone',
  '--directoryperdb': 'alone',
  '--journal': 'alone',
  '--nojournal': 'alone',
  '--journalCommitInterval': 'value',
  '--syncdelay': 'value',
  '--noprealloc': 'alone',
  '--smallfiles': 'alone',
  '--nohttpinterface': 'alone',
  '--serviceExecutor': 'value',
  '--wiredTigerCacheSizeGB': 'value',
  '--wiredTigerCacheSizePct': 'value',
  '--wiredTigerEngineConfigString': 'value',
  '--wiredTigerCollectionConfigString': 'value',
  '--wiredTigerIndexConfigString': 'value',
  '--wiredTigerJournalCompressor': 'value',
  '--wiredTigerCollectionBlockCompressor': 'value',
  '--wiredTigerIndexPrefixCompression': 'value',
  '--wiredTigerDirectoryForIndexes': 'alone',
};

/** Its value may be missing. */
const MAJORITY_READ_CONCERN = '--enableMajorityReadConcern';

/** A list of arguments, sorted by what they do here. */
export interface SortedArguments {
  readonly process: ProcessArguments;
  /** Arguments without effect, as they were written. */
  readonly ignored: readonly string[];
  /** Messages about arguments that are rejected. */
  readonly mistakes: readonly string[];
}

/** Reads command-line arguments of mongod. @param where the option that messages name */
export function sortArguments(args: readonly string[], where: string): SortedArguments {
  const { others, ignored, mistakes: gone } = withoutMeaningless(args);
  const { process, unusable } = readArguments(others);
  const mistakes =
    unusable.length === 0
      ? gone.map((each) => `${where}: ${each}`)
      : [
          `${where}: cannot use ${unusable.join(', ')}: only --setParameter NAME=VALUE, --oplogSize MB and --networkMessageCompressors LIST are supported; arguments that affect only how the process runs or logs, such as --quiet, are ignored`,
        ];
  return { process, ignored: ignored.map((arg) => `${where} ${arg} (it affects only how the process runs)`), mistakes };
}

interface Sorted {
  readonly others: string[];
  readonly ignored: string[];
  readonly mistakes: string[];
}

function withoutMeaningless(args: readonly string[]): Sorted {
  const others: string[] = [];
  const ignored: string[] = [];
  const mistakes: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const word = args[i] as string;
    const [name = word] = word.split('=');
    if (name === MAJORITY_READ_CONCERN) {
      const next = args[i + 1];
      const value = name === word ? next : word.slice(name.length + 1);
      if (name === word && (next === 'true' || next === 'false')) i += 1;
      if (value === 'false') mistakes.push(`${name} false: it was ${MAJORITY_READS}; remove it`);
      else ignored.push(word);
      continue;
    }
    const kind = /^-v+$/.test(name) ? 'alone' : Object.hasOwn(MEANINGLESS, name) ? MEANINGLESS[name] : undefined;
    if (kind === undefined) others.push(word);
    else if (kind === 'value' && name === word && i + 1 < args.length) ignored.push(`${word} ${args[++i]}`);
    else ignored.push(word);
  }
  return { others, ignored, mistakes };
}
