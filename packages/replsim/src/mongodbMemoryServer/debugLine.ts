/** The names that `DEBUG` may select: replsim's own, and those of mongodb-memory-server. */
const NAMES = ['replsim:mongodb-memory-server', 'MongoMS:MongoMemoryReplSet', 'MongoMS:MongoMemoryServer'];

/**
 * Writes one line to stderr if `DEBUG` selects it, as `DEBUG=replsim*` does, or if `MONGOMS_DEBUG` is set. Patterns are those of the
 * package `debug`: separated by commas or blanks, with `*` for anything and a leading minus to exclude.
 */
export function debugLine(text: string): void {
  const { DEBUG = '', MONGOMS_DEBUG = '' } = process.env;
  if (!isTrue(MONGOMS_DEBUG) && !isAsked(DEBUG)) return;
  process.stderr.write(`${NAMES[0]} ${text}\n`);
}

/** Upstream: util/resolveConfig.ts, envToBool. */
function isTrue(value: string): boolean {
  return ['1', 'on', 'yes', 'true'].includes(value.toLowerCase());
}

function isAsked(patterns: string): boolean {
  const words = patterns.split(/[\s,]+/).filter((word) => word !== '');
  const asks = (pattern: string) => NAMES.some((name) => matching(pattern).test(name));
  if (words.some((word) => word.startsWith('-') && asks(word.slice(1)))) return false;
  return words.some((word) => !word.startsWith('-') && asks(word));
}

function matching(pattern: string): RegExp {
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}
