import { findSourceMap } from 'node:module';

// Errors name lines as they are in the sources. Vitest sees to the modules that it loads; this does for those that `stripTypes.mjs` changes.

type Prepare = (error: Error, sites: NodeJS.CallSite[]) => unknown;
const inherited = Error.prepareStackTrace as (Prepare & { mapped?: true }) | undefined;

if (inherited && !inherited.mapped)
  Error.prepareStackTrace = Object.assign(
    (error: Error, sites: NodeJS.CallSite[]) => inherited(error, sites.map(mapped)),
    {
      mapped: true,
    },
  );

function mapped(site: NodeJS.CallSite): NodeJS.CallSite {
  const url = site.getFileName();
  const [line, column] = [site.getLineNumber(), site.getColumnNumber()];
  if (!url?.startsWith('file:') || line === null || column === null) return site;
  const entry = findSourceMap(url)?.findEntry(line - 1, column - 1);
  if (!entry || !('originalLine' in entry)) return site;
  const [originalLine, originalColumn] = [entry.originalLine + 1, entry.originalColumn + 1];
  const changed: Partial<NodeJS.CallSite> & { toString(): string } = {
    getLineNumber: () => originalLine,
    getColumnNumber: () => originalColumn,
    toString: () => String(site).replace(`:${line}:${column}`, `:${originalLine}:${originalColumn}`),
  };
  return new Proxy(site, {
    get: (target, name) => {
      if (name in changed) return changed[name as keyof NodeJS.CallSite];
      const own = Reflect.get(target, name);
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });
}
