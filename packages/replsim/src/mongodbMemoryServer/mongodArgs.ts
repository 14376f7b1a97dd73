/** Arguments of a mongod that say how a process runs and logs, and not what it does; whether a value follows. */
const MEANINGLESS: Readonly<Record<string, 'value' | 'alone'>> = {
  '--quiet': 'alone',
  '--verbose': 'alone',
  '--noauth': 'alone',
  '--logappend': 'alone',
  '--logpath': 'value',
  '--pidfilepath': 'value',
  '--nounixsocket': 'alone',
  '--unixSocketPrefix': 'value',
  '--directoryperdb': 'alone',
  '--wiredTigerCacheSizeGB': 'value',
  '--wiredTigerJournalCompressor': 'value',
  '--wiredTigerCollectionBlockCompressor': 'value',
  '--wiredTigerDirectoryForIndexes': 'alone',
  '--networkMessageCompressors': 'value',
};

/**
 * Takes out of a mongod's arguments those that have no meaning here.
 * @returns the others, which are used or refused, and what was taken out, as it was written
 */
export function sortArguments(args: readonly string[]): { readonly used: string[]; readonly ignored: string[] } {
  const used: string[] = [];
  const ignored: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const word = args[i] as string;
    const [name = word] = word.split('=');
    const kind = /^-v+$/.test(name) ? 'alone' : MEANINGLESS[name];
    if (kind === undefined) used.push(word);
    else if (kind === 'value' && name === word && i + 1 < args.length) ignored.push(`${word} ${args[++i]}`);
    else ignored.push(word);
  }
  return { used, ignored };
}
