import { type ProcessArguments, readArguments } from '@replsim/server';

/** Arguments of a mongod that say how a process runs and logs, and not what it does; whether a value follows. */
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
  '--networkMessageCompressors': 'value',
};

/** What became of a list of arguments. */
export interface SortedArguments {
  readonly process: ProcessArguments;
  /** Without a meaning here, as they were written. */
  readonly ignored: readonly string[];
  /** What is wrong with the rest, if there is any. */
  readonly mistakes: readonly string[];
}

/** Reads a mongod's arguments. @param where what messages name */
export function sortArguments(args: readonly string[], where: string): SortedArguments {
  const { others, ignored } = withoutMeaningless(args);
  const { process, unusable } = readArguments(others);
  const mistakes =
    unusable.length === 0
      ? []
      : [
          `${where}: cannot use ${unusable.join(', ')}: --setParameter NAME=VALUE and --oplogSize MB are used, and what only says how a process runs and logs, as --quiet, is ignored`,
        ];
  return { process, ignored: ignored.map((arg) => `${where} ${arg} (it says how a process runs)`), mistakes };
}

function withoutMeaningless(args: readonly string[]): { readonly others: string[]; readonly ignored: string[] } {
  const others: string[] = [];
  const ignored: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const word = args[i] as string;
    const [name = word] = word.split('=');
    const kind = /^-v+$/.test(name) ? 'alone' : MEANINGLESS[name];
    if (kind === undefined) others.push(word);
    else if (kind === 'value' && name === word && i + 1 < args.length) ignored.push(`${word} ${args[++i]}`);
    else ignored.push(word);
  }
  return { others, ignored };
}
